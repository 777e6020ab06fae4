"""The uniform assignor of the group coordinator, for members that all subscribe to the same topics.

Part of Kafka modelled: `UniformAssignor`, `UniformHomogeneousAssignmentBuilder`.
Source: KIP-848; apache/kafka (commit 1eb7644349), and the class files of the releases 4.0.0 to 4.4.0.
Left out, and why that is sound: how Kafka avoids copies of assignments that do not change.
"""

from kafkacheck.impl.assignors.group import (
    Assignment,
    Group,
    Partition,
    assignable_topics,
    no_partitions,
    partitions_of,
)
from kafkacheck.impl.assignors.uniform_different import uniform_for_different_topics


def uniform_assignment(group: Group, extra_stays: bool = True) -> Assignment:
    """Spread the partitions evenly, and let members keep what they have where the balance allows that.

    `extra_stays`: see `kept_and_room`.
    """
    if len({member.topics for member in group.members.values()}) > 1:
        return uniform_for_different_topics(group)
    topics = assignable_topics(group)
    if not topics:
        return no_partitions(group)
    assigned, room = kept_and_room(group, topics, extra_stays)
    owned = set[Partition]().union(*(member.owned for member in group.members.values()))
    free = [each for topic in topics for each in partitions_of(group, topic) if each not in owned]
    for name, member in group.members.items():
        free += [each for each in in_order(topics, member.owned) if each not in assigned[name]]
    for name, quota in room.items():
        assigned[name].update(free[:quota])
        free = free[quota:]
    return assigned


def in_order(topics: list[str], partitions: frozenset[Partition]) -> list[Partition]:
    """The partitions of these topics: topic by topic, then by number."""
    return [each for topic in topics for each in sorted(partitions) if each[0] == topic]


def kept_and_room(group: Group, topics: list[str], extra_stays: bool) -> tuple[Assignment, dict[str, int]]:
    """What each member keeps of what it owns, and how many partitions it gets beside that.

    If the partitions do not divide evenly, some members get one more than the others. With `extra_stays` a member
    that does not own one more leaves it to a later member, if enough of them come. Without it the first ones get it.
    Source: `UniformHomogeneousAssignmentBuilder.maybeRevokePartitions`.
    """
    share, larger = divmod(sum(group.topics[topic] for topic in topics), len(group.members))
    kept: Assignment = {}
    room = {}
    for place, (name, member) in enumerate(group.members.items()):
        quota = share + (larger > 0)
        mine = in_order(topics, member.owned)
        if extra_stays and len(mine) < quota and 0 < larger < len(group.members) - place:
            quota -= 1
        kept[name] = set(mine[:quota])
        room[name] = quota - len(kept[name])
        larger -= quota > share
    return kept, room
