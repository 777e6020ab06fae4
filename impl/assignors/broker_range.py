"""The range assignor of the group coordinator.

Part of Kafka modelled: `org.apache.kafka.coordinator.group.assignor.RangeAssignor`.
Source: KIP-848; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: Kafka's two ways, for equal and for different subscriptions, which cut a topic alike.
"""

from kafkacheck.impl.assignors.group import Assignment, Group, assignable_topics, no_partitions
from kafkacheck.impl.assignors.range import assign_ranges


def broker_range_assignment(group: Group) -> Assignment:
    """Cut each topic into a range for each subscriber, as consumers do without racks."""
    assigned = no_partitions(group)
    for topic in assignable_topics(group):
        assign_ranges(group, topic, assigned, False)
    return assigned
