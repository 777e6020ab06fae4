"""A witness has absent ids, members of enums and id sets by their names, and JSON their numbers."""

from enum import IntEnum
from typing import Annotated

import pytest

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import NONE, Array, ById, Id, IdSet, Struct
from kafkacheck.checker.search import check
from kafkacheck.checker.traces.witness import explain


class Mode(IntEnum):
    IDLE = 0
    BUSY = 1


class Node(Struct):
    mode: Mode
    leader: Annotated[int, Id("nodes", none=NONE)]


class State(Struct):
    seen: Annotated[int, IdSet("nodes")]
    nodes: Annotated[Array[Node], ById("nodes")]


def join(state: State, node_id: Annotated[int, Id("nodes")]) -> bool:
    if state.nodes[node_id].mode == Mode.BUSY:
        return False
    state.nodes[node_id].mode = Mode.BUSY
    state.seen = 6
    return True


def is_well(mode: Mode, leader: int) -> bool:
    return mode == Mode.IDLE or leader != NONE


def none_is_busy(state: State) -> bool:
    for node in state.nodes:
        leader = node.leader
        if node.mode == Mode.BUSY and leader == NONE and state.seen == 6:
            return False
    return True


def all_are_well(state: State) -> bool:
    return all(is_well(node.mode, node.leader) for node in state.nodes)


@pytest.mark.parametrize(
    ("judge", "told", "numbers"),
    [
        (none_is_busy, ["leader=none", "node.mode = BUSY", "state.seen = {1, 2}"], {"leader": -1, "state.seen": 6}),
        (all_are_well, ["mode=BUSY", "mode = BUSY"], {"mode": 1}),
    ],
    ids=["fields and names", "parameters"],
)
def test_numbers_are_told_by_name(judge, told, numbers):
    model = Model(name="named", state=State, bounds={"nodes": 3}, actions=[join], always=[judge])
    trace = check(model, engine="interpreted").trace
    assert trace is not None
    witness = explain(trace)
    assert witness is not None
    for words in told:
        assert words in witness.text
    assert "NONE = " not in witness.text
    data = witness.to_json()
    assert {name: (data["values"] | data["operands"]).get(name) for name in numbers} == numbers
