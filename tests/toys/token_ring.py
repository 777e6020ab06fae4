"""Does a token that is passed round a ring come to everyone, again and again?"""

from typing import Annotated

from kafkacheck.checker.model import EVERY_ACTION, Given, Model
from kafkacheck.checker.schema import Flag, Id, Struct


class Ring(Struct):
    """Who has the token, and whether the ring was cut."""

    holder: Annotated[int, Id("nodes")]
    is_cut: Annotated[bool, Flag()]


def node_passes(ring: Ring, node_id: Annotated[int, Id("nodes")]) -> bool:
    """The node that has the token passes it to the next one."""
    if ring.is_cut:
        return False
    if ring.holder != node_id:
        return False
    ring.holder = (node_id + 1) % 4
    return True


def ring_breaks(ring: Ring) -> bool:
    """The ring is cut for ever."""
    if ring.is_cut:
        return False
    ring.is_cut = True
    return True


def last_has_it(ring: Ring) -> bool:
    """The last node has the token."""
    return ring.holder == 3


def first_has_it(ring: Ring) -> bool:
    """The first node has the token."""
    return ring.holder == 0


def ring(weakly_fair: Given = EVERY_ACTION, breaks: bool = False) -> Model:
    """The ring, which may break or not."""
    return Model(
        name="token_ring",
        state=Ring,
        bounds={"nodes": 4},
        actions=[node_passes, ring_breaks] if breaks else [node_passes],
        eventually=[last_has_it],
        leads_to=[(last_has_it, first_has_it), (first_has_it, last_has_it)],
        weakly_fair=weakly_fair,
    )


MODEL = ring()
