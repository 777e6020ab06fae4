"""Traces made by naming calls, for tests that need one behaviour and no search."""

from collections.abc import Iterable

from kafkacheck.checker.model import Model
from kafkacheck.checker.traces.trace import Step, Trace

Calls = Iterable[tuple[str, dict[str, int]]]


def run(model: Model, calls: Calls, violated: str | None = None) -> Trace:
    """The trace of these calls from the model's only initial state; each must be enabled."""
    (state,) = model.initial_states()
    steps = [Step(None, {}, state)]
    for name, parameters in calls:
        action = model.action(name)
        state = state.copy()
        assert action.apply(state, [parameters[each.name] for each in action.parameters]), (name, parameters)
        steps.append(Step(name, parameters, state))
    return Trace(model, violated, tuple(steps))
