"""The symbolic reading says what the interpreted one does: on random well-formed states, Z3's expressions are evaluated
and compared with what the functions return, write and raise."""

import random

import numpy as np
import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.proofs.solver import Translation
from kafkacheck.checker.schema import Flag
from kafkacheck.checker.symbolic import symbolic
from tests.expected import pinned
from tests.programs import random_states
from tests.support.snippets import load
from tests.support.terms_as_run import FAILED, assignments, evaluated, outcome, read_symbolically
from tests.toys import die_hard, every_kind, ewd840, paxos, peterson, two_phase_commit

STATES = 1_000
MODELS = {
    **{name: catalogue.find_model(name) for name in ("kip101", "kip320")},
    **{each.MODEL.name: each.MODEL for each in (die_hard, every_kind, ewd840, paxos, peterson, two_phase_commit)},
}


def compare(model, action, drawn):
    """The terms of an action say what it does on these states; how often it was enabled."""
    rng = random.Random(action.name)
    parameters = [tuple(rng.choice(each.values) for each in action.parameters) for _ in drawn]
    fault, enabled, rows = read_symbolically(model, action, drawn, parameters)
    fired = 0
    for number, values in enumerate(drawn):
        wanted = outcome(action, model, values, parameters[number])
        assert bool(fault[number]) == (wanted == FAILED), (values, parameters[number])
        if wanted != FAILED:
            assert (bool(enabled[number]), tuple(rows[number])) == wanted, (values, parameters[number])
            fired += wanted[0]
    return fired


@pytest.mark.slow
@pytest.mark.parametrize(("name", "action"), [(name, each.name) for name in MODELS for each in MODELS[name].actions])
def test_an_action_is_read_as_it_runs(name, action):
    model = MODELS[name]
    drawn = random_states.states(model, STATES, seed=action)
    assert compare(model, model.action(action), drawn) > 0


def smallest_models():
    """Of the rest of the catalogue the smallest models that have every action between them, each with its actions."""
    sizes = {name: facts["distinct"] for name, facts in pinned().items() if name not in MODELS}
    chosen, covered = {}, {each.function for model in MODELS.values() for each in model.actions}
    for name in sorted(sizes, key=sizes.__getitem__):
        new = [each for each in catalogue.find_model(name).actions if each.function not in covered]
        if new:
            covered |= {each.function for each in new}
            chosen[name] = [each.name for each in new]
    return chosen


def pytest_generate_tests(metafunc):
    """The models are chosen with --long only, because every one of the catalogue is defined for that."""
    if "actions" in metafunc.fixturenames:
        chosen = smallest_models() if metafunc.config.getoption("--long") else {}
        metafunc.parametrize(("name", "actions"), chosen.items(), ids=chosen)


@pytest.mark.long
def test_every_action_of_the_catalogue_is_read_as_it_runs(name, actions):
    model = catalogue.find_model(name)
    drawn = random_states.states(model, STATES, seed=name)
    for action in actions:
        assert compare(model, model.action(action), drawn) > 0, action


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "wanted"),
    [(name, each.name) for name in MODELS for each in (*MODELS[name].properties, *MODELS[name].sometimes)],
)
def test_a_property_is_read_as_it_runs(name, wanted):
    model = MODELS[name]
    each = next(each for each in (*model.properties, *model.sometimes) if each.name == wanted)
    suffixes = ("", "'") if each.is_step else ("",)
    columns = [random_states.states(model, STATES, seed=wanted + suffix) for suffix in suffixes]
    known = {}
    for suffix, drawn in zip(suffixes, columns, strict=True):
        known |= assignments(model, np.array(drawn, np.int64), suffix)
    term = symbolic.holds(each, *(symbolic.variables(model.layout, suffix) for suffix in suffixes))
    (holds,) = evaluated(Translation(), known, [term])
    for number, states in enumerate(zip(*columns, strict=True)):
        try:
            value = each.holds(*(model.layout.restore(values) for values in states))
        except (IndexError, ZeroDivisionError, ValueError):
            value = False
        assert bool(holds[number]) == value, states


LOOPS = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ByPosition, Count, Struct


class State(Struct):
    n: Annotated[int, Count(3)]
    m: Annotated[int, Count(3, -3)]
    row: Annotated[Array[Annotated[int, Count(9)]], ByPosition(4)]


def count(state: State) -> bool:
    total = 0
    for i in range(state.m, state.n, 2):
        for j in range(state.n, state.m, -1):
            total += i - j
            if total == 3:
                return False
    state.row[abs(total) % 4] = 9
    row = state.row
    other = state
    for k in range(3, -1, -1):
        if row[k] > state.n:
            other.row[k] -= 1
    return True


MODEL = Model(name="loops", state=State, actions=[count])
"""


def test_loops_with_open_ends_and_early_returns_are_read_as_they_run(tmp_path):
    model = load(tmp_path, LOOPS).MODEL
    drawn = random_states.anywhere(model, 500, 1)
    fault, enabled, rows = read_symbolically(model, model.actions[0], drawn, [()] * 500)
    assert not fault.any()
    for number, values in enumerate(drawn):
        assert (bool(enabled[number]), tuple(rows[number])) == outcome(model.actions[0], model, values, ())


def test_a_loop_that_is_too_long_to_unroll_is_refused(tmp_path):
    long = "def count(state: State) -> bool:\n    for i in range(state.n * 100000):\n        state.row[0] = i % 2\n"
    before, _, rest = LOOPS.partition("def count(state: State) -> bool:\n")
    text = f"{before}{long}    return True\n\n\nMODEL{rest.partition('MODEL')[2]}"
    model = load(tmp_path, text).MODEL
    with pytest.raises(ModelError, match=r"\.py:\d+: in count: a loop can have 300,000 rounds"):
        symbolic.step(model.actions[0], symbolic.variables(model.layout), ())


def test_what_does_not_exist_is_known_to_be_blank():
    layout = catalogue.find_model("consumer_group").layout
    pairs = zip(symbolic.variables(layout), layout.leaves, layout.blank_values, strict=True)
    absent = [(term, blank) for term, leaf, blank in pairs if leaf.scalar.missing]
    assert any(leaf.scalar.missing and isinstance(leaf.kind, Flag) for leaf in layout.leaves)
    assert all(term.is_constant and term.value == blank for term, blank in absent)
