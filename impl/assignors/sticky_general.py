"""The sticky assignment of a group whose members subscribe to different topics.

Part of Kafka modelled: `AbstractStickyAssignor` (`GeneralAssignmentBuilder`, `PartitionMovements`).
Source: KIP-54, KIP-341, KIP-881; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: Kafka's first look for another owner in the same rack, because the partition goes to
the same member if there is none.
"""

from typing import NamedTuple

from kafkacheck.impl.assignors.group import (
    NO_GENERATION,
    Assignment,
    Group,
    NoAssignmentError,
    Partition,
    assignable_topics,
    subscribers,
)
from kafkacheck.impl.assignors.racks import is_near, racks_matter


class Balancing(NamedTuple):
    """An assignment that is being balanced.

    group: the group.
    members_of: the subscribers of each topic.
    shared: the partitions that several members could have; those with the fewest subscribers come first.
    assigned: what each member has by now, without the members whose partitions nobody else can have.
    owner: the member that has, or had last, each partition.
    earlier: who had a partition in an earlier generation than the newest.
    moved: the partitions that were moved since the beginning: from which member, and to which.
    """

    group: Group
    members_of: dict[str, list[str]]
    shared: list[Partition]
    assigned: Assignment
    owner: dict[Partition, str]
    earlier: dict[Partition, str]
    moved: dict[Partition, tuple[str, str]]


def balanced(group: Group, owned: Assignment) -> Assignment:
    """Members keep what they own and may have; the rest goes to those with least; then partitions move for the balance.

    NoAssignmentError: see `moves`.
    Source: `GeneralAssignmentBuilder` (`build`, `balance`).
    """
    members_of = {topic: subscribers(group, topic) for topic in assignable_topics(group)}
    everything = [
        (topic, number)
        for topic in sorted(members_of, key=lambda topic: (len(members_of[topic]), topic))
        for number in range(group.topics[topic])
    ]
    shared = [each for each in everything if len(members_of[each[0]]) >= 2]
    owner = {partition: member for member, partitions in owned.items() for partition in partitions}
    balancing = Balancing(group, members_of, shared, owned, owner, owners_before(group), {})
    uses_racks = racks_matter(group, list(group.members), everything)
    is_revoked = revoke_unwanted(balancing, uses_racks)
    kept = set[Partition]().union(*owned.values())
    free = [each for each in everything if each not in kept]
    assign_free(balancing, free, uses_racks)
    fixed = {name: owned.pop(name) for name in group.members if not can_change(balancing, name)}
    before = {name: set(partitions) for name, partitions in owned.items()}
    if not is_revoked:
        move_partitions(balancing, [each for each in free if each in shared])
    is_moved = move_partitions(balancing, shared)
    if kept and is_moved and imbalance(owned) >= imbalance(before):
        return before | fixed
    return owned | fixed


def owners_before(group: Group) -> dict[Partition, str]:
    """Who claims a partition from an earlier generation than the newest one in the group; of several the latest claim.

    Source: `GeneralAssignmentBuilder.prepopulateCurrentAssignments`; KIP-341.
    """
    newest = max((member.generation for member in group.members.values()), default=NO_GENERATION)
    earlier: dict[Partition, str] = {}
    for name, member in group.members.items():
        for partition in member.owned:
            other = earlier.get(partition)
            is_later = other is None or member.generation > group.members[other].generation
            if member.generation < newest and is_later:
                earlier[partition] = name
    return earlier


def revoke_unwanted(balancing: Balancing, uses_racks: bool) -> bool:
    """Take from each member the partitions of topics that it has left, and, if racks matter, those not near it.

    Returns whether there were such partitions.
    """
    is_revoked = False
    for name, member in balancing.group.members.items():
        for partition in list(balancing.assigned[name]):
            if partition[0] not in member.topics or (uses_racks and not is_near(balancing.group, name, partition)):
                balancing.assigned[name].remove(partition)
                is_revoked = True
    return is_revoked


def least_loaded(balancing: Balancing) -> list[str]:
    """The members, beginning with those that have the fewest partitions."""
    return sorted(balancing.assigned, key=lambda name: (len(balancing.assigned[name]), name))


def assign_free(balancing: Balancing, free: list[Partition], uses_racks: bool) -> None:
    """Give each free partition to the subscriber with the fewest; if racks matter, first to one near it."""
    left = [each for each in free if not gives(balancing, each, True)] if uses_racks else free
    for partition in left:
        gives(balancing, partition, False)


def gives(balancing: Balancing, partition: Partition, near_only: bool) -> bool:
    """Give a partition to the subscriber with the fewest; whether there is one. `near_only`: one near the partition."""
    for name in least_loaded(balancing):
        if name in balancing.members_of[partition[0]] and (not near_only or is_near(balancing.group, name, partition)):
            balancing.assigned[name].add(partition)
            balancing.owner[partition] = name
            return True
    return False


def can_change(balancing: Balancing, name: str) -> bool:
    """Whether a member could get another partition, or could give one up to another member."""
    mine = balancing.assigned[name]
    return len(mine) < most_of(balancing, name) or not mine.isdisjoint(balancing.shared)


def most_of(balancing: Balancing, name: str) -> int:
    """How many partitions the topics of a member have."""
    group = balancing.group
    return sum(group.topics.get(topic, 0) for topic in group.members[name].topics)


def is_unfair(balancing: Balancing, partition: Partition) -> bool:
    """Whether some subscriber has at least two partitions less than the member that has this one."""
    load = len(balancing.assigned[balancing.owner[partition]])
    return any(len(balancing.assigned[name]) + 1 < load for name in balancing.members_of[partition[0]])


def is_balanced(balancing: Balancing) -> bool:
    """Whether no partition needs to go to a subscriber that has at least two less.

    A member that has as many partitions as its topics needs none; so also if they are of a topic that it has left.
    Source: `GeneralAssignmentBuilder.isBalanced`.
    """
    full = [name for name, mine in balancing.assigned.items() if len(mine) == most_of(balancing, name)]
    return not any(
        len(balancing.assigned[name]) + 1 < len(balancing.assigned[balancing.owner[partition]])
        for partition in balancing.shared
        for name in balancing.members_of[partition[0]]
        if name not in full
    )


def move_partitions(balancing: Balancing, partitions: list[Partition]) -> bool:
    """Move partitions, again and again from the first one, until no move makes the balance better.

    A partition goes back to the member that had it in an earlier generation if that member has too few; otherwise it
    goes to the subscriber with the fewest. Returns whether any partition was moved.
    Source: `GeneralAssignmentBuilder` (`performReassignments`, `isBalanced`).
    """
    is_moved = False
    goes_on = True
    while goes_on:
        goes_on = False
        for partition in partitions:
            if is_balanced(balancing):
                break
            if moves(balancing, partition):
                is_moved = goes_on = True
    return is_moved


def moves(balancing: Balancing, partition: Partition) -> bool:
    """Move a partition if that is fair; whether it was moved.

    NoAssignmentError if the member that had it earlier can have only what nobody else can have: Kafka throws
    an exception. If that member has left the topic, it gets the partition none the less.
    """
    load = len(balancing.assigned[balancing.owner[partition]])
    earlier = balancing.earlier.get(partition)
    if earlier is not None and earlier not in balancing.assigned:
        raise NoAssignmentError(f"{partition} was owned by {earlier} before, whose partitions are fixed")
    if earlier is not None and len(balancing.assigned[earlier]) + 1 < load:
        move(balancing, partition, earlier)
        return True
    if is_unfair(balancing, partition):
        members = balancing.members_of[partition[0]]
        move(balancing, partition, next(name for name in least_loaded(balancing) if name in members))
        return True
    return False


def move(balancing: Balancing, partition: Partition, member: str) -> None:
    """Give a member this partition, or take back from its owner one that was moved the other way before.

    Source: `PartitionMovements` (`getTheActualPartitionToBeMoved`, `movePartition`).
    """
    first = balancing.moved.get(partition, (balancing.owner[partition], ""))[0]
    back = [each for each, way in balancing.moved.items() if each[0] == partition[0] and way == (member, first)]
    partition = min(back, default=partition)
    owner = balancing.owner[partition]
    source = balancing.moved.pop(partition, (owner, ""))[0]
    if source != member:
        balancing.moved[partition] = (source, member)
    balancing.assigned[owner].remove(partition)
    balancing.assigned[member].add(partition)
    balancing.owner[partition] = member


def imbalance(assigned: Assignment) -> int:
    """The sum of the differences between the loads of any two members."""
    loads = [len(partitions) for partitions in assigned.values()]
    return sum(abs(one - other) for place, one in enumerate(loads) for other in loads[place + 1 :])
