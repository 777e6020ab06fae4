"""Numbers of a kind that makes no sense where they are used."""

import pytest

from kafkacheck.checker.process.errors import ModelError
from tests.support.snippets import load

FILE = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, AtMost, Bag, Count, Id, Ids, IdSet, Queue, Struct
from kafkacheck.checker.schema import including, remove
from kafkacheck.checker.schema.containers import Position


class Request(Struct):
    to: Annotated[int, Id("nodes")]
    size: Annotated[int, Count(2)]


class State(Struct):
    up: Annotated[Ids, IdSet("nodes")]
    mask: Annotated[int, IdSet("nodes")]
    leader: Annotated[int, Id("nodes", none=-1)]
    chosen: Annotated[int, Count("nodes - 1", lowest=-1)]
    seen: Annotated[int, Count(2)]
    left: Annotated[int, Allowance(2)]
    queue: Annotated[Queue[Request], AtMost("most")]
    bag: Annotated[Bag[Request], AtMost(2)]


def is_up(state: State, number: int) -> bool:
    return number in state.up  # helper


def size_at(state: State, at: int) -> int:
    return state.bag[at].size


def step(
    state: State,
    node: Annotated[int, Id("nodes")],
    count: Annotated[int, Count(2)],
    place: Annotated[int, Position(PLACES)],
) -> bool:
    CODE
    state.seen = 1 - state.seen
    return True


MODEL = Model(state=State, bounds={"nodes": 3, "most": 3}, actions=[step])
"""
COUNTS = [
    "if count in state.up: return False  # here",
    "if state.seen not in state.up: return False  # here",
    "if state.left in state.up: return False  # here",
    "state.up |= {state.seen}  # here",
    "state.up = Ids({node, count})  # here",
    "if any(request.size in state.up for request in state.queue): return False  # here",
    "for size in range(2):\n        if state.seen - 1 > size and state.seen in state.up: return False  # here",
    "number = state.seen\n    if number in state.up: return False  # here",
    "number = count\n    number = count if node == 1 else count\n    if number in state.up: return False  # here",
    "if is_up(state, count): return False",
]
IDS = [
    "if node in state.up or state.leader in state.up or state.chosen in state.up: return False",
    "if count + 1 in state.up or 1 in state.up or is_up(state, node): return False",
    "state.up = Ids({node, min(state.seen, 1)})\n    state.mask = including(state.mask, state.seen)",
    "if any(each in state.up for each in range(3)) or all(each in state.up for each in state.up): return False",
    "number = count\n    number = node\n    if number in state.up: return False",
    "for count in range(3):\n        if count in state.up: return False",
    "if any(request.to in state.up for request in state.bag): return False",
]
PLACES = [
    ("queue", 3, "if place >= len(state.queue): return False\n    remove(state.queue, place)"),
    ("queue", 3, "if place >= len(state.queue) or state.queue[place].to == 1: return False"),
    ("queue", 3, "at = place\n    if at < len(state.queue) and state.queue[at] == state.queue[0]: return False"),
    ("bag", 2, "if place >= len(state.bag) or size_at(state, place) == 1: return False"),
]


def snippet(tmp_path, code, places=3):
    return load(tmp_path, FILE.replace("CODE", code).replace("PLACES", str(places)))


@pytest.mark.parametrize("code", COUNTS)
def test_a_count_is_no_id_of_a_set(tmp_path, code):
    with pytest.raises(ModelError) as caught:
        snippet(tmp_path, code)
    told = str(caught.value)
    assert "a Count(" in told or "an Allowance(" in told
    assert told.endswith("which is no id; name an id, or declare this number as Id(...)")
    text = [number for number, line in enumerate(FILE.replace("CODE", code).splitlines(), 1) if "# here" in line]
    assert not text or f".py:{text[0]}: in step: `" in told


@pytest.mark.parametrize("code", IDS)
def test_other_numbers_may_be_ids(tmp_path, code):
    assert snippet(tmp_path, code).MODEL.actions


@pytest.mark.parametrize(("field", "size", "code"), PLACES)
def test_a_position_reaches_every_place(tmp_path, field, size, code):
    assert snippet(tmp_path, code, size).MODEL.actions and snippet(tmp_path, code, size + 1).MODEL.actions
    with pytest.raises(ModelError) as caught:
        snippet(tmp_path, code, size - 1)
    told = f"a Position(most={size - 1}) has the values 0 .. {size - 2}, and State.{field} has {size} places"
    assert told in str(caught.value)


def test_a_position_and_its_queue_are_compared_at_each_bound(tmp_path):
    model = snippet(tmp_path, PLACES[0][2]).MODEL
    with pytest.raises(Exception, match=r"let Position\(...\) name the same size as the AtMost\(...\) of State.queue"):
        model.with_bounds({"most": 4})
