"""Behaviours: the steps from an initial state to a violation or other end; rebuilt from a search, and written as JSON.

The first step of a trace is an initial state and has no action, so the number of steps is the number of states.
"""

import builtins
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kafkacheck.checker.exploration import evaluation
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.model import Liveness, Model, Property
from kafkacheck.checker.model.settings import rules_of
from kafkacheck.checker.process.errors import SelfCheckError, UsageError
from kafkacheck.checker.process.names import unknown
from kafkacheck.checker.schema import Count
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import Values, value_to_json
from kafkacheck.checker.schema.pretty import Change, difference, texts

FORMAT = "kafkacheck trace"
VERSION = 1


@dataclass(frozen=True)
class Step:
    """One action, the values of its parameters by name, and the state after it.

    An initial state has no action; `start` is then the call that made it, if the model has several.
    """

    action: str | None
    parameters: dict[str, int]
    state: Any
    start: str = ""


@dataclass(frozen=True)
class Trace:
    """A behaviour of `model` that ends in a violation of `property`; None: in a deadlock, or when a search stopped.

    A lasso, which violates a liveness property, has a `loop`: the index of the step at whose state the cycle begins.
    The last step leads back to that state, and so on for ever; it is that step itself if nothing happens any more.
    `difference`: lines that say how a system differs from the model at the end, if the behaviour was found for that.
    """

    model: Model
    property: str | None
    steps: tuple[Step, ...]
    is_deadlock: bool = False
    loop: int | None = None
    difference: tuple[str, ...] = ()

    @builtins.property
    def is_stop(self) -> bool:
        """Whether it is a lasso at whose end nothing happens any more."""
        return self.loop == len(self.steps) - 1


def call_text(model: Model, step: Step) -> str:
    """A step as a call with its parameters: "node_send(node_id=1)"; "initial state", and how it was made, if first."""
    if step.action is None:
        return f"initial state: {step.start}" if step.start else "initial state"
    action = model.action(step.action)
    return evaluation.call_text(action, tuple(step.parameters[parameter.name] for parameter in action.parameters))


def property_named(model: Model, name: str) -> Property:
    """The property of that name among those that must always hold; UsageError if there is none."""
    for candidate in model.properties:
        if candidate.name == name:
            return candidate
    raise UsageError(unknown("property", name, (candidate.name for candidate in model.properties), model.name))


def liveness_named(model: Model, name: str) -> Liveness:
    """The liveness property of that name; UsageError if there is none."""
    for candidate in model.liveness:
        if candidate.name == name:
            return candidate
    raise UsageError(unknown("liveness property", name, (candidate.name for candidate in model.liveness), model.name))


def ending_of(trace: Trace) -> str:
    """The ending of the trace as one word: the violated property, "deadlock", "difference", or "" if it is none."""
    if trace.difference:
        return "difference"
    return "deadlock" if trace.is_deadlock else trace.property or ""


def deadlock_text(trace: Trace) -> str:
    """The text for a deadlock in the last state of the trace."""
    return f"no action is enabled in state {len(trace.steps)}"


def loop_text(trace: Trace) -> str:
    """The line before the cycle of a lasso, or after its last step if the cycle is empty."""
    return "and from here on nothing happens any more" if trace.is_stop else "and from here on again and again:"


def to_json(trace: Trace) -> dict[str, Any]:
    """The trace as JSON data: what it belongs to, and `trace`, a list of {action, parameters, state}.

    `states` is the length of that list, by which a reader sees that steps were cut off. `property` is null if the trace
    ends in a deadlock. A lasso has a `loop`, see `Trace`.
    """
    model = trace.model
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
        "rules": rules_of(model),
        "property": trace.property,
        "states": len(steps),
        "trace": steps,
        **({} if trace.loop is None else {"loop": trace.loop}),
    }


def first_step(model: Model, state: Any) -> Step:
    """The step of an initial state; names the call that made it, if the model has several."""
    calls = model.initial_calls()
    if len(calls) > 1:
        for action, arguments, made in calls:
            if made == state:
                return Step(None, {}, state, evaluation.call_text(action, arguments))
    return Step(None, {}, state)


def rebuild(model: Model, chain: Sequence[Values], violated: str | None = None, is_deadlock: bool = False) -> Trace:
    """The trace along a chain of flattened states: for each step the first call, in model order, that leads on.

    SelfCheckError if no call leads from one state to the next.
    """
    layout = model.layout
    steps = [first_step(model, layout.restore(chain[0]))]
    for number, (values, target) in enumerate(itertools.pairwise(chain), start=2):
        for action, arguments, after in Evaluation(model).successors(values):
            if after == target:
                steps.append(Step(action.name, action.named(arguments), layout.restore(after)))
                break
        else:
            changes = "; ".join(map(str, difference(layout, values, target)))
            raise SelfCheckError(
                f"{model.name}: no action leads to state {number} of the behaviour ({changes}): the plain functions do "
                "not do what the search did"
            )
    return Trace(model, violated, tuple(steps), is_deadlock)


def changed_fields(trace: Trace, index: int) -> list[Change]:
    """The fields that step `index` changed; for the first step every field that is not blank, nor 0."""
    layout = trace.model.layout
    before = _nothing(layout) if index == 0 else layout.flatten(trace.steps[index - 1].state)
    return difference(layout, before, layout.flatten(trace.steps[index].state))


def _nothing(layout: Layout) -> Values:
    """The blank state, but with 0 for numbers that begin elsewhere; -1 says that there is none of something."""
    pairs = zip(layout.leaves, layout.blank_values, strict=True)
    return tuple(0 if type(leaf.kind) is Count and value != -1 else value for leaf, value in pairs)


def leaf_texts(model: Model, state: Any) -> dict[str, str]:
    """What a state shows as text, by path, in order of declaration."""
    return texts(model.layout, model.layout.flatten(state))
