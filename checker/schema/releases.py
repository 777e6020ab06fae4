"""From which release of the modelled system a rule is as it is.

A switch of the rules says so in its annotation: `is_checked: Annotated[bool, Since("2.1")] = True`. A switch without a
release is a choice of the user or of the model, and no release changes it. The default is that of the newest release;
a switch that no release has is `Annotated[bool, Since(EVERY)] = False`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import shortened
from kafkacheck.checker.schema.rules import is_group, switches

EVERY = "0"
"""The release before all others: `Since(EVERY)` is true of every release, even if the source was once otherwise."""


@dataclass(frozen=True)
class Since:
    """The rule is `value` from this release on; None: the default of its class.

    Before its first release a bool is the opposite. Other rules say what they were before: `Since(EVERY, OLD)`.
    With `begun`, a bool is the opposite only from that release on, in which what it is about came, or a mistake was
    made. One for each line of releases that was mended: `Since("2.7.2", begun="2.7"), Since("2.8.1", begun="2.8")`.
    """

    release: str
    value: Any = None
    begun: str = ""


def order(release: str) -> tuple[int, ...]:
    """The numbers of a release, to compare: "4.1.2" is (4, 1, 2). UsageError if it is none."""
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}", release):
        raise UsageError(f"{shortened(release)!r} is no release; write one such as 4.1 or 4.1.2")
    return tuple(int(each) for each in release.split("."))


def dated(rules: Any) -> dict[str, tuple[Since, ...]]:
    """By the name of each switch that has one, from which releases on it is as it is; `begun` as steps of its own.

    A switch that a group of rules has otherwise in the class around it is a choice there.
    """
    return {} if rules is None else dict(_dated(rules, type(rules)._field_defaults, ""))


def _dated(rules: Any, defaults: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, tuple[Since, ...]]]:
    hints = get_type_hints(type(rules), include_extras=True)
    own = type(rules)._field_defaults
    for name, value in rules._asdict().items():
        if is_group(value):
            around: Any = defaults.get(name)
            usual = around._asdict() if is_group(around) else type(value)._field_defaults
            yield from _dated(value, usual, f"{prefix}{name}.")
            continue
        given = [each for each in getattr(hints.get(name), "__metadata__", ()) if isinstance(each, Since)]
        if given and defaults.get(name) == own[name]:
            steps = [step for each in given for step in _steps(each, own[name])]
            yield f"{prefix}{name}", tuple(sorted(steps, key=lambda each: order(each.release)))


def _steps(since: Since, default: Any) -> list[Since]:
    first = [Since(EVERY, since.value), Since(since.begun, not default)] if since.begun else []
    return [*first, Since(since.release, since.value)]


def rules_in(rules: Any, release: str) -> dict[str, Any]:
    """By name the value of each dated switch in a release. UsageError if the release is none."""
    asked = order(release)
    return {name: _values(rules, name, steps)[_reached(steps, asked)] for name, steps in dated(rules).items()}


def values_of(rules: Any, name: str) -> list[Any]:
    """The values that a dated switch has had, each once; the newest last. Both, of a bool."""
    values = _values(rules, name, dated(rules)[name])
    is_bool = isinstance(values[-1], bool)
    return list(dict.fromkeys(([not values[-1]] if is_bool else []) + values[1:]))


@dataclass(frozen=True)
class Released:
    """What a release does to the rules of a model: by name, the switches that it changes, and those that stay older.

    `newest` is the last release that dates one of the rules; "" if none is dated.
    """

    release: str
    changed: dict[str, Any]
    stayed: dict[str, Any]
    newest: str = ""

    @property
    def is_later(self) -> bool:
        """Whether the release comes after all that the rules name, which may be a slip of the pen."""
        return self.newest != "" and order(self.release) > order(self.newest)


def released(rules: Any, release: str) -> Released:
    """The dated switches of the rules of a model in a release. UsageError if it is none.

    A rule that the model has in an older form is its subject: it becomes no newer. But True is the right form of a bool
    and never older: where the newest release lacks it, it is a mend of the model, which goes.
    """
    asked, now = order(release), switches(rules)
    changed: dict[str, Any] = {}
    stayed: dict[str, Any] = {}
    known = dated(rules)
    for name, steps in known.items():
        values, own = _values(rules, name, steps), now[name]
        place = _reached(steps, asked)
        its = values[place]
        if own is not True and own != _default(rules, name) and own in values:
            its = values[min(place, len(values) - 1 - values[::-1].index(own))]
        if its != own:
            changed[name] = its
        elif its != values[place]:
            stayed[name] = its
    named = [each.release for steps in known.values() for each in steps]
    return Released(release, changed, stayed, max(named, key=order, default=""))


def _reached(steps: tuple[Since, ...], asked: tuple[int, ...]) -> int:
    return sum(1 for each in steps if order(each.release)[: len(asked)] <= asked)


def _values(rules: Any, name: str, steps: tuple[Since, ...]) -> list[Any]:
    """What the switch was before its first step, and from each step on."""
    values = [_default(rules, name) if each.value is None else each.value for each in steps]
    return [not values[0], *values]


def _default(rules: Any, name: str) -> Any:
    *groups, own = name.split(".")
    for group in groups:
        rules = getattr(rules, group)
    return type(rules)._field_defaults[own]
