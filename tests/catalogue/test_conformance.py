"""The readings agree on the catalogue: counts, verdict, property and length.

Of the models of the cluster those with the fewest states stand for all; test_actions.py compares the steps of each.

So they do wherever one hands over to the other, and wherever a limit cuts them off.
"""

import gc
import itertools

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.search import check
from kafkacheck.model.replication.system import State
from tests.expected import names_of
from tests.support import readings
from tests.support.marks import long_but
from tests.toys import two_phase_commit

pytestmark = pytest.mark.slow

CLUSTER, SMALLEST = names_of("cluster", 15_000), names_of("cluster", 600)
ALONE = names_of("replication")
"""The models whose properties are judged one by one, each by machine code of its own."""
SMALL = {"log_size": 1, "max_records": 1, "max_leader_epoch": 1}
"""Bounds at which the interpreted reading of an abstract model needs a second at most."""


def small(name):
    """The model with few states; those of the cluster have few at their own bounds."""
    model = catalogue.find_model(name)
    return model.with_bounds(SMALL) if model.state is State else model


@pytest.fixture(params=long_but(ALONE + CLUSTER, ALONE + SMALLEST), scope="module")
def model(request):
    return small(request.param)


def test_some_models_of_the_cluster_are_compared():
    assert len(SMALLEST) >= 3


@pytest.mark.parametrize("name", long_but([*ALONE, *CLUSTER], ["replication.kip101", "replication.kip320"]))
def test_the_readings_agree_on_each_property_alone(name):
    model = small(name)
    if model.state is not State:
        model = model.with_bounds({"max_leader_epoch": 0})
    for each in model.properties:
        alone = model.with_properties([each.name])
        assert readings.interpreted(alone) == readings.compiled(alone)


@pytest.fixture(scope="module")
def uncut(model):
    """What the interpreted reading finds, and how often it asks whether to stop."""
    asked = itertools.count()
    search = InterpretedSearch(model, Watch(Limits()))
    search.watch.is_due = lambda: True
    wanted = readings.outcome(search, search.run(lambda: next(asked) < 0))
    return wanted, next(asked)


def test_the_readings_agree(model, uncut):
    assert uncut[0] == readings.compiled(model)


@pytest.mark.parametrize("share", [0, 0.01, 0.1, 0.5])
def test_a_search_that_is_handed_over_ends_as_if_it_had_not_been(model, uncut, share):
    wanted, asked = uncut
    search = InterpretedSearch(model, Watch(Limits()))
    search.watch.is_due = lambda: True
    left = iter(range(int(asked * share)))
    assert search.run(lambda: next(left, None) is None) is None
    assert not search.finished
    assert readings.compiled(model, found=search.snapshot()) == wanted


@pytest.mark.parametrize("most", [1, 2, 50, 333])
def test_a_limit_cuts_both_readings_at_the_same_step(model, most):
    limits = Limits(max_states=most)
    cut = readings.interpreted(model, limits)
    assert cut == readings.compiled(model, limits)
    if cut.distinct == most:
        assert cut.verdict is not Verdict.HOLDS


@pytest.mark.parametrize("engine", ["auto", "interpreted", "compiled"])
def test_every_engine_gives_the_same_result(model, uncut, engine):
    wanted, _ = uncut
    result = check(model, engine)
    assert (result.verdict, result.property) == (wanted.verdict, wanted.property)
    assert (result.states_distinct, result.states_generated) == (wanted.distinct, wanted.generated)
    assert (result.depth, tuple(result.actions.values())) == (wanted.depth, wanted.fired)
    assert (len(result.trace.steps) if result.trace else 0) == wanted.length


@pytest.mark.parametrize("is_enabled", [True, False])
def test_no_cyclic_garbage_is_made_or_looked_for_in_a_search(is_enabled):
    search = InterpretedSearch(two_phase_commit.MODEL, Watch(Limits()))
    search.watch.is_due = lambda: True
    asked = []
    try:
        (gc.enable if is_enabled else gc.disable)()
        gc.collect()
        assert search.run(lambda: asked.append(gc.isenabled())) is None
        assert len(asked) > 100 and not any(asked)
        assert gc.isenabled() is is_enabled
        assert gc.collect() < len(asked)
    finally:
        gc.enable()
