"""From which release of the modelled system a rule is as it is.

A switch of the rules says so in its annotation: `is_checked: Annotated[bool, Since("2.1")] = True`. A switch without a
release is a choice of the user or of the model, and no release changes it.
"""

import re
from dataclasses import dataclass
from typing import Any, get_type_hints

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import shortened
from kafkacheck.checker.schema.rules import is_group

EVERY = "0"
"""The release before all others: `Since(EVERY)` is true of every release."""


@dataclass(frozen=True)
class Since:
    """The rule is `value` from this release on; None: the default of its class.

    Before its first release a bool is the opposite. Other rules say what they were before: `Since(EVERY, OLD)`.
    """

    release: str
    value: Any = None


def order(release: str) -> tuple[int, ...]:
    """The numbers of a release, to compare: "4.1.2" is (4, 1, 2). UsageError if it is none."""
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}", release):
        raise UsageError(f"{shortened(release)!r} is no release; write one such as 4.1 or 4.1.2")
    return tuple(int(each) for each in release.split("."))


def dated(rules: Any, prefix: str = "") -> dict[str, tuple[Since, ...]]:
    """By the name of each switch that has one, from which releases on it is as it is."""
    found: dict[str, tuple[Since, ...]] = {}
    if rules is None:
        return found
    hints = get_type_hints(type(rules), include_extras=True)
    for name, value in rules._asdict().items():
        if is_group(value):
            found |= dated(value, f"{prefix}{name}.")
            continue
        since = tuple(each for each in getattr(hints.get(name), "__metadata__", ()) if isinstance(each, Since))
        if since:
            found[f"{prefix}{name}"] = tuple(sorted(since, key=lambda each: order(each.release)))
    return found


def rules_in(rules: Any, release: str) -> dict[str, Any]:
    """By name the value of each dated switch in a release. UsageError if the release is none."""
    asked = order(release)
    found: dict[str, Any] = {}
    for name, steps in dated(rules).items():
        default = _default(rules, name)
        reached = [each for each in steps if order(each.release)[: len(asked)] <= asked]
        last = reached[-1] if reached else None
        if last is None:
            first = steps[0].value
            found[name] = not (default if first is None else first)
        else:
            found[name] = default if last.value is None else last.value
    return found


def _default(rules: Any, name: str) -> Any:
    *groups, own = name.split(".")
    for group in groups:
        rules = getattr(rules, group)
    return type(rules)._field_defaults[own]
