"""Bounded model checking finds what the search finds, and says how far it came."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.proofs.bmc import BoundedVerdict, check_bounded
from kafkacheck.checker.search import check
from tests.expected import names_of
from tests.support.command import TANK
from tests.support.snippets import load
from tests.toys import (
    broken,
    die_hard,
    every_kind,
    ewd840,
    hanoi,
    lossy_channel,
    peterson,
    token_ring,
    transaction_commit,
    two_phase_commit,
)

pytestmark = pytest.mark.slow

TINY = {"log_size": 1, "max_records": 1, "max_leader_epoch": 0, "replicas": 2}
DEPTH = 10


def agree(model, depth=DEPTH):
    """The bounded check says what the search says, as far as it looks."""
    wanted = check(model, "interpreted")
    found = check_bounded(model, depth, 60)
    length = len(wanted.trace.steps) if wanted.trace is not None else None
    if length is not None and length <= depth and wanted.verdict is not Verdict.NOT_EXHAUSTED:
        assert (found.verdict.value, found.property) == (wanted.verdict.value, wanted.property)
        assert found.trace is None or len(found.trace.steps) == length
        assert found.depth == length
    else:
        assert found.verdict in (BoundedVerdict.BOUNDED, BoundedVerdict.HOLDS)
        assert found.depth == depth or (found.verdict is BoundedVerdict.HOLDS and found.depth == wanted.depth)
    return found


TOYS = [die_hard, every_kind, ewd840, hanoi, lossy_channel, peterson, token_ring, transaction_commit]


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.MODEL.name)
def test_it_agrees_with_the_search_on_toys(toy):
    agree(toy.MODEL, 6)


@pytest.mark.slow
def test_it_agrees_with_the_search_on_a_larger_toy():
    agree(two_phase_commit.MODEL, 8)


@pytest.mark.slow
@pytest.mark.parametrize("name", names_of("replication"))
def test_it_agrees_with_the_search_on_the_abstract_models(name):
    agree(catalogue.find_model(name).with_bounds(TINY))


@pytest.mark.slow
def test_it_finds_a_shortest_violation_in_the_catalogue():
    found = agree(catalogue.find_model("truncate_to_high_watermark"))
    assert (found.verdict, found.property, len(found.trace.steps)) == (BoundedVerdict.VIOLATED, "weak_isr", 9)


@pytest.mark.parametrize(
    "changes", [{}, {"valve": "OPEN"}, {"pour": 2}, {"drains": False}, {"pour": 2, "valve": "OPEN"}], ids=str
)
def test_it_agrees_on_each_kind_of_verdict(tmp_path, changes):
    agree(load(tmp_path, TANK).MODEL.with_rules(changes))


def test_it_agrees_where_the_code_fails(tmp_path):
    model = load(tmp_path, TANK).MODEL.with_bounds({"capacity": 1})
    wanted, found = check(model, "interpreted"), check_bounded(model, DEPTH, 60)
    assert (wanted.verdict.value, found.verdict.value) == ("EVALUATION_FAILED", "EVALUATION_FAILED")
    assert found.reason == wanted.reason


@pytest.mark.parametrize("model", [each for each in broken.MODELS if not each.sometimes], ids=lambda model: model.name)
def test_it_agrees_on_models_that_are_broken(model):
    wanted, found = check(model, "interpreted"), check_bounded(model, DEPTH, 60)
    assert (found.verdict.value, found.property) == (wanted.verdict.value, wanted.property)


def test_it_says_holds_only_where_there_are_no_longer_behaviours(tmp_path):
    assert check_bounded(load(tmp_path, TANK).MODEL, 4, 60).verdict is BoundedVerdict.BOUNDED
    ends = transaction_commit.MODEL
    depth = check(ends).depth
    assert check_bounded(ends, depth, 60).verdict is BoundedVerdict.BOUNDED
    found = check_bounded(ends, depth + 1, 60)
    assert (found.verdict, found.depth) == (BoundedVerdict.HOLDS, depth)


BEGIN = """
def begin(tank: Tank, level: Annotated[int, Count(2)]) -> bool:
    tank.level = level
    return True


MODEL = Model(
    initial=begin,"""
IS_LOW = """
def is_low(tank: Tank) -> bool:
    return tank.level < 2


MODEL = Model(
    constraint=is_low,"""


def test_several_initial_states_are_all_looked_at(tmp_path):
    text = TANK.replace("MODEL = Model(", BEGIN)
    model = load(tmp_path, text).MODEL.with_rules({"valve": "OPEN"})
    found = agree(model)
    assert len(found.trace.steps) == 2


def test_a_constraint_ends_behaviours(tmp_path):
    text = TANK.replace("MODEL = Model(", IS_LOW)
    model = load(tmp_path, text).MODEL
    assert check_bounded(model.with_rules({"valve": "OPEN"}), DEPTH, 60).verdict is BoundedVerdict.BOUNDED


def test_no_answer_in_time_is_a_verdict_of_its_own():
    found = check_bounded(catalogue.find_model("kip320"), 12, 0.02)
    assert found.verdict in (BoundedVerdict.TIMEOUT, BoundedVerdict.UNKNOWN)
    assert 0 < found.depth < 12 and found.reason
