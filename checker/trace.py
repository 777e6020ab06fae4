"""Behaviours: the steps from an initial state to what was found; saved as JSON, loaded, replayed, and rebuilt.

The first step of a trace is an initial state and has no action, so the number of steps is the number of states.
"""

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker import evaluation
from checker.errors import EvaluationError, UsageError
from checker.evaluation import Evaluation
from checker.model import Action, Model, Property, unknown
from checker.objects import Values, value_from_json, value_to_json
from checker.pretty import Change, difference, value_text

FORMAT = "kafkacheck trace"
VERSION = 1
KEYS = {"action", "parameters", "state"}


@dataclass(frozen=True)
class Step:
    """One action, the values of its parameters by name, and the state after it; the initial state has no action."""

    action: str | None
    parameters: dict[str, int]
    state: Any


@dataclass(frozen=True)
class Trace:
    """A behaviour of `model` that ends where `property` is violated; None: in a deadlock, or where a search stopped."""

    model: Model
    property: str | None
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class ReplayOutcome:
    """What today's code makes of a saved trace.

    `trace` has the steps that apply, with today's states. `failed_step` is the index of the first step that does not
    apply (None: all do), `reason` says why, and `differences` are the fields where today's state (after) is not the
    saved one (before). `violated_step` is the index of the first step at which the property is violated.
    `is_deadlock`: all steps apply, and no action is enabled in the last state.
    """

    trace: Trace
    failed_step: int | None = None
    reason: str = ""
    differences: tuple[Change, ...] = ()
    violated_step: int | None = None
    is_deadlock: bool = False

    @property
    def applies(self) -> bool:
        """Whether every step still applies and leads to the saved state."""
        return self.failed_step is None


def call_text(model: Model, step: Step) -> str:
    """A step as a call with its parameters: "node_send(node_id=1)"; "initial state" for the first one."""
    if step.action is None:
        return "initial state"
    action = model.action(step.action)
    return evaluation.call_text(action, tuple(step.parameters[parameter.name] for parameter in action.parameters))


def property_named(model: Model, name: str) -> Property:
    """The property of that name among those that must always hold; UsageError where there is none."""
    for candidate in model.properties:
        if candidate.name == name:
            return candidate
    raise UsageError(unknown("property", name, (candidate.name for candidate in model.properties), model.name))


def to_json(trace: Trace) -> dict[str, Any]:
    """The trace as JSON data: what it belongs to, and `trace`, a list of {action, parameters, state}."""
    model = trace.model
    rules = None if model.rules is None else {name: _rule(value) for name, value in model.rules._asdict().items()}
    steps = []
    for step in trace.steps:
        kinds = {p.name: p.kind for p in model.action(step.action).parameters} if step.action else {}
        parameters = {name: value_to_json(kinds[name], value) for name, value in step.parameters.items()}
        steps.append({"action": step.action, "parameters": parameters, "state": model.layout.to_json(step.state)})
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": model.name,
        "bounds": dict(model.bounds),
        "rules": rules,
        "property": trace.property,
        "trace": steps,
    }


def _rule(value: Any) -> Any:
    return getattr(value, "name", value)


def load(model: Model, path: Path) -> Trace:
    """The trace saved at `path`, if it is one of `model` at its bounds; otherwise UsageError says what does not fit.

    The rules may differ from the saved ones: whether the trace survives a change of them is what a replay tells.
    """
    data = _read(path)
    if data["model"] != model.name:
        raise UsageError(f"{path} is a trace of the model {data['model']!r}, not of {model.name!r}; name that model")
    _check_bounds(path, model, data["bounds"])
    if data["property"] is not None:
        with _located(path):
            property_named(model, data["property"])
    steps = data["trace"]
    if not isinstance(steps, list) or not steps:
        raise UsageError(f"{path}: its trace is {_short(steps)}; expected a list of at least one step; save it again")
    loaded = tuple(_step(path, model, number, step) for number, step in enumerate(steps, start=1))
    return Trace(model, data["property"], loaded)


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot read {path}: {reason}; name a trace that `check --out` wrote") from error
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not text; expected a trace in JSON, as `check --out` writes it") from None
    if not text.strip():
        raise UsageError(f"{path} is empty; expected a trace in JSON, as `check --out` writes it")
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
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
    missing = [key for key in ("model", "bounds", "property", "trace") if key not in data]
    if missing:
        raise UsageError(f"{path} lacks {', '.join(missing)}; save the trace again")
    return data


def _check_bounds(path: Path, model: Model, saved: Any) -> None:
    if not isinstance(saved, dict):
        raise UsageError(f"{path}: its bounds are {_short(saved)}; expected an object; save the trace again")
    if saved == dict(model.bounds):
        return
    names = list(dict.fromkeys((*saved, *model.bounds)))
    differing = [name for name in names if saved.get(name) != model.bounds.get(name)]
    here = model.bounds
    told = ", ".join(f"{n} is {saved.get(n, 'missing')} there and {here.get(n, 'missing')} here" for n in differing)
    if all(name in model.bounds and name in saved for name in differing):
        mend = "give the same bounds: " + " ".join(f"--set {name}={saved[name]}" for name in differing)
    else:
        mend = "the model has other bounds than when the trace was saved; save it again"
    raise UsageError(f"{path} was saved at other bounds ({told}); {mend}")


def _step(path: Path, model: Model, number: int, data: Any) -> Step:
    place = f"{path}: step {number}"
    if not isinstance(data, dict) or set(data) != KEYS:
        raise UsageError(f"{place} is {_short(data)}; expected {{action, parameters, state}}; save it again")
    name, given = data["action"], data["parameters"]
    if not isinstance(given, dict):
        raise UsageError(f"{place}: its parameters are {_short(given)}; expected an object; save it again")
    if (name is None) != (number == 1) or not isinstance(name, str | None):
        wanted = "no action (null): it is the initial state" if number == 1 else "the name of an action"
        raise UsageError(f"{place} has the action {_short(name)}; expected {wanted}; save it again")
    with _located(place):
        parameters = {} if name is None else _arguments(model.action(name), given)
        return Step(name, parameters, model.layout.from_json(data["state"]))


def _arguments(action: Action, given: dict[str, Any]) -> dict[str, int]:
    expected = [parameter.name for parameter in action.parameters]
    if set(given) != set(expected):
        raise UsageError(
            f"{action.name} has the parameters ({', '.join(given)}); expected ({', '.join(expected)}); was the action "
            "changed since the trace was saved?"
        )
    values = {}
    for parameter in action.parameters:
        data = given[parameter.name]
        values[parameter.name] = value_from_json(parameter.kind, data, parameter.name)
        if values[parameter.name] not in parameter.values:
            raise UsageError(f"{parameter.name} is {_short(data)}, which it cannot be at these bounds; save it again")
    return values


@contextmanager
def _located(place: str | Path) -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def replay(model: Model, trace: Trace) -> ReplayOutcome:
    """Run the calls of a trace on today's code, from its first state, until one no longer applies.

    A step applies when its action is enabled and leads to the saved state. EvaluationError where code fails.
    """
    checked = property_named(model, trace.property) if trace.property is not None else None
    evaluate, layout, first = Evaluation(model), model.layout, trace.steps[0]
    initial = model.initial_states()
    if all(state != first.state for state in initial):
        changes = tuple(difference(layout, first.state, initial[0]))
        return ReplayOutcome(Trace(model, trace.property, ()), 0, "it is not an initial state of the model", changes)
    done, violated, before = [first], None, layout.flatten(first.state)
    if checked is not None and not checked.is_step and not evaluate.holds(checked, before):
        violated = 0
    for index, step in enumerate(trace.steps[1:], start=1):
        action = model.action(step.action or "")
        arguments = tuple(step.parameters[parameter.name] for parameter in action.parameters)
        after = evaluate.apply(action, arguments, before)
        reason, changes = "its action is not enabled", ()
        if after is not None:
            reason, changes = "it leads to another state", tuple(difference(layout, step.state, layout.restore(after)))
        if after is None or changes:
            return ReplayOutcome(Trace(model, trace.property, tuple(done)), index, reason, changes, violated)
        done.append(Step(step.action, step.parameters, layout.restore(after)))
        if checked is not None and violated is None:
            states = (before, after) if checked.is_step else (after,)
            violated = None if evaluate.holds(checked, *states) else index
        before = after
    is_deadlock = not any(True for _ in evaluate.successors(before))
    return ReplayOutcome(Trace(model, trace.property, tuple(done)), violated_step=violated, is_deadlock=is_deadlock)


def rebuild(model: Model, chain: Sequence[Values], violated: str | None = None) -> Trace:
    """The trace along a chain of flattened states: for each step the first call, in model order, that leads on.

    EvaluationError where no call leads from one state to the next.
    """
    layout = model.layout
    steps = [Step(None, {}, layout.restore(chain[0]))]
    for number, (values, target) in enumerate(itertools.pairwise(chain), start=2):
        for action, arguments, after in Evaluation(model).successors(values):
            if after == target:
                steps.append(Step(action.name, action.named(arguments), layout.restore(after)))
                break
        else:
            changes = "; ".join(map(str, difference(layout, layout.restore(values), layout.restore(target))))
            raise EvaluationError(
                f"{model.name}: no action leads to state {number} of the behaviour ({changes}): the plain functions do "
                "not do what the search did; this is an error in kafkacheck, please report it with the model"
            )
    return Trace(model, violated, tuple(steps))


def changed_fields(trace: Trace, index: int) -> list[Change]:
    """What step `index` changed, field by field; for the first step every field that is not blank."""
    layout = trace.model.layout
    state = trace.steps[index].state
    return difference(layout, layout.blank() if index == 0 else trace.steps[index - 1].state, state)


def leaf_texts(model: Model, state: Any) -> dict[str, str]:
    """Every scalar of a state as text, by path, in order of declaration."""
    layout = model.layout
    pairs = zip(layout.leaves, layout.flatten(state), strict=True)
    return {leaf.path: value_text(leaf, value) for leaf, value in pairs}
