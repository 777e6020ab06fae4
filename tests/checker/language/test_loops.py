"""A loop over an array is the loop over its indices, in every reading, whatever its body writes."""

import random

import pytest

from tests.checker.symbolic.test_symbolic import compare
from tests.programs import random_states
from tests.support import readings
from tests.support.snippets import load

SHELVES = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, ByPosition, Count, Struct

Weight = Annotated[int, Count(3)]


class Shelf(Struct):
    total: Weight
    boxes: Annotated[Array[Weight], ByPosition(2)]


class State(Struct):
    shelves: Annotated[Array[Shelf], ById(3)]
    chosen: Annotated[int, Count(2)]


def boxes_come(state: State, weight: Annotated[int, Count(2, lowest=1)]) -> bool:
    is_stored = False
    {each_shelf}
        if shelf.total + weight <= 3 and not is_stored:
            shelf.total += weight
            is_stored = True
        {each_box}
            if box < shelf.total:
                shelf.boxes[1] = max(shelf.boxes[0], shelf.total)
    return is_stored


def shelf_is_emptied(state: State) -> bool:
    weight = 0
    {each_chosen}
        state.chosen = 0
        weight += box
    if weight == 0:
        state.chosen = {chosen}
        return False
    state.shelves[0].boxes[0] = 0
    state.shelves[0].boxes[1] = 0
    state.shelves[0].total = 0
    return True


def another_is_chosen(state: State) -> bool:
    state.chosen = (state.chosen + 1) % 3
    return True


def shelves_hold(state: State) -> bool:
    weight = 0
    {each_shelf}
        weight += shelf.total
    return weight < 8


MODEL = Model(
    name="shelves",
    state=State,
    actions=[boxes_come, shelf_is_emptied, another_is_chosen],
    always=[shelves_hold],
)
"""
OVER_ARRAYS = {
    "each_shelf": "for shelf in state.shelves:",
    "each_box": "for box in shelf.boxes:",
    "each_chosen": "before = state.chosen\n    for box in state.shelves[state.chosen].boxes:",
    "chosen": "before",
}
OVER_INDICES = {
    "each_shelf": "for number in range(3):\n        shelf = state.shelves[number]",
    "each_box": "for place in range(2):\n            box = shelf.boxes[place]",
    "each_chosen": (
        "before = state.chosen\n    boxes = state.shelves[state.chosen].boxes\n    for place in range(2):\n"
        "        box = boxes[place]"
    ),
    "chosen": "before",
}


@pytest.fixture
def models(tmp_path):
    return [load(tmp_path, SHELVES.format(**loops)).MODEL for loops in (OVER_ARRAYS, OVER_INDICES)]


def test_all_readings_find_the_same_states(models):
    found = [read(model) for model in models for read in (readings.interpreted, readings.compiled)]
    assert found[0].property == "shelves_hold"
    assert found[1:] == found[:1] * 3


@pytest.mark.parametrize("name", ["boxes_come", "shelf_is_emptied"])
def test_it_is_read_symbolically_as_it_runs(models, name):
    for model in models:
        assert compare(model, model.action(name), random_states.states(model, 300, seed=random.Random(name).random()))
