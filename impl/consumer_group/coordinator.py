"""The group coordinator: it handles heartbeats, fences members, and looks for new partitions.

Part of Kafka modelled: `GroupMetadataManager` (`consumerGroupHeartbeat`, `consumerGroupLeave`,
`throwIfConsumerGroupMemberEpochIsInvalid`, `consumerGroupFenceMemberOrRemove`), `CoordinatorRuntime`.
Source: the classes of 4.0.0 to 4.4.0; KIP-848, KAFKA-19233.
Left out, and why that is sound: the time of sessions and of the assignor, which end and runs at once, later or never. A
group is one key of the log of its coordinator: the records of one heartbeat are committed together or not at all.
"""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.consumer_group.assignment import known_partitions, update_target_assignment
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    HeartbeatError,
    MemberState,
)
from kafkacheck.impl.consumer_group.reconciliation import reconcile, update_partition_epochs
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules, GroupMember
from kafkacheck.impl.messages.consumer_group_heartbeat import HeartbeatRequest, HeartbeatResponse


def heartbeat_error(member: GroupMember, rules: ConsumerGroupRules, request: HeartbeatRequest) -> HeartbeatError:
    """The error that forbids to handle a heartbeat, or `NONE`.

    A member may use its previous epoch if it owns nothing else than what it was assigned, because the response with
    the new epoch may have been lost.
    """
    if member.state == MemberState.NOT_A_MEMBER:
        if request.member_epoch == JOIN_GROUP_MEMBER_EPOCH:
            return HeartbeatError.NONE
        return HeartbeatError.UNKNOWN_MEMBER_ID
    if request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH or request.member_epoch == member.member_epoch:
        return HeartbeatError.NONE
    if request.member_epoch == JOIN_GROUP_MEMBER_EPOCH and rules.join_is_always_accepted:
        return HeartbeatError.NONE
    if request.member_epoch > member.member_epoch or request.member_epoch != member.previous_member_epoch:
        return HeartbeatError.FENCED_MEMBER_EPOCH
    if not request.names_owned or not request.owned <= member.assigned:
        return HeartbeatError.FENCED_MEMBER_EPOCH
    return HeartbeatError.NONE


def remove_member(
    group: ConsumerGroup, rules: ConsumerGroupRules, topic_count: int, member_id: int, existing: Ids
) -> None:
    """Remove a member, which leaves or is fenced; its partitions are free at once."""
    member = group.members[member_id]
    owned_before = member.assigned | member.pending_revocation
    clear(member)
    update_partition_epochs(group, owned_before, member)
    group.group_epoch += 1
    group.known = known_partitions(group, topic_count, existing)
    if rules.empty_group_is_assigned and all(each.state == MemberState.NOT_A_MEMBER for each in group.members):
        group.assignment_epoch = group.group_epoch


def has_changed(
    group: ConsumerGroup, topic_count: int, member: GroupMember, request: HeartbeatRequest, existing: Ids
) -> bool:
    """Whether the heartbeat of a member, or a new partition, makes the target assignment obsolete."""
    if member.state == MemberState.NOT_A_MEMBER or group.known != known_partitions(group, topic_count, existing):
        return True
    return request.names_topics and request.subscribed != member.subscribed


def raises_group_epoch(
    group: ConsumerGroup, rules: ConsumerGroupRules, topic_count: int, request: HeartbeatRequest, existing: Ids
) -> bool:
    """Whether the heartbeat makes the group epoch rise."""
    member = group.members[request.member_id]
    if heartbeat_error(member, rules, request) != HeartbeatError.NONE:
        return False
    if request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH:
        return True
    return has_changed(group, topic_count, member, request, existing)


def update_member(
    group: ConsumerGroup, topic_count: int, member: GroupMember, request: HeartbeatRequest, existing: Ids
) -> None:
    """Add a member that joins, take its subscription, and raise the group epoch if anything has changed."""
    if has_changed(group, topic_count, member, request, existing):
        group.group_epoch += 1
    if member.state == MemberState.NOT_A_MEMBER:
        member.state = MemberState.STABLE
        member.member_epoch = JOIN_GROUP_MEMBER_EPOCH
        member.previous_member_epoch = JOIN_GROUP_MEMBER_EPOCH
    if request.names_topics:
        member.subscribed = request.subscribed
    group.known = known_partitions(group, topic_count, existing)


def may_defer_assignment(group: ConsumerGroup, rules: ConsumerGroupRules) -> bool:
    """Whether the assignor may wait, because it has run less than `group.consumer.assignment.interval.ms` ago."""
    if not rules.assignor_may_wait or group.assignment_epoch == 0:
        return False
    if not rules.empty_group_is_assigned:
        return True
    return any(member.state != MemberState.NOT_A_MEMBER for member in group.members)


def update_group(
    group: ConsumerGroup,
    rules: ConsumerGroupRules,
    topic_count: int,
    request: HeartbeatRequest,
    existing: Ids,
    assigns: bool,
) -> HeartbeatError:
    """Let a heartbeat change the group; return the error if it is refused.

    A wrong epoch is refused. A member that leaves is removed. Any other is added or updated; a change leads to a new
    target assignment, unless the assignor waits, and the member is reconciled with it.
    """
    member = group.members[request.member_id]
    error = heartbeat_error(member, rules, request)
    if error != HeartbeatError.NONE:
        return error
    if request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH:
        remove_member(group, rules, topic_count, request.member_id, existing)
        return HeartbeatError.NONE
    subscribed_before = member.subscribed
    update_member(group, topic_count, member, request, existing)
    if group.group_epoch > group.assignment_epoch and assigns:
        update_target_assignment(group, topic_count)
    reconcile(group, rules, topic_count, member, request, member.subscribed != subscribed_before)
    return HeartbeatError.NONE


def is_full_request(request: HeartbeatRequest) -> bool:
    """Whether a request names all that it can, as the first one does, and the first one after an error."""
    if request.member_epoch == JOIN_GROUP_MEMBER_EPOCH:
        return True
    return request.names_timeout and request.names_topics and request.names_owned


def handle_group_heartbeat(
    group: ConsumerGroup,
    rules: ConsumerGroupRules,
    topic_count: int,
    request: HeartbeatRequest,
    response: HeartbeatResponse,
    existing: Ids,
    assigns: bool,
) -> None:
    """Handle a heartbeat, and write the response.

    Who: the group's coordinator.
    When: the request has arrived; `existing` are the partitions in the coordinator's metadata. `assigns`: whether the
        assignor runs, if the target assignment is an old one.
    Effect: the group changes (`update_group`). The response has the member's epoch. It names the assignment if the
        request was full, or if the assignment has changed.
    Source: GroupMetadataManager.consumerGroupHeartbeat.
    """
    member = group.members[request.member_id]
    assigned_before = member.assigned
    response.error = update_group(group, rules, topic_count, request, existing, assigns)
    if response.error != HeartbeatError.NONE:
        return
    response.member_epoch = member.member_epoch
    if member.state != MemberState.NOT_A_MEMBER:
        if is_full_request(request) or member.assigned != assigned_before or rules.assignment_is_always_told:
            response.names_assignment = True
            response.assigned = member.assigned
