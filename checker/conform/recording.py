"""A recorded log: observations of a running system in JSON lines, each a part of one state or step.

`README.md` of this folder describes the lines.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kafkacheck.checker.conform.adapter import Field, fields_of
from kafkacheck.checker.model import Action, Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import reason_of
from kafkacheck.checker.process.names import did_you_mean, shortened
from kafkacheck.checker.schema.objects import value_from_json

KEYS = ("process", "action", "parameters", "fields")
LOGGED = "logged"
MOST_LETTERS = 200


@dataclass(frozen=True)
class Line:
    """One observation: its number in the file, its text, and what was seen.

    `action`: the number of the action that was taken, or None if only values were seen. `parameters`: some of its
    parameters. `fields`: the values of some fields, after the step if there is one.
    """

    number: int
    text: str
    action: int | None
    parameters: Mapping[str, int]
    fields: Mapping[Field, int]


@dataclass
class Recording:
    """The lines by process, each list in the order in which that process saw them.

    `logged`: the actions that always leave a line, so that none of them is taken unseen.
    """

    lines: dict[str, list[Line]] = field(default_factory=dict)
    logged: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return sum(map(len, self.lines.values()))


def read(path: Path, model: Model) -> Recording:
    """The log in a file. UsageError naming the line that is wrong, or if the file cannot be read or has no line."""
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {reason_of(error)}; name a file of JSON lines") from None
    recording = Recording()
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        place = f"{path}, line {number}"
        told = _object(text, place)
        if told.keys() == {LOGGED} and not len(recording):
            recording.logged = frozenset(_action(model, each, place) for each in _logged(told[LOGGED], place))
            continue
        line = _line(model, number, shortened(text.strip(), MOST_LETTERS), told, place)
        process = told.get("process", "")
        if not isinstance(process, str):
            raise UsageError(f"{place}: process is {process!r}; expected a name")
        recording.lines.setdefault(process, []).append(line)
    if not len(recording):
        raise UsageError(f"{path} has no observation; expected a JSON object in each line")
    return recording


def _object(text: str, place: str) -> dict[str, Any]:
    try:
        told = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        raise UsageError(f"{place}: {what} at letter {error.pos + 1}; expected a JSON object") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place}: it cannot be read: {error}; expected a JSON object") from None
    if not isinstance(told, dict):
        raise UsageError(f"{place}: it is {shortened(text)}; expected a JSON object")
    return told


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. ValueError if a name stands twice in it, because then one value would count for nothing."""
    told = dict(pairs)
    if len(told) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(shortened(name) for name in names if names.count(name) > 1)!r} stands twice")
    return told


def _logged(told: Any, place: str) -> list[Any]:
    if not isinstance(told, list):
        raise UsageError(f"{place}: {LOGGED} is {told!r}; expected a list of actions")
    return told


def _line(model: Model, number: int, text: str, told: dict[str, Any], place: str) -> Line:
    for key in told:
        if key not in KEYS:
            hint = did_you_mean(key, KEYS) or f"; a line has some of {', '.join(KEYS)}"
            raise UsageError(f"{place}: it has {shortened(key)!r}{hint}")
    if "action" not in told and not told.get("fields"):
        raise UsageError(f"{place}: it tells nothing; name an action, or values of fields")
    action = _action(model, told["action"], place) if "action" in told else None
    parameters = _parameters(None if action is None else model.actions[action], told.get("parameters", {}), place)
    seen = told.get("fields", {})
    if not isinstance(seen, dict):
        raise UsageError(f"{place}: fields is {shortened(str(seen))}; expected an object with a value for each path")
    fields = {}
    for path, value in seen.items():
        found = fields_of(model, place, "fields", [path])
        if len(found) != 1:
            raise UsageError(f"{place}: {shortened(path)} has {len(found)} values; name one, such as {found[0].path}")
        fields[found[0]] = value_from_json(found[0].kind, value, f"{place}, {path}")
    return Line(number, text, action, parameters, fields)


def _action(model: Model, name: Any, place: str) -> int:
    names = [each.name for each in model.actions]
    if name not in names:
        hint = did_you_mean(str(name), names) or f"; its actions are {', '.join(names)}"
        raise UsageError(f"{place}: the model has no action {shortened(str(name))!r}{hint}")
    return names.index(name)


def _parameters(action: Action | None, told: Any, place: str) -> dict[str, int]:
    if not isinstance(told, dict) or (action is None and told):
        raise UsageError(f"{place}: parameters is {shortened(str(told))}; expected an object, beside an action")
    kinds = {} if action is None else {each.name: each.kind for each in action.parameters}
    for name in told:
        if name not in kinds:
            hint = did_you_mean(name, kinds) or f"; it has {', '.join(kinds) or 'none'}"
            raise UsageError(f"{place}: the action has no parameter {shortened(name)!r}{hint}")
    return {name: value_from_json(kinds[name], value, f"{place}, {name}") for name, value in told.items()}
