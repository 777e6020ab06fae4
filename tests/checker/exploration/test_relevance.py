"""Steps that change nothing that a property of steps reads are not judged: such a property must hold of them."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.compiled.relevance import relevant_leaves
from kafkacheck.checker.exploration.verdict import Verdict
from tests.programs import random_states
from tests.support import readings
from tests.support.snippets import load

pytestmark = pytest.mark.slow

MODELS = [
    "cluster.kraft",
    "cluster.zookeeper",
    "producer.retries",
    "transactions.coordinator.epochs",
    "transactions.two_step_read",
]

CLOCK = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ByPosition, Count, Struct

Hand = Annotated[int, Count(3)]


class Clock(Struct):
    hands: Annotated[Array[Hand], ByPosition(2)]
    ticks: Annotated[int, Count(3)]
    place: Annotated[int, Count(2)]


def hand_moves(clock: Clock) -> bool:
    if clock.hands[1] == 3:
        return False
    clock.hands[1] += 1
    return True


def time_passes(clock: Clock) -> bool:
    if clock.ticks == 3:
        return False
    clock.ticks += 1
    return True


def place_changes(clock: Clock) -> bool:
    if clock.place == 2:
        return False
    clock.place += 1
    return True


def late(clock: Clock, later: Clock) -> int:
    return later.hands[later.place] - clock.hands[0]


def hand_stays(before: Clock, after: Clock) -> bool:
    return before.hands[1] == after.hands[1]


def no_hand_falls(before: Clock, after: Clock) -> bool:
    for number in range(len(after.hands)):
        hand = after.hands
        if hand[number] < before.hands[number]:
            return False
    return True


def time_never_stands(before: Clock, after: Clock) -> bool:
    return after.ticks == before.ticks + 1


def place_is_one(before: Clock, after: Clock) -> bool:
    return late(before, after) <= 3 or before.ticks == after.ticks


MODEL = Model(
    name="clock",
    state=Clock,
    actions=[hand_moves, time_passes, place_changes],
    always=[hand_stays, no_hand_falls, time_never_stands, place_is_one],
)
"""


@pytest.fixture
def clock(tmp_path):
    return load(tmp_path, CLOCK).MODEL


def test_what_a_step_must_change(clock):
    paths = [leaf.path for leaf in clock.layout.leaves]
    found = {each.name: relevant_leaves(each, clock.layout) for each in clock.properties}
    watched = {name: leaves and {paths[leaf] for leaf in leaves} for name, leaves in found.items()}
    assert watched == {
        "hand_stays": {"hands[1]"},
        "no_hand_falls": {"hands[0]", "hands[1]"},
        "time_never_stands": None,  # a step that changes nothing violates it
        "place_is_one": None,  # a place outside the array, where it fails
    }


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("hand_stays", Verdict.VIOLATED),
        ("no_hand_falls", Verdict.HOLDS),
        ("time_never_stands", Verdict.VIOLATED),
        ("place_is_one", Verdict.EVALUATION_FAILED),
    ],
)
def test_what_is_not_judged_makes_no_difference(clock, name, verdict):
    model = clock.with_properties([name])
    plain, native = readings.interpreted(model), readings.compiled(model)
    assert plain.verdict is verdict
    assert native[:4] == plain[:4]


def test_a_property_that_takes_long_is_always_judged(tmp_path):
    text = CLOCK.replace("range(len(after.hands))", "range(2000000)").replace("[number]", "[number % 2]")
    model = load(tmp_path, text).MODEL
    (found,) = [relevant_leaves(each, model.layout) for each in model.properties if each.name == "no_hand_falls"]
    assert found is None


@pytest.mark.parametrize("name", MODELS)
def test_a_property_holds_of_every_step_that_changes_nothing_it_watches(name):
    model = catalogue.find_model(name)
    layout = model.layout
    befores = random_states.states(model, 100, seed=name)
    others = random_states.anywhere(model, 100, seed=f"{name} later")
    watching = [
        (each, leaves) for each in model.properties if each.is_step if (leaves := relevant_leaves(each, layout))
    ]
    assert watching
    for each, leaves in watching:
        for before, other in zip(befores, others, strict=True):
            mixed = zip(before, other, strict=True)
            after = [mine if place in leaves else theirs for place, (mine, theirs) in enumerate(mixed)]
            assert each.holds(layout.restore(before), layout.restore(after)), each.name
