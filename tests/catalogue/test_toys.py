"""Well-known small systems and systems that show one behaviour each: all readings give the pinned answer.

Where the numbers are known from elsewhere, the comment says so. The naive checker of reference_checker.py stands
beside the two readings of checker/, so that an agreement is not one error made twice.
"""

import copy
from typing import NamedTuple

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.search import check
from tests.support.reference_checker import explore, freeze
from tests.toys import (
    behaviours,
    broken,
    die_hard,
    dijkstra_mutex,
    every_kind,
    ewd840,
    hanoi,
    klotski,
    paxos,
    peterson,
    printer,
    transaction_commit,
    two_phase_commit,
    wide,
)

HOLDS, VIOLATED, DEADLOCK = Verdict.HOLDS, Verdict.VIOLATED, Verdict.DEADLOCK
READINGS = ("interpreted", "compiled")
MOST_STATES_IF_FAST = {"naive": 2_000, "interpreted": 10_000, "compiled": 100_000}
MOST_STATES_FOR_THE_NAIVE = 30_000
MOST_STATES_UNLESS_LONG = {"naive": 3_000, "interpreted": 25_000, "compiled": 100_000}


class Case(NamedTuple):
    """A model and what every reading must find: `length` counts the states of the counterexample."""

    model: Model
    distinct: int
    generated: int
    depth: int
    verdict: Verdict = HOLDS
    property: str | None = None
    length: int = 0
    unmet: tuple[str, ...] = ()


# Distinct states and depth agree with TLC's for the public TLA+ examples of the same name; so do generated states
# where no action of theirs can leave the state as it is.
WELL_KNOWN = [
    Case(die_hard.MODEL, 16, 59, 8),
    Case(die_hard.UNSOLVED, 14, 43, 7, VIOLATED, "big_jug_not_wanted", 7),
    Case(transaction_commit.MODEL, 34, 94, 7),  # TLC generates 94 too
    Case(two_phase_commit.MODEL, 288, 762, 11),
    Case(two_phase_commit.MODEL.with_bounds({"resource_managers": 5}), 8_832, 37_346, 17),
    Case(two_phase_commit.MODEL.with_bounds({"resource_managers": 6}), 50_816, 256_002, 20),  # as its authors report
    Case(hanoi.MODEL, 27, 79, 8),  # 3 ** discs states, 2 ** discs levels
    Case(hanoi.MODEL.with_bounds({"discs": 4}), 81, 241, 16),
    Case(hanoi.MODEL.with_bounds({"discs": 5}), 243, 727, 32),
    Case(hanoi.UNSOLVED, 27, 57, 8, VIOLATED, "tower_not_on_last_peg", 8),
    Case(klotski.MODEL, 25_955, 83_897, 168),
    Case(klotski.UNSOLVED, 24_048, 77_874, 117, VIOLATED, "unsolved", 117),  # 116 moves by one cell, as is known
    Case(peterson.MODEL, 32, 65, 8),
    Case(dijkstra_mutex.MODEL.with_bounds({"processes": 2}), 660, 1_322, 29),
    Case(dijkstra_mutex.MODEL, 90_882, 282_810, 54),  # TLC: 282,810 generated
    Case(ewd840.MODEL, 302, 1_476, 9),
    Case(ewd840.MODEL.with_bounds({"nodes": 4}), 1_566, 11_407, 12),
    Case(paxos.MODEL.with_bounds({"acceptors": 1, "values": 1}), 25, 35, 9),
    Case(paxos.MODEL.with_bounds({"acceptors": 2}), 145, 241, 13),
    Case(paxos.MODEL, 3_921, 9_443, 17),
]

# The two counters of behaviours.py make a grid of 7 by 7 states; what they must do can be counted by hand.
BEHAVIOURS = [
    Case(behaviours.GRID, 49, 86, 13),
    Case(behaviours.STEP_VIOLATED, 49, 86, 13, VIOLATED, "sum_grows", 14),
    Case(behaviours.STEP_BEFORE_STATE, 10, 13, 4, VIOLATED, "left_never_small", 4),
    Case(behaviours.STATE_BEFORE_STEP, 10, 13, 4, VIOLATED, "left_is_small", 4),
    Case(behaviours.TWO_IN_ONE_LEVEL, 10, 13, 4, VIOLATED, "left_is_small", 4),
    Case(behaviours.INITIAL_VIOLATED, 1, 1, 1, VIOLATED, "left_is_positive", 1),
    Case(behaviours.UNMET, 49, 85, 13, unmet=("left_exceeds_all",)),
    Case(behaviours.CONSTRAINED, 15, 31, 5),
    Case(behaviours.VIOLATED_OUTSIDE, 15, 31, 5, VIOLATED, "sum_is_four_at_most", 6),
    Case(behaviours.STEP_OUTSIDE, 15, 31, 5),
    Case(behaviours.STARTS_OUTSIDE, 15, 37, 5),
    Case(behaviours.STARTS, 49, 88, 9),
    Case(behaviours.ONE_START_VIOLATED, 4, 4, 1, VIOLATED, "right_is_small", 1),
    Case(behaviours.SHORTEST_OF_STARTS, 3, 3, 2, VIOLATED, "right_is_small", 2),
    Case(behaviours.STUCK, 49, 85, 13, DEADLOCK, None, 13),
    Case(behaviours.VIOLATED_WHERE_STUCK, 4, 4, 4, VIOLATED, "left_is_small", 4),
    Case(behaviours.STUCK_AT_ONCE, 1, 1, 1, DEADLOCK, None, 1),
    Case(behaviours.ALONE, 1, 1, 1),
    Case(behaviours.PHILOSOPHERS, 34, 89, 5, DEADLOCK, None, 5),
    Case(broken.SOUND, 4, 5, 4),
    Case(printer.MODEL, 42, 67, 6),
    Case(printer.MODEL.with_bounds({"jams": 0}), 9, 9, 4, unmet=("all_is_used_up",)),
]

# Packed, a tape is 8 * length bits: just below, at and just above one, two and four words of 64 bits.
SHAPES = [
    Case(every_kind.MODEL, 6_288, 38_521, 15),
    Case(every_kind.SMALLER, 2_736, 12_425, 10),
    Case(wide.NUMBERS, 1_241, 3_107, 27),
    *(
        Case(wide.TAPE.with_bounds({"length": length}), wide.tapes(length), 1 + 2 * length * (2 * length - 1), 3)
        for length in (7, 8, 9, 15, 16, 17, 31, 32, 33, 40)
    ),
]

CASES = [*WELL_KNOWN, *BEHAVIOURS, *SHAPES]


def name_of(case: Case) -> str:
    """A test's id: the model, and what makes it another one than the model of that name."""
    bounds = ",".join(str(value) for value in case.model.bounds.values())
    rules = "" if case.model.rules is None else ",".join(str(int(value)) for value in case.model.rules)
    return "-".join(part for part in (case.model.name, bounds, rules) if part)


def cases_for(*checkers: str) -> list:
    """Every case with every checker, marked slow where the checker takes long."""
    return [
        pytest.param(
            case,
            checker,
            id=f"{name_of(case)}-{checker}",
            marks=[pytest.mark.slow] * is_slow + [pytest.mark.long] * is_long,
        )
        for case in CASES
        for checker in checkers
        for is_slow in [case.distinct > MOST_STATES_IF_FAST[checker]]
        for is_long in [case.distinct > MOST_STATES_UNLESS_LONG[checker]]
        if checker != "naive" or case.distinct <= MOST_STATES_FOR_THE_NAIVE
    ]


def assert_replays(model: Model, behaviour: list, length: int) -> None:
    """The states are `length`, the first is an initial one, and each of the steps leads to the next."""
    assert len(behaviour) == length
    state = None
    for name, parameters, frozen in behaviour:
        if state is None:
            assert name is None
            [state] = [each for each in model.initial_states() if freeze(each) == frozen]
            continue
        action = model.action(name)
        assert list(parameters) == [parameter.name for parameter in action.parameters]
        state = copy.deepcopy(state)
        assert action.apply(state, tuple(parameters.values()))
        assert freeze(state) == frozen


@pytest.mark.parametrize(("case", "reading"), cases_for(*READINGS))
def test_readings_find_what_is_pinned(case, reading):
    result = check(case.model, reading)
    assert result.verdict == case.verdict, result.reason
    assert result.property == case.property
    assert (result.states_distinct, result.states_generated, result.depth) == case[1:4]
    assert result.unmet == case.unmet
    assert sum(result.actions.values()) == case.generated - len(case.model.initial_states())
    steps = () if result.trace is None else result.trace.steps
    assert_replays(case.model, [(step.action, step.parameters, freeze(step.state)) for step in steps], case.length)


@pytest.mark.parametrize(("case", "checker"), cases_for("naive"))
def test_naive_checker_finds_the_same(case, checker):
    outcome = explore(case.model)
    assert outcome.verdict == case.verdict.name
    assert outcome.property == case.property
    assert (outcome.distinct, outcome.generated, outcome.depth) == case[1:4]
    assert outcome.unmet == set(case.unmet)
    assert_replays(case.model, outcome.behaviour, case.length)
    for reading in READINGS:
        assert check(case.model, reading).actions == outcome.fired


@pytest.mark.parametrize("engine", ["auto", *READINGS])
@pytest.mark.parametrize("model", broken.MODELS, ids=[model.name for model in broken.MODELS])
def test_a_broken_contract_is_told(model, engine):
    result = check(model, engine)
    assert result.verdict == Verdict.EVALUATION_FAILED
    assert result.property is None
    assert "error in kafkacheck" not in result.reason


@pytest.mark.parametrize("model", broken.MODELS, ids=[model.name for model in broken.MODELS])
def test_a_broken_contract_is_told_alike_by_both_readings(model):
    interpreted, compiled = (check(model, reading) for reading in READINGS)
    assert interpreted.reason == compiled.reason
    assert (interpreted.trace is None) == (compiled.trace is None)
    if interpreted.trace is not None and compiled.trace is not None:
        assert len(interpreted.trace.steps) == len(compiled.trace.steps)
