"""When an assignor of consumers looks at racks, and which of them match.

Part of Kafka modelled: `AbstractPartitionAssignor.useRackAwareAssignment`, `RangeAssignor.racksMatch`,
`AbstractStickyAssignor.RackInfo`.
Source: KIP-881; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: replicas that are offline or out of sync. An assignor counts the racks of all replicas.
"""

from kafkacheck.impl.assignors.group import Group, Partition


def racks_of(group: Group, partition: Partition) -> frozenset[str]:
    """The racks that have a replica of the partition."""
    return group.racks.get(partition, frozenset())


def racks_matter(group: Group, members: list[str], partitions: list[Partition]) -> bool:
    """Whether racks can make a difference: some member has a near replica, and some rack lacks some partition."""
    near = {group.members[member].rack for member in members} - {""}
    known = {rack for partition in partitions for rack in racks_of(group, partition)}
    return not near.isdisjoint(known) and any(racks_of(group, partition) != known for partition in partitions)


def is_near(group: Group, member: str, partition: Partition) -> bool:
    """Whether a replica is in the member's rack. Every partition is near to a member without a rack."""
    rack = group.members[member].rack
    return not rack or rack in racks_of(group, partition)
