"""Checking liveness properties: after a search that holds, is there a fair behaviour that never comes to a goal?"""

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.exploration import NO_MEMORY, Watch, failure
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.graphs.observed import ObservedGraph, compiled_graph, interpreted_graph
from kafkacheck.checker.liveness.fair_cycles import Lasso, Rules, find_lasso
from kafkacheck.checker.model import Liveness, Model
from kafkacheck.checker.process.errors import EvaluationError, NotExhaustedError, SelfCheckError
from kafkacheck.checker.result import Result, sorted_violations
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.traces.lasso import judge
from kafkacheck.checker.traces.trace import Step, Trace, first_step

MOST_INTERPRETED = 2_000
"""Up to this many steps the plain functions explore a state graph sooner than they are compiled."""

BEFORE = "the invariants hold, but liveness is not judged: "


def judged(result: Result, watch: Watch, may_compile: bool = True) -> Result:
    """The answer of a search that came to its end, once the liveness properties of its model are judged as well.

    The reading that finished the search judges them. If that was the interpreted one and it took more than
    `MOST_INTERPRETED` steps, the compiled one does, if it may. The answer has the first violated one in the list, with
    a lasso that was replayed on the plain functions; if the search went on past violations, it has all of them.
    NOT_EXHAUSTED if a limit ends it, or a constraint cuts states off. A violation that is known already stays the
    verdict.
    """
    try:
        lassos = _lassos(result, watch, may_compile)
        if lassos and result.verdict is Verdict.HOLDS:
            result.verdict, result.property, result.trace = Verdict.VIOLATED, lassos[0].property, lassos[0]
        if result.violations is not None:
            result.violations = sorted_violations(result.model, (*result.violations, *lassos))
    except NotExhaustedError as error:
        _end(result, Verdict.NOT_EXHAUSTED, f"{BEFORE}{error}")
    except MemoryError:
        _end(result, Verdict.NOT_EXHAUSTED, f"{BEFORE}{NO_MEMORY}")
    except (EvaluationError, SelfCheckError) as error:
        _end(result, failure(error).verdict, str(error))
    result.seconds, result.interrupted = watch.seconds, watch.interrupts.pressed
    return result


def _end(result: Result, verdict: Verdict, reason: str) -> None:
    """Note why liveness is not judged."""
    result.reason = reason
    if result.verdict is Verdict.HOLDS or verdict is Verdict.SELF_CHECK_FAILED:
        result.verdict = verdict


def _lassos(result: Result, watch: Watch, may_compile: bool) -> list[Trace]:
    """A lasso for the first violated liveness property; for each if the search went on past violations."""
    model = result.model
    if result.states_excluded:
        assert model.constraint is not None
        raise NotExhaustedError(
            f"the constraint {model.constraint.name} cuts off {result.states_excluded:,} successors, through which a "
            "behaviour may go on; widen it, or check without the liveness properties (--property)"
        )
    is_small = result.engine == "interpreted" and result.states_generated <= MOST_INTERPRETED
    read = interpreted_graph if is_small or not may_compile else compiled_graph
    graph = read(model, model.predicates(), watch)
    found: list[Trace] = []
    rules = Rules(model)
    for each in model.liveness:
        outside = ~graph.truths[each.goal.name]
        starts = graph.parents < 0 if each.trigger is None else graph.truths[each.trigger.name]
        lasso = find_lasso(graph, rules, starts & outside, outside)
        if lasso is not None:
            found.append(_replayed(_trace(model, graph, each, lasso)))
            if result.violations is None:
                break
    return found


def _trace(model: Model, graph: ObservedGraph, liveness: Liveness, lasso: Lasso) -> Trace:
    """The lasso as calls of the plain functions. SelfCheckError if they do not lead there."""
    calls = [(action, given) for action in model.actions for given in action.combinations()]
    evaluate, layout = Evaluation(model), model.layout
    path = [*lasso.stem, *lasso.cycle]
    states: list[Values] = graph.values_of([lasso.start, *(int(graph.targets[step]) for step in path)])
    steps = [first_step(model, layout.restore(states[0]))]
    for step, before, after in zip(path, states, states[1:], strict=False):
        action, given = calls[int(graph.combinations[step])]
        if evaluate.apply(action, given, before) != after:
            raise _disagreement(model, f"{action.name}{given} leads elsewhere from {layout.restore(before)!r}")
        steps.append(Step(action.name, action.named(given), layout.restore(after)))
    return Trace(model, liveness.name, tuple(steps), loop=len(lasso.stem))


def _replayed(trace: Trace) -> Trace:
    """The lasso itself, if the plain functions say as well that it is fair and violates its property."""
    objection = judge(trace).objection
    if objection:
        raise _disagreement(trace.model, objection)
    return trace


def _disagreement(model: Model, told: str) -> SelfCheckError:
    return SelfCheckError(f"{model.name}: {told}: the plain functions do not do what the search did")
