"""The round-robin assignor of consumers: all partitions are dealt out in turn.

Part of Kafka modelled: `org.apache.kafka.clients.consumer.RoundRobinAssignor`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: racks, at which Kafka does not look here either.
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


def round_robin_assignment(group: Group) -> Assignment:
    """Deal the partitions out by the names of their topics, then by their numbers."""
    return dealt(group, [each for topic in sorted(assignable_topics(group)) for each in partitions_of(group, topic)])


def dealt(group: Group, partitions: list[Partition]) -> Assignment:
    """Deal partitions out in this order. A member that does not subscribe to the topic is passed over.

    Some member must subscribe to each of the topics. The consumers before Kafka 0.9 put the partitions into the order
    of their hashes.
    """
    assigned = no_partitions(group)
    members = static_first(group)
    turn = 0
    for partition in partitions:
        while partition[0] not in group.members[members[turn]].topics:
            turn = (turn + 1) % len(members)
        assigned[members[turn]].add(partition)
        turn = (turn + 1) % len(members)
    return assigned
