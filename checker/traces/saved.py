"""Traces in files: read, and fitted to today's model. Every fault of a file is one error that names it."""

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kafkacheck.checker.model import Action, Model
from kafkacheck.checker.model.settings import rule_named, rules_of, with_settings
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.process.files import reason_of
from kafkacheck.checker.process.names import did_you_mean, printable, short_names, shortened
from kafkacheck.checker.schema.objects import value_from_json
from kafkacheck.checker.traces.trace import FORMAT, VERSION, Step, Trace, first_step, liveness_named, property_named

KEYS = {"action", "parameters", "state"}


class RefusedCall(NamedTuple):
    """A call that is not enabled after a step, which has a number from 1 on for the initial state."""

    after: int
    action: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Saved:
    """A trace as it stands in the file at `path`: the model's name, bounds and rules by name, the violated property.

    `property` is None if the trace ends in a deadlock, or in the `difference` of a system that `conform` found. `steps`
    are as in the file; `load` reads them.
    """

    path: Path
    model: str
    bounds: dict[str, int]
    rules: dict[str, int | str]
    property: str | None
    steps: list[Any]
    loop: int | None = None
    difference: dict[str, Any] | None = None

    def refused_calls(self, model: Model) -> list[RefusedCall]:
        """The calls that are not enabled and that a system was asked for, in order.

        UsageError if the model has no such calls.
        """
        difference = self.difference or {}
        calls = difference.get("refused") or []
        with _located(self.path):
            if not isinstance(calls, list):
                raise UsageError(f"`refused` is {_short(calls)}; expected a list of calls; save the trace again")
            found = [self._refused(model, call) for call in calls]
            if difference.get("kind") == "accepted" and (not found or found[-1].after != len(self.steps)):
                raise UsageError("the system accepted a call, but `refused` names none; save the trace again")
            return found

    def _refused(self, model: Model, call: Any) -> RefusedCall:
        if not isinstance(call, dict) or not isinstance(call.get("parameters"), dict):
            raise UsageError(f"the refused call is {_short(call)}; expected an action and its parameters")
        after = call.get("after")
        if type(after) is not int or not 1 <= after <= len(self.steps):
            raise UsageError(
                f"the refused call has after = {_short(after)}; expected a step from 1 to {len(self.steps)}; save the "
                "trace again"
            )
        action = model.action(str(call.get("action")))
        given = call["parameters"]
        if set(given) != {each.name for each in action.parameters}:
            raise UsageError(f"the refused call of {action.name} has the parameters {', '.join(given) or 'none'}")
        values = (value_from_json(each.kind, given[each.name], each.name) for each in action.parameters)
        return RefusedCall(after, action.name, tuple(values))

    def settings(self) -> str:
        """Bounds, then rules, as they are given to `--set`; empty if there are none."""
        return " ".join(f"{name}={value}" for name, value in {**self.bounds, **self.rules}.items())


@dataclass(frozen=True)
class UnknownCall:
    """A call that today's model does not have: the call as text, and why."""

    text: str
    reason: str


def read(path: Path) -> Saved:
    """The trace saved at `path`. UsageError if the file is none that `check --out` wrote."""
    return parsed(path, _document(path))


def parsed(path: Path, data: dict[str, Any]) -> Saved:
    """The trace that is the JSON document `data` of the file at `path`. UsageError as for `read`."""
    kinds: dict[str, tuple[tuple[type, ...], str]] = {
        "model": ((str,), "the name of a model"),
        "bounds": ((dict,), "an object of numbers by name"),
        "rules": ((dict, type(None)), "an object of values by name, or null"),
        "property": ((str, type(None)), "the name of a property, or null if the trace ends in a deadlock"),
        "trace": ((list,), "a list of at least one step"),
    }
    missing = [key for key in kinds if key not in data]
    if missing:
        raise UsageError(f"{path} lacks {', '.join(missing)}; save the trace again")
    for key, (types, expected) in kinds.items():
        if not isinstance(data[key], types) or data[key] == []:
            raise UsageError(f"{path} has {key} = {_short(data[key])}; expected {expected}; save it again")
    states = data.get("states", len(data["trace"]))  # traces saved by earlier versions do not say it
    if states != len(data["trace"]):
        raise UsageError(
            f"{path} was saved with {_short(states)} states and has {len(data['trace'])}: steps were cut off or added; "
            "save the trace again"
        )
    rules = data["rules"] or {}
    for key, values, allowed in (("bounds", data["bounds"], int), ("rules", rules, int | str)):
        for name, value in values.items():
            if not isinstance(value, allowed) or (key == "bounds" and isinstance(value, bool)):
                raise UsageError(f"{path} has {key} with {name} = {_short(value)}, which is none; save it again")
    loop = data.get("loop")
    if loop is not None and (type(loop) is not int or not 0 <= loop < len(data["trace"]) or data["property"] is None):
        raise UsageError(
            f"{path} has loop = {_short(loop)}; expected the index of a step of the trace, which violates a property; "
            "save it again"
        )
    difference = data.get("difference")
    if difference is not None and not isinstance(difference, dict):
        raise UsageError(f"{path} has difference = {_short(difference)}; expected an object; save it again")
    return Saved(path, data["model"], data["bounds"], rules, data["property"], data["trace"], loop, difference)


def as_saved(model: Model, saved: Saved, changes: Sequence[str]) -> Model:
    """The model with the bounds and rules of a saved trace, and then the `--set` texts `changes` applied.

    UsageError if the trace is of another model, or if the model can no longer have a saved bound or rule that
    `changes` do not set.
    """
    path, its_model = saved.path, shortened(saved.model)
    if saved.model != model.name and saved.model not in itertools.chain(*short_names(model.name)):
        raise UsageError(f"{path} is a trace of the model {its_model!r}, not of {model.name!r}; name that model")
    with_settings(model, changes)  # for its errors, which are about the command line alone
    named = [text.partition("=")[0].strip() for text in changes]
    given = {name if name in model.bounds else rule_named(name, rules_of(model), name) for name in named}
    bounds = {name: value for name, value in saved.bounds.items() if name not in given}
    rules = {name: value for name, value in saved.rules.items() if name not in given}
    for what, there, here in (("bound", saved.bounds, model.bounds), ("rule", saved.rules, rules_of(model))):
        gone, new = [name for name in there if name not in here], [name for name in here if name not in there]
        if gone:
            known = f"its {what}s are {', '.join(here) or 'none'}{did_you_mean(gone[0], here)}"
            raise UsageError(
                f"{path} was saved with the {what} {gone[0]}={there[gone[0]]}, which {model.name} no longer has: "
                f"{known}; check the model again to save a new trace"
            )
        if [name for name in new if name not in given]:
            raise UsageError(
                f"{path} was saved before {model.name} had the {what} {new[0]}; choose its value with "
                f"--set {new[0]}={here[new[0]]}"
            )
    try:
        return with_settings(model.with_bounds(bounds).with_rules(rules), changes)
    except (UsageError, ModelError) as error:
        raise UsageError(
            f"{path} was saved with {saved.settings()}, which {model.name} can no longer have: {error}; "
            "choose other values with --set, or check the model again to save a new trace"
        ) from None


def load(model: Model, saved: Saved | Path) -> tuple[Trace, UnknownCall | None]:
    """The steps of a saved trace up to the first call that `model` does not have, and that call (None: it has all).

    The model must have the bounds and rules that the trace is to be read with, see `as_saved`. UsageError if the
    property does not exist, or a step or state is not one of the model.
    """
    saved = saved if isinstance(saved, Saved) else read(saved)
    if saved.property is not None:
        with _located(saved.path):
            (property_named if saved.loop is None else liveness_named)(model, saved.property)
    steps: list[Step] = []
    unknown = None
    for number, data in enumerate(saved.steps, start=1):
        step = _step(saved, model, number, data)
        if isinstance(step, UnknownCall):
            unknown = step
            break
        steps.append(step)
    is_deadlock = saved.property is None and saved.difference is None
    lines = () if saved.difference is None else ("a system differed from the model here",)
    return Trace(model, saved.property, tuple(steps), is_deadlock, saved.loop, lines), unknown


def _document(path: Path) -> dict[str, Any]:
    try:
        if path.is_char_device() or path.is_block_device():
            raise UsageError(f"{path} is a device; name a trace that `check --out` wrote")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not text; expected a trace in JSON, as `check --out` writes it") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {reason_of(error)}; name a trace that `check --out` wrote") from error
    if not text.strip():
        raise UsageError(f"{path} is empty; expected a trace in JSON, as `check --out` writes it")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        body = text.strip()
        if body.startswith("{") and (not body.endswith("}") or getattr(error, "pos", 0) >= len(text.rstrip())):
            raise UsageError(f"{path} is cut short: its JSON ends in the middle; save the trace again") from None
        raise UsageError(f"{path} is not JSON ({error}); expected a trace as `check --out` writes it") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UsageError(f"{path} is JSON but not a trace; expected the .json file that `check --out` writes")
    if data.get("version") != VERSION:
        raise UsageError(
            f"{path} has version {_short(data.get('version'))} of the trace format; this program reads version "
            f"{VERSION}; save the trace again with this program"
        )
    return data


def _step(saved: Saved, model: Model, number: int, data: Any) -> Step | UnknownCall:
    place = f"{saved.path}: step {number}"
    if not isinstance(data, dict) or set(data) != KEYS:
        raise UsageError(f"{place} is {_short(data)}; expected {{action, parameters, state}}; save it again")
    name, given = data["action"], data["parameters"]
    if not isinstance(given, dict):
        raise UsageError(f"{place}: its parameters are {_short(given)}; expected an object; save it again")
    if (name is None) != (number == 1) or not isinstance(name, str | None):
        wanted = "no action (null): it is the initial state" if number == 1 else "the name of an action"
        raise UsageError(f"{place} has the action {_short(name)}; expected {wanted}; save it again")
    parameters: dict[str, int] = {}
    if name is not None:
        try:
            parameters = _arguments(model.action(name), given)
        except UsageError as error:
            shown = (f"{key}={value if isinstance(value, str) else _short(value)}" for key, value in given.items())
            return UnknownCall(printable(shortened(f"{name}({', '.join(shown)})", 120)), printable(str(error)))
    with _located(place), _at_other_bounds(saved, model):
        state = model.layout.from_json(data["state"])
    return first_step(model, state) if name is None else Step(name, parameters, state)


def _arguments(action: Action, given: dict[str, Any]) -> dict[str, int]:
    expected = [parameter.name for parameter in action.parameters]
    if set(given) != set(expected):
        raise UsageError(f"{action.name} has the parameters ({', '.join(expected)}), not ({', '.join(given)})")
    values = {}
    for parameter in action.parameters:
        data = given[parameter.name]
        values[parameter.name] = value_from_json(parameter.kind, data, parameter.name)
        if values[parameter.name] not in parameter.values:
            raise UsageError(f"{parameter.name} is {_short(data)}, which it cannot be at these bounds")
    return values


@contextmanager
def _at_other_bounds(saved: Saved, model: Model) -> Iterator[None]:
    """Add to an error that the bounds may be at fault, if they are not those of the saved trace."""
    try:
        yield
    except UsageError as error:
        other = [name for name, value in model.bounds.items() if saved.bounds.get(name) != value]
        if not other:
            raise
        there = ", ".join(f"{name}={saved.bounds.get(name)}" for name in other)
        raise UsageError(f"{error}; the trace was saved with {there}: leave out --set {', '.join(other)}") from None


@contextmanager
def _located(place: str | Path) -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
