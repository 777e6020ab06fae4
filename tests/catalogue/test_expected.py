"""Every model of the catalogue comes out as pinned in its expected.toml, and its bounds are big enough."""

import sys

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.catalogue import catalogue_names
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.search import check
from kafkacheck.impl.enums import FetchFencing, TruncationRule
from kafkacheck.impl.replication.records import ReplicationRules
from kafkacheck.model.replication.family import ACTIONS, ALWAYS
from kafkacheck.model.replication.system import State, start_partition
from tests.expected import engine_for, facts_of, model_of, names_of, pinned

BROKEN = [name for name in names_of("replication") if pinned()[name]["verdict"] == "VIOLATED"]
NAMES = ("replicas", "log_size", "max_records", "max_leader_epoch")


QUICK = 2_000
"""A test that visits more states than this is left to the complete run."""


LARGE = 20_000
"""A test that visits more states than this is left to `make long`; the rows of TLC cover larger ones all the same."""


def by_size(name):
    """The parameter `name`, marked by how many states a check of that model visits."""
    distinct = pinned()[name]["distinct"]
    marks = [pytest.mark.slow] * (distinct > QUICK) + [pytest.mark.long] * (distinct > LARGE)
    return pytest.param(name, marks=marks)


def larger_ones():
    """The models that are too large for plain Python in every run."""
    return [name for name in catalogue_names() if engine_for(pinned()[name]["distinct"]) == "compiled"]


def slow_if(value, is_slow: bool):
    return pytest.param(value, marks=[pytest.mark.slow] if is_slow else [])


def check_at(model: Model, *bounds: int):
    return check(model.with_bounds(dict(zip(NAMES, bounds, strict=True))), engine="interpreted")


def test_every_model_is_pinned_and_nothing_else():
    assert sorted(pinned()) == catalogue_names()


def test_the_docstring_expects_the_verdict_that_is_pinned():
    for name, facts in pinned().items():
        catalogue.find_model(name)
        docstring = sys.modules[catalogue.modules()[name]].__doc__
        expected = " ".join(filter(None, [facts["verdict"], facts.get("property")]))
        assert f"\nExpected: {expected}" in docstring, name


def check_finds_what_is_pinned(name, engine):
    facts = pinned()[name]
    result = check(model_of(name), engine=engine)
    assert result.engine == engine
    assert facts_of(result) == facts
    if result.verdict is Verdict.HOLDS:
        assert result.never_fired == ()
        assert result.unmet == ()


@pytest.mark.parametrize("name", [by_size(name) for name in catalogue_names()])
def test_a_check_finds_what_is_pinned(name):
    check_finds_what_is_pinned(name, engine_for(pinned()[name]["distinct"]))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", sorted(larger_ones(), key=lambda name: pinned()[name]["distinct"]))
def test_plain_python_finds_what_is_pinned(name):
    """The second reading, for the models whose pinned counts only machine code meets in every run of the tests."""
    check_finds_what_is_pinned(name, "interpreted")


def test_kip101_fails_for_its_truncation_rule_alone():
    """With the rule of KIP-279 in its place the same bounds are safe."""
    bounds = model_of("replication.kip101").bounds
    assert check(model_of("replication.kip279").with_bounds(bounds), engine="interpreted").verdict is Verdict.HOLDS


@pytest.mark.slow
@pytest.mark.parametrize("name", ["replication.kip279", "replication.kip320_first_try"])
def test_two_replicas_are_too_few_to_tell(name):
    assert check_at(model_of(name), 2, 2, 2, 2).verdict is Verdict.HOLDS
    assert model_of(name).bounds["replicas"] == 3


# Bounds within those of kip320 at which each broken model fails.
WITHIN = {
    "replication.truncate_to_high_watermark": (3, 1, 1, 1),
    "replication.kip101": (3, 1, 1, 1),
    "replication.kip279": (3, 1, 1, 1),
    "replication.kip320_first_try": (3, 1, 1, 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_the_bounds_of_kip320_catch_every_broken_model(name):
    safe = model_of("replication.kip320").bounds
    assert all(bound <= safe[key] for key, bound in zip(NAMES, WITHIN[name], strict=True))
    if dict(zip(NAMES, WITHIN[name], strict=True)) != model_of(name).bounds:
        assert check_at(model_of(name), *WITHIN[name]).verdict is Verdict.VIOLATED


PAIRS = {
    ("HIGH_WATERMARK", "LAST_FETCHED_EPOCH"): (2, 1, 1, 1),
    ("HIGH_WATERMARK", "CURRENT_LEADER_EPOCH"): (2, 2, 2, 2),
    ("KIP_101", "LAST_FETCHED_EPOCH"): (2, 2, 2, 2),
    ("KIP_101", "CURRENT_LEADER_EPOCH"): (2, 2, 2, 2),
    ("KIP_279", "LAST_FETCHED_EPOCH"): (3, 1, 1, 2),
}


@pytest.mark.parametrize("pair", [slow_if(pair, bounds[0] == 3) for pair, bounds in PAIRS.items()])
def test_neither_half_of_kip320_is_enough(pair):
    """No other pair of a truncation rule with a fencing rule is safe, also those that Kafka never had."""
    truncation, fencing = pair
    rules = ReplicationRules(TruncationRule[truncation], FetchFencing[fencing])
    model = Model(
        name="pair",
        state=State,
        initial=start_partition,
        bounds=dict(zip(NAMES, PAIRS[pair], strict=True)),
        rules=rules,
        actions=ACTIONS,
        always=ALWAYS,
    )
    assert check(model, engine="interpreted").verdict is Verdict.VIOLATED
