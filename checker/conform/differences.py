"""Differences between a model and a system, and those that are listed with a reason."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import reason_of
from kafkacheck.checker.process.names import shortened

KINDS = {
    "accepted": "the system accepted a call that is not enabled in the model",
    "refused": "the system refused a call that is enabled in the model",
    "chose": "the system chose parameters with which the call is not enabled in the model",
    "fields": "the system shows other values than the model",
    "threw": "the system failed",
    "ended": "the system ended, or gave no answer",
}
KEYS = {"kind", "action", "fields", "reason", "soundness"}
REQUIRED = ("kind", "action", "reason", "soundness")
START = "start"
"""The action of a difference in the initial state."""


@dataclass(frozen=True)
class Difference:
    """The first difference of a behaviour.

    `kind` is one of `KINDS`; `action` the name of the action, "start" for the initial state; `at` the number of steps
    before it. `fields`: by path the model's value and the system's, as JSON data. `detail`: the words of the system.
    """

    kind: str
    action: str
    at: int
    fields: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    detail: str = ""

    def is_like(self, other: "Difference") -> bool:
        """Whether both are the same difference at perhaps different places: kind, action and fields are equal."""
        return (self.kind, self.action, self.fields.keys()) == (other.kind, other.action, other.fields.keys())

    def lines(self) -> list[str]:
        """The difference in words."""
        told = [KINDS[self.kind] + (":" if self.fields or self.detail else "")]
        told += [f"    {path}: the model has {model}, the system {system}" for path, (model, system) in self.shown()]
        return told + [f"    {line}" for line in self.detail.splitlines()]

    def shown(self) -> Iterable[tuple[str, tuple[str, str]]]:
        """By path both values as text."""
        return ((path, (_text(model), _text(system))) for path, (model, system) in self.fields.items())


def _text(value: Any) -> str:
    return "none" if value is None else str(value)


@dataclass
class Listed:
    """A known difference. `fields`: the only ones that may differ, if any are named. `times`: how often it occurred."""

    kind: str
    action: str
    fields: tuple[str, ...]
    reason: str
    soundness: str
    times: int = 0

    def covers(self, found: Difference) -> bool:
        """Whether a difference is this one."""
        if (self.kind, self.action) != (found.kind, found.action):
            return False
        return not self.fields or set(found.fields) <= set(self.fields)


def listed(path: Path, actions: Iterable[str]) -> list[Listed]:
    """The known differences in the file, if it exists. UsageError, naming the entry, if one is not well-formed."""
    if not path.exists():
        return []
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read: {reason_of(error) if isinstance(error, OSError) else error}"
        ) from None
    if set(data) - {"difference"}:
        raise UsageError(f"{path} has {sorted(set(data) - {'difference'})[0]!r}; expected only [[difference]] entries")
    entries = data.get("difference", [])
    if not isinstance(entries, list):
        raise UsageError(f"{path}: difference is {shortened(repr(entries))}; write [[difference]] before each entry")
    return [_entry(path, number, entry, [*actions, START]) for number, entry in enumerate(entries, start=1)]


def _entry(path: Path, number: int, entry: Any, actions: list[str]) -> Listed:
    where = f"{path}: difference {number}"
    if not isinstance(entry, dict) or set(entry) - KEYS or any(key not in entry for key in REQUIRED):
        raise UsageError(
            f"{where} is {shortened(repr(entry))}; expected {', '.join(REQUIRED)} and perhaps fields, as texts"
        )
    for key in REQUIRED:
        if not isinstance(entry[key], str) or not entry[key].strip():
            raise UsageError(f"{where}: {key} is {shortened(repr(entry[key]))}; expected a text that is not empty")
    fields = entry.get("fields", [])
    if not isinstance(fields, list) or not all(isinstance(each, str) for each in fields):
        raise UsageError(f"{where}: fields is {shortened(repr(fields))}; expected a list of paths")
    if entry["kind"] not in KINDS:
        raise UsageError(f"{where}: kind is {entry['kind']!r}; expected one of {', '.join(KINDS)}")
    if entry["action"] not in actions:
        raise UsageError(f"{where}: action is {entry['action']!r}; expected one of {', '.join(actions)}")
    return Listed(entry["kind"], entry["action"], tuple(fields), entry["reason"], entry["soundness"])
