"""The rules of a model as switches by name. Rules in rules have names with dots: "sender.retries"."""

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import did_you_mean


def is_group(value: object) -> bool:
    """Whether it is a NamedTuple: the rules of a model, or a group of them."""
    return isinstance(value, tuple) and hasattr(value, "_asdict")


def switches(rules: Any) -> dict[str, int]:
    """Every switch by its name, in order of declaration; empty where there are no rules."""
    return {} if rules is None else dict(_switches(rules, ""))


def _switches(rules: Any, prefix: str) -> Iterator[tuple[str, int]]:
    for name, value in rules._asdict().items():
        if is_group(value):
            yield from _switches(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def usual(rules: Any) -> set[str]:
    """The names of the switches that are as the classes of the rules have them by default."""
    return set() if rules is None else set(_usual(rules, {}, ""))


def _usual(rules: Any, given: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """`given`: what the group around has by default in place of the defaults of the class."""
    defaults = {**type(rules)._field_defaults, **given}
    for name, value in rules._asdict().items():
        if is_group(value):
            inner: Any = defaults.get(name)
            yield from _usual(value, inner._asdict() if is_group(inner) else {}, f"{prefix}{name}.")
        elif name in defaults and defaults[name] == value:
            yield f"{prefix}{name}"


def group_of(name: str, rules: Any) -> tuple[Any, str]:
    """The group of rules that has a switch, given by its whole name, and the name that it has there."""
    *groups, last = name.split(".")
    for group in groups:
        rules = getattr(rules, group)
    return rules, last


def full_name(name: str, known: Iterable[str]) -> str | None:
    """The switch that is meant: its whole name or, if only one ends so, the last parts of it; None if there is none.

    UsageError if several end so.
    """
    names = list(known)
    if name in names:
        return name
    fitting = [each for each in names if each.endswith(f".{name}")]
    if len(fitting) > 1:
        raise UsageError(f"{name} could be {' or '.join(fitting)}; write the whole name")
    return fitting[0] if fitting else None


def replaced(rules: Any, changes: Mapping[str, int]) -> Any:
    """The same rules with other values of some switches, by their whole names."""
    own = {name: value for name, value in changes.items() if "." not in name}
    groups: dict[str, dict[str, int]] = {}
    for name, value in changes.items():
        group, dot, rest = name.partition(".")
        if dot:
            groups.setdefault(group, {})[rest] = value
    inner = {group: replaced(getattr(rules, group), each) for group, each in groups.items()}
    return rules._replace(**own, **inner)


def switch_value(now: Any, value: int | str | bool, name: str) -> Any:
    """The value that is meant, for a switch that is `now` another; UsageError where it cannot be that."""
    if isinstance(now, IntEnum):
        members = type(now).__members__
        if isinstance(value, str) and value in members:
            return members[value]
        by_number = {int(member): member for member in members.values()}
        if str(value).lstrip("-").isdigit() and int(value) in by_number:
            return by_number[int(value)]
        near = did_you_mean(str(value), members)
        raise UsageError(f"rule {name} cannot be {value!r}; it is one of: {', '.join(members)}{near}")
    if isinstance(now, bool):
        word = str(value).lower()
        if word in ("true", "1", "on", "false", "0", "off"):
            return word in ("true", "1", "on")
        raise UsageError(f"rule {name} cannot be {value!r}; it is true or false")
    try:
        return int(value)
    except ValueError:
        raise UsageError(f"rule {name} cannot be {value!r}; it is a whole number") from None
