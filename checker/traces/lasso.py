"""Whether a lasso is a fair behaviour that violates a liveness property, by the plain functions alone."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.model import Action, Liveness
from kafkacheck.checker.model.fairness import Requirement, requirements
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.traces.trace import Step, Trace, liveness_named

MOST_REASONS = 12
"""For at most this many requirements the text says one by one why they are met."""


@dataclass(frozen=True)
class LassoJudgement:
    """The text for a lasso.

    `objection` says why it does not violate its property; "" if it does. `sentence` then names the goal that is never
    reached, and `reasons` why the behaviour is fair: one line for each requirement that is enabled in the cycle, and
    one for all others.
    """

    objection: str = ""
    sentence: str = ""
    reasons: tuple[str, ...] = ()


def judge(trace: Trace) -> LassoJudgement:
    """Judge a lasso each of whose steps applies. EvaluationError if code fails."""
    liveness = liveness_named(trace.model, trace.property or "")
    cycle = _Cycle(trace)
    objection = cycle.gap() or _reached(trace, liveness, cycle.evaluate) or cycle.unfairness()
    if objection:
        return LassoJudgement(objection)
    return LassoJudgement("", _sentence(trace, liveness, cycle.evaluate), (*_shortened(cycle.reasons()), *cycle.idle()))


def lasso_lines(trace: Trace) -> list[str]:
    """The violation of a lasso and why the behaviour is fair; otherwise the objection."""
    judgement = judge(trace)
    if judgement.objection:
        return [f"{trace.property} is not violated: {judgement.objection}"]
    reasons = judgement.reasons
    if not trace.model.fairness:
        reasons = ("the model says of no action that it is fair, so that a behaviour may stop anywhere",)
    return [f"{trace.property} is violated: {judgement.sentence}", *(f"    fair: {each}" for each in reasons)]


class _Cycle:
    """The states of a cycle, and the steps enabled in each."""

    def __init__(self, trace: Trace) -> None:
        assert trace.loop is not None
        self.trace, self.first, self.evaluate = trace, trace.loop, Evaluation(trace.model)
        last = len(trace.steps) - 1
        self.states = range(self.first, max(last, self.first + 1))
        flat = [trace.model.layout.flatten(trace.steps[index].state) for index in self.states]
        enabled = [[each[:2] for each in self.evaluate.successors(values) if each[2] != values] for values in flat]
        self.asks = {
            rule: [index for index, calls in zip(self.states, enabled, strict=True) if _is_among(rule, calls)]
            for rule in requirements(trace.model.fairness)
        }
        self.does = {rule: self._step_of(rule, trace.steps[self.first + 1 :]) for rule in self.asks}

    def _step_of(self, rule: Requirement, steps: Sequence[Step]) -> int | None:
        """The index of the first step of the cycle that meets a requirement."""
        for index, step in enumerate(steps, start=self.first + 1):
            action = self.trace.model.action(step.action or "")
            is_covered = rule.covers(action, [step.parameters[each.name] for each in action.parameters])
            if is_covered and step.state != self.trace.steps[index - 1].state:
                return index
        return None

    def gap(self) -> str:
        """Why the cycle does not close, or ""."""
        steps = self.trace.steps
        if steps[-1].state == steps[self.first].state:
            return ""
        return f"the cycle does not close: state {len(steps)} is not state {self.first + 1}"

    def unfairness(self) -> str:
        """Why going round for ever is not fair, or ""."""
        for rule, asked in self.asks.items():
            if self.does[rule] is None and asked and (rule.is_strong or len(asked) == len(self.states)):
                where = "all along" if len(asked) == len(self.states) else f"in state {asked[0] + 1}"
                return f"it is not fair: {rule} is broken, which is enabled {where} and never done"
        return ""

    def reasons(self) -> Iterator[str]:
        """For each requirement that is enabled in the cycle, how it is met."""
        for rule, asked in self.asks.items():
            done = self.does[rule]
            if done is not None:
                yield f"{rule}: done by step {done + 1}"
            elif asked:
                free = next(index for index in self.states if index not in asked)
                yield f"{rule}: not enabled in state {free + 1}"

    def idle(self) -> list[str]:
        """The requirements that are met because they are never enabled in the cycle: a line, or none."""
        never = [rule for rule, asked in self.asks.items() if not asked and self.does[rule] is None]
        whole = {rule.fairness for rule in self.asks} - {rule.fairness for rule in self.asks if rule not in never}
        told = dict.fromkeys(rule.fairness.action.name if rule.fairness in whole else str(rule) for rule in never)
        return [f"never enabled in the cycle: {', '.join(told)}"] if told else []


def _is_among(rule: Requirement, calls: Iterable[tuple[Action, Values]]) -> bool:
    return any(rule.covers(action, given) for action, given in calls)


def _shortened(reasons: Iterator[str]) -> list[str]:
    """The reasons, and how many more there are if they are too many to be read."""
    found = list(reasons)
    more = len(found) - MOST_REASONS
    return found if more <= 1 else [*found[:MOST_REASONS], f"and {more} more that are met"]


def _values(trace: Trace) -> list[Values]:
    return [trace.model.layout.flatten(step.state) for step in trace.steps]


def _after_last_goal(trace: Trace, liveness: Liveness, evaluate: Evaluation) -> int:
    """The index of the first step after the last state of the goal."""
    held = [index for index, values in enumerate(_values(trace)) if evaluate.holds(liveness.goal, values)]
    return held[-1] + 1 if held else 0


def _trigger(trace: Trace, liveness: Liveness, evaluate: Evaluation) -> int | None:
    """The index of the first state after the goal's last one that asks for the goal."""
    first, values = _after_last_goal(trace, liveness, evaluate), _values(trace)
    if liveness.trigger is None:
        return 0 if first == 0 else None
    found = (index for index in range(first, len(values)) if evaluate.holds(liveness.trigger, values[index]))
    return next(found, None)


def _reached(trace: Trace, liveness: Liveness, evaluate: Evaluation) -> str:
    """Why the lasso comes to the goal, or ""."""
    goal, after = liveness.goal.name, _after_last_goal(trace, liveness, evaluate)
    assert trace.loop is not None
    if after > trace.loop or (liveness.trigger is None and after > 0):
        return f"{goal} holds in state {after}"
    if _trigger(trace, liveness, evaluate) is None:
        assert liveness.trigger is not None
        return f"{liveness.trigger.name} holds in no state after which {goal} never holds"
    return ""


def _sentence(trace: Trace, liveness: Liveness, evaluate: Evaluation) -> str:
    if liveness.trigger is None:
        return f"{liveness.goal.name} never holds"
    trigger = _trigger(trace, liveness, evaluate)
    assert trigger is not None
    return (
        f"{liveness.trigger.name} holds in state {trigger + 1}, and {liveness.goal.name} neither there nor ever after"
    )
