"""Hypothesis drives the models: sound ones stand, broken ones fall with a fixed seed, and print as calls."""

import contextlib
import io

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.stateful import LOOKAHEAD, state_machine
from tests.expected import names_of
from tests.support.marks import long_but
from tests.toys import behaviours, broken, die_hard, peterson

pytestmark = pytest.mark.slow

BROKEN = {
    "replication.truncate_to_high_watermark": 4,
    "replication.kip101": 6,
    "replication.kip279": 4,
    "replication.kip320_first_try": 4,
}
"""Per broken model how far a run sees something false ahead: the rarer the schedule, the further."""

SEEDS = (1, 2, 3)
"""Tried in turn: what Hypothesis draws for a seed depends on which modules were imported before, too."""


def run(model, seed_number=0, examples=100, steps=24, phases=(Phase.generate,), lookahead=LOOKAHEAD):
    machine = seed(seed_number)(state_machine(model, lookahead))
    options = settings(
        max_examples=examples,
        stateful_step_count=steps,
        phases=phases,
        deadline=None,
        database=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    with contextlib.redirect_stdout(io.StringIO()):
        run_state_machine_as_test(machine, settings=options)


def run_with_seeds(model, lookahead):
    for number in SEEDS:
        run(model, number, examples=300, lookahead=lookahead)


def calls_in(error):
    """The lines of a failing run that hypothesis prints, as they can be executed."""
    lines = "\n".join(error.__notes__).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("state = "))
    last = next(number for number, line in enumerate(lines) if line == "state.teardown()")
    return lines[first + 1 : last + 1]


def test_every_abstract_model_is_either_run_as_sound_or_as_broken():
    sound = {name for name, each in catalogue.expectations().items() if each.verdict is Verdict.HOLDS}
    assert set(names_of("replication")) == (sound & set(names_of("replication"))) | set(BROKEN)


FAMILIES = ("cluster", "producer", "transactions")
OTHERS = [name for family in FAMILIES for name in names_of(family)]
QUICK = [name for family in FAMILIES for name in names_of(family, 4_000)]


@pytest.mark.parametrize("name", long_but(OTHERS, QUICK))
def test_random_schedules_say_of_the_other_models_what_a_search_says(name):
    model = catalogue.find_model(name)
    with contextlib.ExitStack() as stack:
        if catalogue.expectations()[name].verdict is not Verdict.HOLDS:
            stack.enter_context(contextlib.suppress(AssertionError))  # it may be found, and need not
        run(model, examples=3, steps=12, lookahead=0)


def test_random_schedules_find_nothing_in_a_sound_model():
    run(catalogue.find_model("kip320"), examples=30)
    run(peterson.MODEL, examples=50)


@pytest.mark.parametrize("name", long_but(BROKEN, ["replication.kip101"]))
def test_random_schedules_violate_a_broken_model_and_the_printed_calls_do_it_again(name):
    model = catalogue.find_model(name)
    with pytest.raises(AssertionError, match="does not hold") as caught:
        run_with_seeds(model, BROKEN[name])
    calls = calls_in(caught.value)
    actions = {action.name for action in model.actions}
    assert sum(call.removeprefix("state.").split("(")[0] in actions for call in calls) >= 8
    state = state_machine(model)()
    with pytest.raises(AssertionError, match="does not hold"):
        exec("\n".join(calls), {"state": state})


def test_a_falsifying_run_is_shrunk_to_a_shortest_one():
    with pytest.raises(AssertionError) as caught:
        run(die_hard.UNSOLVED, 1, examples=300, phases=(Phase.generate, Phase.shrink))
    assert len(calls_in(caught.value)) == 6 + 2  # the six pourings, the claim, and the end of the run


def test_a_step_that_breaks_the_contract_is_told():
    for each in broken.MODELS:
        if each.name in ("writes_then_returns_false", "leaves_range_above", "changes_nothing", "index_too_large"):
            with pytest.raises(Exception, match=each.name):
                run(each, 1)


def test_a_printed_call_that_is_not_enabled_says_so():
    state = state_machine(catalogue.find_model("kip320"))()
    with pytest.raises(Exception, match="not enabled here"):
        state.become_leader(leader_epoch=0)


def test_deadlocks_and_steps_are_claims_too():
    with pytest.raises(AssertionError, match="no action is enabled"):
        run(behaviours.STUCK, 1)
    with pytest.raises(AssertionError, match="sum_grows does not hold"):
        run(behaviours.STEP_VIOLATED, 1)
