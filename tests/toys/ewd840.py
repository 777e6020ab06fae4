"""Does the token of Dijkstra's algorithm EWD 840 report termination only where every node of the ring is passive?

Any node may be active and of either colour at first, and the token, which is then black, anywhere.
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, Flag, Id, Ids, IdSet, Struct

NodeId = Annotated[int, Id("nodes")]
Nodes = Annotated[Ids, IdSet("nodes")]
IsBlack = Annotated[bool, Flag()]


class Node(Struct):
    """Whether a node works, and whether it is black: it may have woken up one that the token has passed."""

    active: Annotated[bool, Flag()]
    black: IsBlack


class Ring(Struct):
    """The nodes, and where the token is and its colour."""

    nodes: Annotated[Array[Node], ById("nodes")]
    token_at: NodeId
    token_black: IsBlack


def start(ring: Ring, active: Nodes, black: Nodes, token_at: NodeId) -> bool:
    """Anything but a white token."""
    for node_id in range(len(ring.nodes)):
        ring.nodes[node_id].active = node_id in active
        ring.nodes[node_id].black = node_id in black
    ring.token_at = token_at
    ring.token_black = True
    return True


def initiate_probe(ring: Ring) -> bool:
    """Node 0 sends a white token round, if the last round was not conclusive."""
    if ring.token_at != 0:
        return False
    if not (ring.token_black or ring.nodes[0].black):
        return False
    ring.token_at = len(ring.nodes) - 1
    ring.token_black = False
    ring.nodes[0].black = False
    return True


def pass_token(ring: Ring, node_id: NodeId) -> bool:
    """A node hands the token on when it is passive, or when the round is lost anyway."""
    node = ring.nodes[node_id]
    if node_id == 0 or ring.token_at != node_id:
        return False
    if node.active and not node.black and not ring.token_black:
        return False
    ring.token_at = node_id - 1
    ring.token_black = ring.token_black or node.black
    node.black = False
    return True


def send_message(ring: Ring, sender_id: NodeId, receiver_id: NodeId) -> bool:
    """An active node wakes another one up, and turns black if the token comes to that one later than to itself."""
    if sender_id == receiver_id or not ring.nodes[sender_id].active:
        return False
    turns_black = receiver_id > sender_id and not ring.nodes[sender_id].black
    if ring.nodes[receiver_id].active and not turns_black:
        return False
    ring.nodes[receiver_id].active = True
    if turns_black:
        ring.nodes[sender_id].black = True
    return True


def deactivate(ring: Ring, node_id: NodeId) -> bool:
    """A node finishes its work."""
    if not ring.nodes[node_id].active:
        return False
    ring.nodes[node_id].active = False
    return True


def is_termination_detected(ring: Ring) -> bool:
    """Node 0 has a white token, is white and passive."""
    if ring.token_at != 0 or ring.token_black:
        return False
    return not ring.nodes[0].black and not ring.nodes[0].active


def detection_is_right(ring: Ring) -> bool:
    """Where termination is detected, nobody is active."""
    if not is_termination_detected(ring):
        return True
    for node_id in range(len(ring.nodes)):
        if ring.nodes[node_id].active:
            return False
    return True


def detected_stays_detected(before: Ring, after: Ring) -> bool:
    """Once detected, termination stays detected."""
    return not is_termination_detected(before) or is_termination_detected(after)


MODEL = Model(
    name="ewd840",
    state=Ring,
    initial=start,
    bounds={"nodes": 3},
    actions=[initiate_probe, pass_token, send_message, deactivate],
    always=[detection_is_right, detected_stays_detected],
    sometimes=[is_termination_detected],
)
