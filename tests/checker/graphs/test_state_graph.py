"""The state graph that the compiled reading tells is the one that plain Python finds, state by state, step by step."""

from typing import Any

import pytest

from kafkacheck.checker.compiled import kernel
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.graphs.state_graph import NO_STATE, Combinations, StateGraph
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import EvaluationError, NotExhaustedError, UsageError
from tests.expected import model_of
from tests.support.readings import compiled
from tests.toys import behaviours, die_hard, every_kind, peterson, two_phase_commit

MODELS = [
    behaviours.GRID,
    behaviours.STEP_VIOLATED,
    behaviours.TWO_IN_ONE_LEVEL,
    behaviours.INITIAL_VIOLATED,
    behaviours.CONSTRAINED,
    behaviours.VIOLATED_OUTSIDE,
    behaviours.STEP_OUTSIDE,
    behaviours.STARTS_OUTSIDE,
    behaviours.STARTS,
    behaviours.STUCK,
    behaviours.ALONE,
    behaviours.PHILOSOPHERS,
    die_hard.MODEL,
    every_kind.SMALLER,
    peterson.MODEL,
    two_phase_commit.MODEL,
]


def told(graph: StateGraph) -> tuple[list[tuple[int, ...]], list[tuple[Any, ...]]]:
    """All states by number, and all steps as (level, source, action, parameters, target, violated properties)."""
    model, steps = graph.model, []
    combinations, actions = Combinations(model), [action.name for action in model.actions]
    for block in graph.steps():
        for source, number, target, wrong in zip(*(array.tolist() for array in block[1:]), strict=True):
            violates = [each.name for place, each in enumerate(model.properties) if wrong >> place & 1]
            action = actions[combinations.actions[number]]
            steps.append((block.level, source, action, combinations.parameters[number], target, violates))
    states: list[tuple[int, ...]] = []
    for first, last in graph.levels:
        for part in graph.states(first, last):
            states += [tuple(values) for values in model.layout.unpack(part.words).tolist()]
    return states, steps


def expected_steps(model: Model, states: list[tuple[int, ...]], levels: list[tuple[int, int]]) -> list[tuple[Any, ...]]:
    """The same by the interpreted reading, in the same order."""
    evaluate, numbers = Evaluation(model), {values: number for number, values in enumerate(states)}
    steps = []
    for level, (first, last) in enumerate(levels, start=1):
        for number in range(first, last):
            for action, given, after in evaluate.successors(states[number]):
                inside = evaluate.is_inside(after)
                violates = [
                    each.name
                    for each in model.properties
                    if (each.is_step and not evaluate.holds(each, states[number], after))
                    or (not each.is_step and not inside and not evaluate.holds(each, after))
                ]
                target = numbers[after] if inside else NO_STATE
                steps.append((level, number, action.name, given, target, violates))
    return steps


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_step_and_state_is_that_of_plain_python(model):
    graph = StateGraph(model)
    states, steps = told(graph)
    assert len(set(states)) == len(states) == graph.counts.distinct
    assert steps == expected_steps(model, states, graph.levels)


@pytest.mark.parametrize("model", [every_kind.MODEL, peterson.MODEL], ids=lambda model: model.name)
def test_actions_that_are_tried_in_loops_are_told_alike(model, monkeypatch):
    whole = told(StateGraph(model))
    monkeypatch.setattr(kernel, "MOST_COPIES", 0)
    assert told(StateGraph(model)) == whole


def test_it_goes_on_past_violations_and_says_what_a_check_says():
    model = model_of("kip101").with_bounds({"replicas": 2})
    graph = StateGraph(model)
    _, steps = told(graph)
    checked = compiled(model)
    assert graph.counts.distinct > checked.distinct
    assert (graph.outcome.verdict, graph.outcome.property) == (checked.verdict, checked.property)
    assert len(graph.outcome.chain) == checked.length
    safe = compiled(model.with_properties([]))
    assert (graph.counts.distinct, graph.counts.generated, graph.counts.depth) == (
        safe.distinct,
        safe.generated,
        safe.depth,
    )
    assert tuple(graph.counts.fired) == safe.fired
    assert len(steps) == safe.generated - len(model.initial_states())


@pytest.mark.parametrize(
    "model", [behaviours.TWO_IN_ONE_LEVEL, behaviours.GRID, every_kind.MODEL], ids=lambda m: m.name
)
def test_verdicts_parents_and_fingerprints(model):
    graph = StateGraph(model)
    states, steps = told(graph)
    evaluate, judged = Evaluation(model), [*model.properties, *model.sometimes]
    edges = {(step[1], step[4]) for step in steps}
    seen = set()
    for level, (first, last) in enumerate(graph.levels):
        (part,) = graph.states(first, last)
        for place, values in enumerate(states[first:last]):
            bits = int(part.verdicts[place])
            for number, each in enumerate(judged):
                if not each.is_step:
                    assert (bits >> number & 1) == (evaluate.holds(each, values) == (number >= len(model.properties)))
            parent = int(part.parents[place])
            assert parent == -1 if level == 0 else (parent, first + place) in edges
            assert level == 0 or graph.levels[level - 1][0] <= parent < first
        seen |= set(part.fingerprints.tolist())
    assert len(seen) == len(states)


def rest(pair: behaviours.Pair) -> int:
    return 10 - pair.left - pair.right


def signed(pair: behaviours.Pair) -> int:
    return pair.left - pair.right


def failing(pair: behaviours.Pair) -> int:
    return 6 // (3 - pair.left)


def test_measures_are_told_of_every_state():
    graph = StateGraph(behaviours.pair_model("measured", measures=[rest, signed]))
    states, _ = told(graph)
    for first, last in graph.levels:
        (part,) = graph.states(first, last)
        expected = [[10 - left - right, left - right] for left, right in states[first:last]]
        assert part.measures.tolist() == expected


def test_a_measure_that_fails_is_named():
    graph = StateGraph(behaviours.pair_model("measured", measures=[failing]))
    with pytest.raises(EvaluationError, match=r"test_state_graph.py.*failing"):
        told(graph)


def test_code_that_fails_ends_it():
    from tests.toys import broken

    for model in broken.MODELS:
        with pytest.raises(EvaluationError):
            told(StateGraph(model))


def test_a_limit_ends_it_without_an_answer():
    with pytest.raises(NotExhaustedError, match="it was stopped at 10 distinct states"):
        told(StateGraph(behaviours.GRID, Limits(max_states=10)))


def test_more_properties_than_can_be_told(monkeypatch):
    monkeypatch.setattr("kafkacheck.checker.graphs.state_graph.MOST_JUDGEMENTS", 1)
    with pytest.raises(UsageError, match="two_in_one_level has 2 properties; of a state graph at most 1"):
        StateGraph(behaviours.TWO_IN_ONE_LEVEL)


def test_an_ordinary_kernel_has_nothing_of_it():
    """So that a plain search stays as quick as it was."""
    model = behaviours.pair_model("measured", measures=[rest], always=[behaviours.sum_grows])
    plain = behaviours.pair_model("measured", always=[behaviours.sum_grows])
    assert kernel.kernel_text(model) == kernel.kernel_text(plain)
    assert "rest" in kernel.kernel_text(model, with_steps=True) and "rest" not in kernel.kernel_text(model)
