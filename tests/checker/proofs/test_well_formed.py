"""Proofs, comparisons and samples speak of well-formed states: of all of them, and of no others."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.language import containers as typed
from kafkacheck.checker.language import ir
from kafkacheck.checker.process.errors import SelfCheckError, UsageError
from kafkacheck.checker.proofs import equivalent, prove, samples
from kafkacheck.checker.proofs.bmc import check_bounded
from kafkacheck.checker.proofs.equivalent import Same
from kafkacheck.checker.proofs.houdini import find_lemmas
from kafkacheck.checker.proofs.judgement import ProofVerdict, judge
from kafkacheck.checker.proofs.obligations import FORM
from kafkacheck.checker.proofs.prove import Outcome, Settings
from kafkacheck.checker.schema import containers
from kafkacheck.checker.symbolic import symbolic, term_values
from kafkacheck.checker.symbolic.well_formed import well_formed
from tests.programs import random_states
from tests.support import every_part
from tests.support.snippets import load
from tests.toys import peterson

pytestmark = pytest.mark.slow

ALONE = Settings(timeout=60, jobs=0, use_cache=False)
LIMITS = Limits(max_states=20_000)
MODEL = every_part.MODEL
HELD = [each.__name__ for each in every_part.HELD]
BROKEN = [each.__name__ for each in every_part.BROKEN]


def said(model, states):
    """Whether each state is well-formed by the formula."""
    term = well_formed(model.layout, symbolic.variables(model.layout))
    known = term_values.known_of(model.layout, np.array(states, np.int64))
    return np.broadcast_to(term_values.evaluate([term], known)[0], len(states)).tolist()


def in_range(model, rng):
    """A state with every scalar in its range, but for a blank part; mostly it is not well-formed."""
    blank = rng.random()
    return tuple(leaf.scalar.blank if rng.random() < blank else rng.randint(leaf.low, leaf.high)
                 for leaf in model.layout.leaves)  # fmt: skip


# -- the constraint -----------------------------------------------------------------------------------------------


def test_the_formula_and_plain_python_know_the_same_states():
    rng = random.Random(1)
    drawn = [in_range(MODEL, rng) for _ in range(1500)]
    drawn += [samples.anywhere(MODEL.layout, rng) for _ in range(500)]
    wanted = [MODEL.layout.canonical(values) == values for values in drawn]
    assert said(MODEL, drawn) == wanted and 500 < sum(wanted) < 1500
    for values in drawn:
        formed = MODEL.layout.canonical(values)
        assert MODEL.layout.canonical(formed) == formed and MODEL.layout.in_range(formed)


def test_reached_states_and_samples_are_well_formed():
    rng = random.Random(2)
    reached = random_states.reached(MODEL, rng, 300)
    drawn = [samples.near(MODEL.layout, rng, rng.choice(reached)) for _ in range(2000)]
    lengths = [part.begin for part in MODEL.layout.containers if part.path == "bag"]
    assert all(said(MODEL, [*reached, *drawn]))
    assert {values[lengths[0]] for values in drawn} == {0, 1, 2}


def test_without_queues_nothing_is_constrained():
    model = peterson.MODEL
    assert well_formed(model.layout, symbolic.variables(model.layout)).is_constant
    assert FORM not in {each.obligation.subject for each in prove.prove(model, ALONE).checked}


SMALL = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import AtMost, KIND, Count, Position, Struct, add, is_full, remove

Number = Annotated[int, Count(2)]


class Item(Struct):
    number: Number


class State(Struct):
    part: Annotated[KIND[Item], AtMost(2)]
    other: Annotated[KIND[Item], AtMost(2)]


def put(state: State, number: Number) -> bool:
    if is_full(state.part):
        return False
    BODY
    return True


def take(state: State, place: Annotated[int, Position(2)]) -> bool:
    if place >= len(state.part) or is_full(state.other):
        return False
    add(state.other, state.part[place])
    remove(state.part, place)
    return True


def drop(state: State) -> bool:
    if len(state.other) == 0:
        return False
    remove(state.other, len(state.other) - 1)
    return True


def in_order(state: State) -> bool:
    return len(state.part) < 2 or state.part[0].number <= state.part[1].number


def largest_alone(state: State) -> bool:
    return len(state.part) == 0 or len(state.other) == 0 or state.part[0].number <= state.other[0].number


MODEL = Model(name="small", state=State, actions=[put, take, drop], always=[in_order, largest_alone])
"""


def small(folder, kind, body="add(state.part, Item(number=number))", text=SMALL):
    return load(folder, text.replace("KIND", kind).replace("BODY", body)).MODEL


@pytest.mark.parametrize(("kind", "count"), [("Queue", 13**2), ("Bag", 10**2)])
def test_an_obligation_is_proved_where_no_well_formed_state_breaks_it(tmp_path, kind, count):
    model = small(tmp_path, kind)
    everything = itertools.product(*(range(leaf.low, leaf.high + 1) for leaf in model.layout.leaves))
    states = [values for values in everything if model.layout.canonical(values) == values]
    assert len(states) == count
    evaluation = Evaluation(model)
    held = [values for values in states if all(evaluation.holds(each, values) for each in model.properties)]
    proof = prove.prove(model, ALONE)
    kept = {(each.obligation.subject, each.obligation.action): each.outcome is Outcome.PROVED for each in proof.checked}
    for action in model.actions:
        assert kept[FORM, action.name]
        after = [evaluation.apply(action, given, values) for values in held for given in action.combinations()]
        for each in model.properties:
            is_kept = all(values is None or evaluation.holds(each, values) for values in after)
            assert kept[each.name, action.name] == is_kept
    assert kept["in_order", "put"] == (kind == "Bag") and not kept["largest_alone", "put"]


# -- proofs -------------------------------------------------------------------------------------------------------


def test_what_holds_of_well_formed_states_is_proved():
    proof = prove.prove(MODEL, ALONE, HELD)
    assert proof.is_proved and judge(proof, LIMITS).verdict is ProofVerdict.PROVED
    assert sum(each.obligation.subject == FORM for each in proof.checked) == len(MODEL.actions)


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_false_is_not_proved(name):
    proof = prove.prove(MODEL, ALONE, [name])
    judgement = judge(proof, LIMITS)
    assert judgement.verdict is ProofVerdict.VIOLATED and judgement.trace.property == name
    for each in proof.failed:
        assert MODEL.layout.canonical(each.failure.before) == each.failure.before


@pytest.mark.slow
def test_lemmas_are_found_for_what_holds_of_well_formed_states():
    model = MODEL.with_properties(HELD)
    found = find_lemmas(model, (), model.properties, 60.0, Limits(max_states=500))
    assert found.needed == () and found.clauses == 0


def unsorted(parts):
    """The loop that sorts a bag, without a round."""

    def settle(made, held):
        return replace(parts(made, held), start=ir.Const(0))

    return settle


def test_a_formula_that_breaks_the_form_is_a_bug_that_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(typed, "_settle", unsorted(typed._settle))
    model = small(tmp_path, "Bag")
    with pytest.raises(SelfCheckError, match="breaks form of queues from the state above, in plain Python it does not"):
        prove.prove(model, ALONE, [])
    with pytest.raises(SelfCheckError):
        check_bounded(model, 4)


def test_functions_that_break_the_form_are_a_bug_that_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(containers, "_settle", lambda slots, last: None)
    told = r"form of queues in \w+ is proved .*leaves a queue or bag in a form that none can have"
    with pytest.raises(SelfCheckError, match=told):
        prove.prove(small(tmp_path, "Bag"), ALONE, [])
    monkeypatch.setattr(typed, "_settle", unsorted(typed._settle))
    with pytest.raises(SelfCheckError, match="breaks form of queues from the state above, in plain Python it does so"):
        prove.prove(small(tmp_path, "Bag"), ALONE, [])


# -- comparisons --------------------------------------------------------------------------------------------------

PAIRS = [
    "if len(state.part) > 0:\n        return False\n    add(state.part, Item(number=number))\n"
    "    add(state.part, Item(number=1))",
    "if len(state.part) > 0:\n        return False\n    add(state.part, Item(number=1))\n"
    "    add(state.part, Item(number=number))",
]


@pytest.mark.parametrize(("kind", "same"), [("Bag", Same.EQUIVALENT), ("Queue", Same.DIFFERENT)])
def test_the_order_of_adding_matters_to_a_queue_only(tmp_path, kind, same):
    one, other = (small(tmp_path, kind, body) for body in PAIRS)
    put, take, drop = equivalent.compare(one, equivalent.describe(other))
    assert (put.same, take.same, drop.same) == (same, Same.EQUIVALENT, Same.EQUIVALENT)
    assert same is Same.EQUIVALENT or one.layout.canonical(put.before) == put.before


FIRST, SMALLEST = "state.part[place].number", "min(state.part[place].number, state.part[len(state.part) - 1].number)"


@pytest.mark.parametrize(("kind", "same"), [("Bag", Same.EQUIVALENT), ("Queue", Same.DIFFERENT)])
def test_an_action_that_relies_on_the_form_is_the_same(tmp_path, kind, same):
    taken = "add(state.other, state.part[place])"
    texts = [SMALL.replace(taken, f"add(state.other, Item(number={value}))") for value in (FIRST, SMALLEST)]
    one, other = (small(tmp_path, kind, text=text) for text in texts)
    taking = equivalent.compare(one, equivalent.describe(other), ["take"])[0]
    assert taking.same is same
    if same is Same.DIFFERENT:
        assert one.layout.canonical(taking.before) == taking.before


def test_a_queue_is_not_compared_with_a_bag(tmp_path):
    queue, bag = small(tmp_path, "Queue"), small(tmp_path, "Bag")
    with pytest.raises(UsageError, match="not alike: part is a Queue here, and a Bag in the other model"):
        equivalent.compare(queue, equivalent.describe(bag))
