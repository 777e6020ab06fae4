"""The target assignment of a group: which member is to own which partition.

Part of Kafka modelled: `TargetAssignmentBuilder`; an assignor of the broker.
Source: apache/kafka (commit 1eb7644349); KIP-848.
Left out, and why that is sound: racks. The protocol must be safe with every assignor: this one is balanced and keeps
what it can.
"""

from kafkacheck.checker.schema import Array, Ids
from kafkacheck.impl.consumer_group.constants import MemberState
from kafkacheck.impl.consumer_group.records import ConsumerGroup, GroupMember

NO_MEMBER = -1


def is_subscribed(member: GroupMember, topic_count: int, partition_id: int) -> bool:
    """Whether a member of the group subscribes to the partition's topic: topics take turns in numbering partitions."""
    return member.state != MemberState.NOT_A_MEMBER and partition_id % topic_count in member.subscribed


def subscribed_partitions(member: GroupMember, topic_count: int, partitions: Ids) -> Ids:
    """Those of some partitions that belong to the member's topics."""
    found = Ids()
    for partition_id in partitions:
        if is_subscribed(member, topic_count, partition_id):
            found |= {partition_id}
    return found


def known_partitions(group: ConsumerGroup, topic_count: int, existing: Ids) -> Ids:
    """The partitions of the topics to which the group subscribes."""
    known = Ids()
    for member in group.members:
        known |= subscribed_partitions(member, topic_count, existing)
    return known


def has_many(members: Array[GroupMember], member: GroupMember, partition_count: int) -> bool:
    """Whether a member has more of so many partitions than each can have if all have as many."""
    member_count = sum(1 for each in members if each.state != MemberState.NOT_A_MEMBER)
    return len(member.target) * member_count > partition_count + member_count - 1


def least_loaded_member(members: Array[GroupMember], topic_count: int, partition_id: int) -> int:
    """The member with the fewest partitions that subscribes to the partition's topic; `NO_MEMBER` if none does."""
    chosen = NO_MEMBER
    for member_id, member in enumerate(members):
        if is_subscribed(member, topic_count, partition_id):
            if chosen == NO_MEMBER or len(member.target) < len(members[chosen].target):
                chosen = member_id
    return chosen


def update_target_assignment(group: ConsumerGroup, topic_count: int) -> None:
    """Compute the target assignment of the group epoch: members keep what they may, and share the rest evenly."""
    for member in group.members:
        member.target = subscribed_partitions(member, topic_count, member.target & group.known)
        for partition_id in member.target:
            if has_many(group.members, member, len(group.known)):
                member.target -= {partition_id}
    for partition_id in group.known:
        if not any(partition_id in member.target for member in group.members):
            chosen = least_loaded_member(group.members, topic_count, partition_id)
            if chosen != NO_MEMBER:
                group.members[chosen].target |= {partition_id}
    group.assignment_epoch = group.group_epoch
