"""Running a saved trace on today's code: how far it applies, and whether it still ends in the saved violation."""

from dataclasses import dataclass
from typing import Any

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.model import Action, Model, Property
from kafkacheck.checker.model.charges import BUDGET
from kafkacheck.checker.process.errors import EvaluationError
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.pretty import Change, difference
from kafkacheck.checker.traces.lasso import judge
from kafkacheck.checker.traces.saved import UnknownCall
from kafkacheck.checker.traces.trace import Step, Trace, call_text, first_step, property_named
from kafkacheck.checker.traces.witness import find_witness


@dataclass(frozen=True)
class ReplayOutcome:
    """The outcome of a saved trace on today's code.

    `trace` has the steps that apply, with today's states. `failed_step` is the index of the first step that does not
    apply (None: all do), `failed_call` its call as text, `reason` why, and `differences` are the fields where today's
    state (after) is not the saved one (before). `violated_step` is the index of the first step at which the property
    is violated, for a lasso that of the last step; if a lasso whose steps apply is no longer fair, closed or away from
    its goal, `reason` says so. `is_deadlock`: all steps apply, and no action is enabled in the last state.
    """

    trace: Trace
    failed_step: int | None = None
    failed_call: str = ""
    reason: str = ""
    differences: tuple[Change, ...] = ()
    violated_step: int | None = None
    is_deadlock: bool = False

    @property
    def applies(self) -> bool:
        """Whether every step still applies and leads to the saved state."""
        return self.failed_step is None


@dataclass(frozen=True)
class _Enabled(Property):
    """That an action is enabled, as a property, so that its witness is the guard that is not met."""

    action: Action
    arguments: Values

    def holds(self, *states: Any) -> bool:
        """Run the action on a copy of the state."""
        return self.action.apply(states[0].copy(), self.arguments)


def replay(model: Model, trace: Trace, unknown: UnknownCall | None = None) -> ReplayOutcome:
    """Run the calls of a trace on today's code, from its first state, until one no longer applies.

    A step applies when its action is enabled and leads to the saved state. `unknown` is the call after the last step
    that the model does not have. EvaluationError, with the step's number, if code fails.
    """
    checked = property_named(model, trace.property) if trace.property is not None and trace.loop is None else None
    evaluate, layout, first = Evaluation(model), model.layout, trace.steps[0]
    done, violated = [first_step(model, first.state)], None

    def outcome(reason: str = "", call: str = "", changes: tuple[Change, ...] = ()) -> ReplayOutcome:
        applied = Trace(model, trace.property, tuple(done), trace.is_deadlock)
        failed = len(done) if reason else None
        return ReplayOutcome(applied, failed, call, reason, changes, violated)

    initial = model.initial_states()
    if all(state != first.state for state in initial):
        done.clear()
        changes = tuple(difference(layout, layout.flatten(first.state), layout.flatten(initial[0])))
        return outcome("it is not an initial state of the model", "initial state", changes)
    before = layout.flatten(first.state)
    if checked is not None and not checked.is_step and not evaluate.holds(checked, before):
        violated = 0
    for index, step in enumerate(trace.steps[1:], start=1):
        action, call = model.action(step.action or ""), call_text(model, step)
        arguments = tuple(step.parameters[parameter.name] for parameter in action.parameters)
        try:
            after = evaluate.apply(action, arguments, before)
            if after is None:
                return outcome(_why_disabled(action, arguments, layout.restore(before)), call)
            changes = tuple(difference(layout, layout.flatten(step.state), after))
            if changes:
                return outcome("it leads to another state", call, changes)
            done.append(Step(step.action, step.parameters, layout.restore(after)))
            if checked is not None and violated is None:
                states = (before, after) if checked.is_step else (after,)
                violated = None if evaluate.holds(checked, *states) else index
        except EvaluationError as error:
            raise EvaluationError(f"step {index + 1} of the trace, {call}: {error}") from None
        before = after
    if unknown is not None:
        return outcome(unknown.reason, unknown.text)
    if trace.loop is not None:
        applied = Trace(model, trace.property, tuple(done), loop=trace.loop)
        objection = judge(applied).objection
        return ReplayOutcome(applied, reason=objection, violated_step=None if objection else len(done) - 1)
    is_deadlock = not any(True for _ in evaluate.successors(before))
    return ReplayOutcome(
        Trace(model, trace.property, tuple(done), trace.is_deadlock), violated_step=violated, is_deadlock=is_deadlock
    )


def _why_disabled(action: Action, arguments: Values, state: Any) -> str:
    if action.is_used_up(state):
        return f"it is not enabled: {action.name} is charged to {BUDGET}.{action.allowance}, which is 0"
    enabled = _Enabled(action.name, action.function, action.given, False, action.read, action, arguments)
    witness = find_witness(enabled, state)
    if witness is None or not witness.condition:
        return "it is not enabled: it returned False"
    return f"it is not enabled: it returned False at {witness.place}, where {witness.decision}"
