"""How the leader of a classic group shares the partitions: as evenly as can be, and each member keeps what it may.

Part of Kafka modelled: `ConsumerCoordinator.onLeaderElected`, `CooperativeStickyAssignor`.
Source: apache/kafka (commit 1eb7644349); KIP-429.
Left out, and why that is sound: other assignors (`impl/assignors`), because the protocol must be safe with each of
them: this one is balanced and keeps what it can.
"""

from kafkacheck.checker.schema import Array, Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import NO_MEMBER_ID
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.impl.messages.classic_group import GroupResponse


def keeps(response: GroupResponse, assignments: Array[Ids], bounds: Bounds, partition_id: int) -> int:
    """The member that owns a partition and may keep it; `NO_MEMBER_ID` if there is none.

    It may not if that makes more partitions than each member can have, or if two members say that they own it.
    """
    owners = sum(1 for member_id in response.members if partition_id in response.owned[member_id])
    found = NO_MEMBER_ID
    for member_id in response.members:
        has_room = len(assignments[member_id]) * len(response.members) < bounds.partitions
        if owners == 1 and has_room and partition_id in response.owned[member_id]:
            found = member_id
    return found


def member_with_fewest(response: GroupResponse, assignments: Array[Ids]) -> int:
    """The member with the fewest partitions."""
    found = NO_MEMBER_ID
    for member_id in response.members:
        if found == NO_MEMBER_ID or len(assignments[member_id]) < len(assignments[found]):
            found = member_id
    return found


def assign(response: GroupResponse, rules: ClassicGroupRules, bounds: Bounds, assignments: Array[Ids]) -> None:
    """Write the assignment of each member of a generation, of which the leader was told.

    In the cooperative protocol, a partition that is to go to another member is left out until its owner has given it
    up: that one joins again then, and the next generation has the partition.
    Source: CooperativeStickyAssignor.adjustAssignment.
    """
    given = Ids()
    for partition_id in range(bounds.partitions):
        owner = keeps(response, assignments, bounds, partition_id)
        if owner != NO_MEMBER_ID:
            assignments[owner] |= {partition_id}
            given |= {partition_id}
    for partition_id in range(bounds.partitions):
        if partition_id not in given:
            chosen = member_with_fewest(response, assignments)
            assignments[chosen] |= {partition_id}
    if rules.is_cooperative and rules.owned_are_withheld:
        for member_id in response.members:
            for other_id in response.members:
                if other_id != member_id:
                    assignments[member_id] -= response.owned[other_id]
