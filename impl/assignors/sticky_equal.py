"""The sticky assignment of a group whose members all subscribe to the same topics.

Part of Kafka modelled: `AbstractStickyAssignor.ConstrainedAssignmentBuilder`.
Source: KIP-54, KIP-881; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: Kafka's counter of the members with a larger share; it is the number of those that have
one.
"""

from typing import NamedTuple

from kafkacheck.impl.assignors.group import (
    Assignment,
    Group,
    Partition,
    assignable_topics,
    no_partitions,
    partitions_of,
)
from kafkacheck.impl.assignors.racks import is_near, racks_matter, racks_of

NOBODY = -1


class Filling(NamedTuple):
    """An assignment that is being filled.

    group: the group.
    uses_racks: whether racks matter.
    share: how many partitions each member gets at least.
    larger: how many members get one more.
    assigned: what each member has by now.
    lost: the partitions that their owner does not keep, with the owner.
    contested: the partitions that several members claim.
    transferred: the partitions that go to another member, and that somebody may still own.
    short: the members that have less than their share, in turn.
    level: the members that have their share and may get one more, in turn.
    """

    group: Group
    uses_racks: bool
    share: int
    larger: int
    assigned: Assignment
    lost: dict[Partition, str]
    contested: set[Partition]
    transferred: set[Partition]
    short: list[str]
    level: list[str]


def filled_equally(group: Group, owned: Assignment, contested: set[Partition]) -> tuple[Assignment, set[Partition]]:
    """Each member keeps what it owns up to its share; what is left goes round the members that have too little.

    Returns the assignment, and the partitions that go from one member to another by it.
    """
    everything = [each for topic in sorted(assignable_topics(group)) for each in partitions_of(group, topic)]
    uses_racks = racks_matter(group, list(group.members), everything)
    share, larger = divmod(len(everything), len(group.members))
    filling = Filling(group, uses_racks, share, larger, no_partitions(group), {}, contested, set(), [], [])
    for member in group.members:
        keep_owned(filling, member, owned[member])
    filling.short.sort()
    filling.level.sort()
    kept = set[Partition]().union(*filling.assigned.values())
    left = [each for each in everything if each not in kept]
    if uses_racks:
        left.sort(key=lambda partition: members_near(group, partition))
        left = give_to_near(filling, left)
    give_in_turn(filling, left)
    return filling.assigned, filling.transferred


def may_grow(filling: Filling) -> bool:
    """Whether one more member may get a larger share."""
    return sum(len(each) > filling.share for each in filling.assigned.values()) < filling.larger


def keep_owned(filling: Filling, member: str, owned: set[Partition]) -> None:
    """Let a member keep what it owns, up to its share; up to a larger one if it owns enough and may get that.

    Of too many partitions it keeps those with the lowest numbers. If racks matter, it keeps only those near it.
    """
    mine = sorted(owned - filling.contested, key=lambda partition: (partition[1], partition[0]))
    kept = [each for each in mine if not filling.uses_racks or is_near(filling.group, member, each)]
    if len(kept) < filling.share:
        filling.short.append(member)
    elif may_grow(filling):
        if len(kept) > filling.share:
            kept = kept[: filling.share + 1]
        else:
            filling.level.append(member)
    else:
        kept = kept[: filling.share]
    filling.assigned[member].update(kept)
    filling.lost.update(dict.fromkeys(owned - set(kept), member))
    if not may_grow(filling):
        filling.level.clear()


def members_near(group: Group, partition: Partition) -> int:
    """How many members are in a rack with a replica of the partition."""
    return len([member for member in group.members.values() if member.rack in racks_of(group, partition)])


def next_near(filling: Filling, members: list[str], first: int, partition: Partition) -> int:
    """The place of the first member that has a replica in its rack, from a place on and around; NOBODY if none has."""
    racks = racks_of(filling.group, partition)
    for place in list(range(first, len(members))) + list(range(first)):
        if filling.group.members[members[place]].rack in racks:
            return place
    return NOBODY


def give_to_near(filling: Filling, partitions: list[Partition]) -> list[Partition]:
    """Give partitions to members in a rack with a replica, as long as these have less than they may get.

    Returns the partitions that are left.
    Source: `ConstrainedAssignmentBuilder.assignRackAwareRoundRobin`; KIP-881.
    """
    left, turn = [], 0
    for partition in partitions:
        place = next_near(filling, filling.short, turn, partition)
        if place != NOBODY:
            turn = give_to_short(filling, place, partition)
            continue
        place = next_near(filling, filling.level, 0, partition)
        if place != NOBODY:
            give(filling, filling.level.pop(place), partition)
            if not may_grow(filling):
                filling.level.clear()
        else:
            left.append(partition)
    return left


def give_to_short(filling: Filling, place: int, partition: Partition) -> int:
    """Give a partition to the member in this place of those that have too little; returns the place of the next one."""
    member = filling.short[place]
    give(filling, member, partition)
    if len(filling.assigned[member]) < filling.share:
        return (place + 1) % len(filling.short)
    filling.short.pop(place)
    if may_grow(filling):
        filling.level.append(member)
    return place % len(filling.short) if filling.short else 0


def give_in_turn(filling: Filling, partitions: list[Partition]) -> None:
    """Give partitions to the members that have too little in turn, then to those that may get one more.

    Source: `ConstrainedAssignmentBuilder.assignRoundRobin`.
    """
    turn = 0
    for partition in partitions:
        if filling.short:
            turn %= len(filling.short)
            member = filling.short[turn]
            give(filling, member, partition)
            if len(filling.assigned[member]) < filling.share:
                turn += 1
            else:
                filling.short.pop(turn)
                filling.level.append(member)
        else:
            give(filling, filling.level.pop(0), partition)


def give(filling: Filling, member: str, partition: Partition) -> None:
    """Assign a partition that is free, and note if another member may still own it."""
    filling.assigned[member].add(partition)
    if filling.lost.get(partition, member) != member or partition in filling.contested:
        filling.transferred.add(partition)
