"""A small model whose behaviours are drawn as lanes: nodes that hold items, and a keeper that names the head.

It has every kind of field, an invariant that a helper decides, and a property of steps; both can be violated.
"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.drawing import Band, Cells, Event, ExtraLane, Lanes
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import (
    Array,
    ById,
    ByPosition,
    Count,
    EnumOf,
    Epoch,
    Flag,
    Id,
    IdSet,
    Offset,
    Struct,
    contains,
    including,
)

NodeId = Annotated[int, Id("nodes")]
Value = Annotated[int, Count("values")]


class Mood(IntEnum):
    """Whether somebody was named."""

    CALM = 0
    BUSY = 1


class Item(Struct):
    """A value in a slot; 0 in an empty one."""

    value: Value


class Node(Struct):
    """A node's items, how many of them are settled, and which node it takes for the head."""

    length: Annotated[int, Offset("size")]
    items: Annotated[Array[Item], ByPosition("size")]
    settled: Annotated[int, Offset("size")]
    head: Annotated[int, Id("nodes", none=-1)]
    turn: Annotated[int, Epoch("turns", none=-1)]


class Keeper(Struct):
    """Who is named head, in which turn, and who ever was."""

    head: Annotated[int, Id("nodes", none=-1)]
    turn: Annotated[int, Epoch("turns", none=-1)]
    named: Annotated[int, IdSet("nodes")]


class Relay(Struct):
    """The whole system."""

    nodes: Annotated[Array[Node], ById("nodes")]
    keeper: Keeper
    mood: Annotated[Mood, EnumOf(Mood)]
    dirty: Annotated[bool, Flag()]


def keeper_name_head(relay: Relay, node_id: NodeId) -> bool:
    """The keeper names a head for the next turn, and the node hears of it at once."""
    if relay.keeper.turn + 1 >= len(relay.nodes):
        return False
    if contains(relay.keeper.named, node_id):
        return False
    relay.keeper.turn += 1
    relay.keeper.head = node_id
    relay.keeper.named = including(relay.keeper.named, node_id)
    relay.nodes[node_id].head = node_id
    relay.nodes[node_id].turn = relay.keeper.turn
    relay.mood = Mood.BUSY
    return True


def node_add(relay: Relay, node_id: NodeId, value: Value) -> bool:
    """A node that takes itself for the head adds an item."""
    node = relay.nodes[node_id]
    if node.head != node_id:
        return False
    if value == 0:
        return False
    if node.length == len(node.items):
        return False
    node.items[node.length].value = value
    node.length += 1
    relay.dirty = True
    return True


def node_settle(relay: Relay, node_id: NodeId) -> bool:
    """A node settles its next item."""
    node = relay.nodes[node_id]
    if node.settled == node.length:
        return False
    node.settled += 1
    return True


def node_copy(relay: Relay, node_id: NodeId) -> bool:
    """A node takes the named head for the head, and copies all its items, whatever it had."""
    node = relay.nodes[node_id]
    if relay.keeper.head < 0:
        return False
    if relay.keeper.head == node_id:
        return False
    if node.turn == relay.keeper.turn:
        return False
    head = relay.nodes[relay.keeper.head]
    node.head = relay.keeper.head
    node.turn = relay.keeper.turn
    for position in range(len(node.items)):
        node.items[position].value = head.items[position].value
    node.length = head.length
    node.settled = min(node.settled, node.length)
    return True


def has_item(node: Node, other: Node, place: int) -> bool:
    """Whether `node` has the item of `other` in that place."""
    if place >= node.length:
        return False
    return node.items[place].value == other.items[place].value


def settled_items_kept(relay: Relay) -> bool:
    """Every settled item is on the named head. The rest of this text is not its first sentence."""
    if relay.keeper.head < 0:
        return True
    for node_id in range(len(relay.nodes)):
        node = relay.nodes[node_id]
        for position in range(node.settled):
            if not has_item(relay.nodes[relay.keeper.head], node, position):
                return False
    return True


def settled_never_falls(before: Relay, after: Relay) -> bool:
    """No node unsettles an item."""
    for node_id in range(len(before.nodes)):
        settled = before.nodes[node_id].settled
        if after.nodes[node_id].settled < settled:
            return False
    return True


LANES = Lanes(
    array="nodes",
    title="node {lane}",
    text="settled {settled}  head {head}",
    cells=Cells("items", "length", "v{value}", marker="settled", shaded="settled", cut="drops"),
    band=Band("head", "head in turn {turn}", "turn"),
    extra=(ExtraLane("keeper", "keeper", "turn {keeper.turn}  head {keeper.head}  named {keeper.named}"),),
    events={
        "keeper_name_head": Event("keeper", "names node {node_id}, turn {keeper.turn}", to="node_id", asks=True),
        "node_add": Event("node_id", "adds v{value}"),
        "node_settle": Event("node_id", "settles {before.nodes[node_id].settled}"),
        "node_copy": Event("nodes[node_id].head", "copies {before.nodes[nodes[node_id].head].length}", to="node_id"),
    },
    suspects=("node_id",),
    place="position",
    legend=('v1 & <v2>: "items"',),
)

MODEL = Model(
    name="relay",
    state=Relay,
    bounds={"nodes": 2, "size": 2, "values": 2, "turns": 1},
    actions=[keeper_name_head, node_add, node_settle, node_copy],
    always=[settled_items_kept],
    drawing=LANES,
)
STEPS = Model(
    name="relay_steps",
    state=Relay,
    bounds={"nodes": 2, "size": 2, "values": 1, "turns": 1},
    actions=[keeper_name_head, node_add, node_settle, node_copy],
    always=[settled_never_falls],
)

LOSS = (
    ("keeper_name_head", {"node_id": 0}),
    ("node_add", {"node_id": 0, "value": 1}),
    ("node_add", {"node_id": 0, "value": 2}),
    ("node_settle", {"node_id": 0}),
    ("keeper_name_head", {"node_id": 1}),
)
"""Calls after which an item that node 0 has settled is not on the named head, node 1."""


def relay_with(*, actions=(), **definition) -> Model:
    """The relay with other actions or bounds, and nothing to check."""
    actions = actions or [each.function for each in MODEL.actions]
    return Model(name="relay", state=Relay, actions=actions, **({"bounds": MODEL.bounds} | definition))
