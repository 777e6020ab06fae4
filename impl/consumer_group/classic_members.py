"""Members that use the classic protocol in a group of the new one, while consumers go from one to the other.

Part of Kafka modelled: `GroupMetadataManager` (`classicGroupJoinToConsumerGroup`, `classicGroupSyncToConsumerGroup`,
`classicGroupHeartbeatToConsumerGroup`, `classicGroupLeaveToConsumerGroup`).
Source: apache/kafka (commit 1eb7644349); KIP-848, KAFKA-16299, KAFKA-17228.
Left out, and why that is sound: the request for a member id (KIP-394), which the classic groups have: a consumer that
asks without one joins at once. The times to join and to sync, which end as a session does.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.classic_group.constants import NO_MEMBER_ID, GroupError
from kafkacheck.impl.classic_group.coordinator import answer_request
from kafkacheck.impl.consumer_group.assignment import NO_MEMBER
from kafkacheck.impl.consumer_group.constants import NO_INSTANCE, NO_PARTITION_EPOCH, MemberState
from kafkacheck.impl.consumer_group.coordinator import inherit_place, remove_member, static_member, update_member
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules, GroupMember
from kafkacheck.impl.messages.classic_group import Connection, GroupRequest


def identity_error(group: ConsumerGroup, request: GroupRequest) -> GroupError:
    """The error due to a request of a member of the classic protocol because of its ids, or `NONE`.

    Source: GroupMetadataManager.validateConsumerGroupMember, throwIfMemberDoesNotUseClassicProtocol.
    """
    if request.instance_id != NO_INSTANCE:
        owner = static_member(group, request.instance_id)
        if owner != NO_MEMBER and owner != request.member_id:
            return GroupError.FENCED_INSTANCE_ID
    if request.member_id == NO_MEMBER_ID or not group.members[request.member_id].uses_classic:
        return GroupError.UNKNOWN_MEMBER_ID
    return GroupError.NONE


def classic_member_error(group: ConsumerGroup, request: GroupRequest) -> GroupError:
    """The same for a request that names a generation, which is to be the member's epoch: also that of a commit."""
    error = identity_error(group, request)
    if error == GroupError.NONE and request.generation != group.members[request.member_id].member_epoch:
        return GroupError.ILLEGAL_GENERATION
    return error


def join_error(group: ConsumerGroup, request: GroupRequest) -> GroupError:
    """The error due to a request to join, or `NONE`: a dynamic member that the group does not know is a new one."""
    if request.member_id == NO_MEMBER_ID or request.instance_id == NO_INSTANCE:
        return GroupError.NONE
    return identity_error(group, request)


def join_consumer_group(
    group: ConsumerGroup,
    rules: ConsumerGroupRules,
    topic_count: int,
    connection: Connection,
    member_id: int,
    existing: Ids,
) -> None:
    """Handle a request to join with the classic protocol. The consumer subscribes to all topics.

    Who: the coordinator of a group of the new protocol.
    When: the request has arrived.
    Effect: as for a heartbeat of the new protocol, the member is reconciled as far as its owned partitions allow. It is
        told its epoch as a generation, and no other member: so it does not lead.
    Source: GroupMetadataManager.classicGroupJoinToConsumerGroup.
    """
    request = connection.request
    error = join_error(group, request)
    if error == GroupError.NONE:
        inherit_place(group, request.instance_id, member_id)
        member = group.members[member_id]
        if member.state == MemberState.NOT_A_MEMBER:
            member.instance_id = request.instance_id
        member.uses_classic = True
        member.named = request.owned
        update_member(group, rules, topic_count, member, Ids(range(topic_count)), request.owned, existing, True)
        connection.response.generation = member.member_epoch
    answer_request(connection, error, member_id)


def newest_epoch(group: ConsumerGroup, rules: ConsumerGroupRules) -> int:
    """The epoch that a member of the classic protocol is to have."""
    return group.assignment_epoch if rules.rebalance_awaits_target else group.group_epoch


def is_rebalancing(group: ConsumerGroup, rules: ConsumerGroupRules, member: GroupMember) -> bool:
    """Whether a member that asks for its assignment must join again first.

    One that has partitions to give up must know the assignment to do so.
    Source: GroupMetadataManager.throwIfRebalanceInProgress.
    """
    is_behind = newest_epoch(group, rules) > member.member_epoch
    return is_behind and member.state != MemberState.UNREVOKED_PARTITIONS


def sync_with_consumer_group(group: ConsumerGroup, rules: ConsumerGroupRules, connection: Connection) -> None:
    """Handle a request for an assignment: nothing has to be waited for.

    Source: GroupMetadataManager.classicGroupSyncToConsumerGroup.
    """
    member_id = connection.request.member_id
    error = classic_member_error(group, connection.request)
    if error == GroupError.NONE and is_rebalancing(group, rules, group.members[member_id]):
        error = GroupError.REBALANCE_IN_PROGRESS
    if error == GroupError.NONE:
        connection.response.assigned = group.members[member_id].assigned
    answer_request(connection, error, member_id)


def awaits_others(group: ConsumerGroup, member: GroupMember) -> bool:
    """Whether a partition of a member's target is still another member's.

    Source: ConsumerGroup.waitingOnUnreleasedPartition.
    """
    return any(
        group.partition_epochs[partition_id] != NO_PARTITION_EPOCH for partition_id in member.target - member.assigned
    )


def must_join_again(group: ConsumerGroup, rules: ConsumerGroupRules, member: GroupMember) -> bool:
    """Whether a member is to join again: for a newer target, to give up partitions, or to get what is free by now."""
    if member.member_epoch < newest_epoch(group, rules) or member.state == MemberState.UNREVOKED_PARTITIONS:
        return True
    return member.state == MemberState.UNRELEASED_PARTITIONS and not awaits_others(group, member)


def answer_classic_heartbeat(group: ConsumerGroup, rules: ConsumerGroupRules, connection: Connection) -> None:
    """Handle a heartbeat of the classic protocol: the member learns by the answer that it is to join again.

    Source: GroupMetadataManager.classicGroupHeartbeatToConsumerGroup.
    """
    member_id = connection.request.member_id
    error = classic_member_error(group, connection.request)
    if error == GroupError.NONE and must_join_again(group, rules, group.members[member_id]):
        error = GroupError.REBALANCE_IN_PROGRESS
    answer_request(connection, error, member_id)


def leave_consumer_group(
    group: ConsumerGroup, rules: ConsumerGroupRules, topic_count: int, connection: Connection, existing: Ids
) -> None:
    """Handle a request of the classic protocol to leave.

    Source: GroupMetadataManager.classicGroupLeaveToConsumerGroup.
    """
    member_id = connection.request.member_id
    error = identity_error(group, connection.request)
    if error == GroupError.NONE:
        remove_member(group, rules, topic_count, member_id, existing)
    answer_request(connection, error, member_id)
