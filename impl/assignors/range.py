"""The range assignor of consumers: each topic is cut into as many ranges as it has subscribers.

Part of Kafka modelled: `org.apache.kafka.clients.consumer.RangeAssignor`.
Source: KIP-881; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: the order in which a member's partitions are listed. A consumer takes them as a set.
"""

from kafkacheck.impl.assignors.group import (
    Assignment,
    Group,
    Partition,
    assignable_topics,
    no_partitions,
    partitions_of,
    static_first,
)
from kafkacheck.impl.assignors.racks import is_near, racks_matter


def range_assignment(group: Group) -> Assignment:
    """Give the first subscribers of each topic one partition more if the partitions do not divide evenly.

    If racks matter for some topic, partitions first go to members near them, so far as a member's share allows.
    """
    assigned = no_partitions(group)
    topics = assignable_topics(group)
    if any(topic_needs_racks(group, topic) for topic in topics):
        assign_near(group, topics, assigned)
    for topic in topics:
        assign_ranges(group, topic, assigned, False)
    return assigned


def ordered_subscribers(group: Group, topic: str) -> list[str]:
    """The subscribers of a topic, in the order in which they get their ranges."""
    return [member for member in static_first(group) if topic in group.members[member].topics]


def topic_needs_racks(group: Group, topic: str) -> bool:
    """Whether racks matter for a topic, among its subscribers."""
    return racks_matter(group, ordered_subscribers(group, topic), partitions_of(group, topic))


def partitions_had(assigned: Assignment, member: str, topic: str) -> int:
    """How many partitions of the topic the member has by now."""
    return sum(of == topic for of, _ in assigned[member])


def room_left(group: Group, topic: str, assigned: Assignment, member: str) -> int:
    """How many more partitions of the topic the member may get: its share, less what it has.

    Its share is one larger as long as some subscriber may still have a larger one.
    """
    members = ordered_subscribers(group, topic)
    share, larger = divmod(group.topics[topic], len(members))
    taken = sum(partitions_had(assigned, each, topic) > share for each in members)
    return max(0, share + (taken < larger) - partitions_had(assigned, member, topic))


def assign_ranges(group: Group, topic: str, assigned: Assignment, near_only: bool) -> None:
    """Give each subscriber in turn the first free partitions for which it has room; `near_only`: of those near it."""
    for member in ordered_subscribers(group, topic):
        taken: set[Partition] = set().union(*assigned.values())
        free = [each for each in partitions_of(group, topic) if each not in taken]
        wanted = [each for each in free if not near_only or is_near(group, member, each)]
        assigned[member].update(wanted[: room_left(group, topic, assigned, member)])


def assign_near(group: Group, topics: list[str], assigned: Assignment) -> None:
    """Give partitions to members near them. Topics that can be partitioned alike are assigned together."""
    alike: dict[tuple[frozenset[str], int], list[str]] = {}
    for topic in topics:
        members = frozenset(ordered_subscribers(group, topic))
        alike.setdefault((members, group.topics[topic]), []).append(topic)
    for together in alike.values():
        if len(together) > 1:
            assign_alike(group, together, assigned)
        elif topic_needs_racks(group, together[0]):
            assign_ranges(group, together[0], assigned, True)


def assign_alike(group: Group, topics: list[str], assigned: Assignment) -> None:
    """Give the partitions of one number in all these topics to the first member near all of them, if it has room."""
    for number in range(group.topics[topics[0]]):
        for member in ordered_subscribers(group, topics[0]):
            if all(
                is_near(group, member, (topic, number)) and room_left(group, topic, assigned, member) > 0
                for topic in topics
            ):
                assigned[member].update((topic, number) for topic in topics)
                break
