"""The symbolic reading says what the interpreted one does: on random well-typed states, Z3's expressions are evaluated
and compared with what the functions return, write and raise."""

import random

import numpy as np
import pytest

from checker import catalogue, symbolic
from checker.schema import Flag
from checker.solver import Translation
from tests import random_states, z3_values
from tests.toys import die_hard, every_kind, ewd840, paxos, peterson, two_phase_commit

STATES = 10_000
MODELS = {
    **{name: catalogue.find_model(name) for name in ("kip101", "kip320", "kip320_first_try")},
    **{each.MODEL.name: each.MODEL for each in (die_hard, every_kind, ewd840, paxos, peterson, two_phase_commit)},
}
FAILED = "failed"


def assignments(model, rows, suffix=""):
    return {
        leaf.path + suffix: rows[:, column].astype(bool) if isinstance(leaf.kind, Flag) else rows[:, column]
        for column, leaf in enumerate(model.layout.leaves)
    }


def evaluated(translation, known, terms):
    done = {}
    count = len(next(iter(known.values())))
    values = [z3_values.evaluate(translation.expression(term), known, done) for term in terms]
    return [np.broadcast_to(value, count) for value in values]


def outcome(action, model, values, parameters):
    """What the function returns, and the state it leaves; or that it failed."""
    state = model.layout.restore(values)
    try:
        return action.apply(state, parameters), model.layout.flatten(state)
    except (IndexError, ZeroDivisionError, ValueError):
        return FAILED


@pytest.mark.slow
@pytest.mark.parametrize(("name", "action"), [(name, each.name) for name in MODELS for each in MODELS[name].actions])
def test_an_action_is_read_as_it_runs(name, action):
    model = MODELS[name]
    action = model.action(action)
    drawn = random_states.states(model, STATES, seed=action.name)
    rng = random.Random(action.name)
    parameters = [tuple(rng.choice(each.values) for each in action.parameters) for _ in drawn]
    leaves = symbolic.variables(model.layout)
    step = symbolic.step(action, leaves, symbolic.parameter_variables(action))
    known = assignments(model, np.array(drawn, np.int64))
    for number, each in enumerate(action.parameters):
        known[f"{action.name}({each.name})"] = np.array([values[number] for values in parameters])
    fault, enabled, *after = evaluated(Translation(), known, [step.fault, step.enabled, *step.leaves])
    rows = np.stack(after, axis=1)
    ranges = [(leaf.low, leaf.high) for leaf in model.layout.leaves]
    fired = 0
    for number, values in enumerate(drawn):
        wanted = outcome(action, model, values, parameters[number])
        assert bool(fault[number]) == (wanted == FAILED), (values, parameters[number])
        if wanted != FAILED:
            assert (bool(enabled[number]), tuple(rows[number])) == wanted, (values, parameters[number], ranges)
            fired += wanted[0]
    assert fired > 0


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
