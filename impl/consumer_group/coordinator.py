"""The group coordinator: it handles heartbeats, fences members, and looks for new partitions.

Part of Kafka modelled: `GroupMetadataManager` (`consumerGroupHeartbeat`, `consumerGroupLeave`,
`throwIfConsumerGroupMemberEpochIsInvalid`, `consumerGroupFenceMemberOrRemove`), `CoordinatorRuntime`.
Source: the classes of 4.0.0 to 4.4.0; KIP-848, KAFKA-14516, KAFKA-19233, KAFKA-20641.
Left out, and why that is sound: the time of sessions and of the assignor, which end and runs at once, later or never. A
group is one key of the log of its coordinator: the records of one heartbeat are committed together or not at all.
"""

from kafkacheck.checker.schema import Ids, clear, copy
from kafkacheck.impl.consumer_group.assignment import NO_MEMBER, known_partitions, update_target_assignment
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_INSTANCE,
    HeartbeatError,
    MemberState,
)
from kafkacheck.impl.consumer_group.reconciliation import reconcile, update_partition_epochs
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules, GroupMember
from kafkacheck.impl.messages.consumer_group_heartbeat import HeartbeatRequest, HeartbeatResponse


def static_member(group: ConsumerGroup, instance_id: int) -> int:
    """The member that has an instance id; `NO_MEMBER` if there is none, or if the id is none."""
    found = NO_MEMBER
    for member_id, member in enumerate(group.members):
        if instance_id != NO_INSTANCE and member.instance_id == instance_id:
            found = member_id
    return found


def instance_error(group: ConsumerGroup, rules: ConsumerGroupRules, request: HeartbeatRequest) -> HeartbeatError:
    """The error due to a heartbeat because of its instance id, or `NONE`."""
    owner = static_member(group, request.instance_id)
    if owner == NO_MEMBER:
        return HeartbeatError.NONE
    if request.member_epoch == JOIN_GROUP_MEMBER_EPOCH:
        if group.members[owner].has_left or (owner == request.member_id and rules.own_instance_is_free):
            return HeartbeatError.NONE
        if group.members[owner].uses_classic and rules.classic_instance_is_replaced:
            return HeartbeatError.NONE
        return HeartbeatError.UNRELEASED_INSTANCE_ID
    if owner != request.member_id:
        return HeartbeatError.FENCED_INSTANCE_ID
    return HeartbeatError.NONE


def heartbeat_error(group: ConsumerGroup, rules: ConsumerGroupRules, request: HeartbeatRequest) -> HeartbeatError:
    """The error that forbids to handle a heartbeat, or `NONE`."""
    error = instance_error(group, rules, request)
    if error != HeartbeatError.NONE:
        return error
    return epoch_error(group.members[request.member_id], rules, request)


def epoch_error(member: GroupMember, rules: ConsumerGroupRules, request: HeartbeatRequest) -> HeartbeatError:
    """The error due to a heartbeat because of its member epoch, or `NONE`.

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


def leave_for_a_while(group: ConsumerGroup, rules: ConsumerGroupRules, request: HeartbeatRequest) -> None:
    """Keep the place of a static member that leaves, until its session ends.

    It has given up its partitions, so that those which it had to give up are free; the others wait for it.
    Source: GroupMetadataManager.consumerGroupStaticMemberGroupLeave.
    """
    member = group.members[request.member_id]
    owned_before = member.assigned | member.pending_revocation
    member.has_left = request.is_temporary
    member.member_epoch = JOIN_GROUP_MEMBER_EPOCH
    member.previous_member_epoch = JOIN_GROUP_MEMBER_EPOCH
    member.pending_revocation = Ids()
    if rules.temporary_leave_is_stable and member.state == MemberState.UNREVOKED_PARTITIONS:
        member.state = MemberState.STABLE
    update_partition_epochs(group, owned_before, member)


def watch_members(group: ConsumerGroup) -> None:
    """Begin to watch the members that have to give up partitions, also those that have left for a while.

    Who: a coordinator that has read the group from the log. One that has seen a member leave ignores the end of the
        member's rebalance timeout, because that is of another epoch.
    Source: GroupMetadataManager.onLoaded.
    """
    for member in group.members:
        if member.state == MemberState.UNREVOKED_PARTITIONS:
            member.has_deadline = member.has_left


def may_time_out(member: GroupMember) -> bool:
    """Whether the coordinator removes a member at the end of its rebalance timeout.

    Source: GroupMetadataManager.scheduleConsumerGroupRebalanceTimeout.
    """
    if member.state != MemberState.UNREVOKED_PARTITIONS:
        return False
    return not member.has_left or member.has_deadline


def inherit_place(group: ConsumerGroup, instance_id: int, member_id: int) -> None:
    """Give the place of the static member that has an instance id to another one, or back to itself if it has left.

    Source: GroupMetadataManager.getOrMaybeSubscribeStaticConsumerGroupMember, replaceMember.
    """
    owner = static_member(group, instance_id)
    if owner == NO_MEMBER or (owner == member_id and not group.members[owner].has_left):
        return
    member = group.members[member_id]
    if owner != member_id:
        copy(member, group.members[owner])
        clear(group.members[owner])
    member.has_left = False
    member.has_deadline = False
    member.member_epoch = JOIN_GROUP_MEMBER_EPOCH
    member.previous_member_epoch = JOIN_GROUP_MEMBER_EPOCH


def subscription_of(member: GroupMember, request: HeartbeatRequest) -> Ids:
    """The topics to which a member subscribes from its heartbeat on, which names them if they are others."""
    return request.subscribed if request.names_topics else member.subscribed


def claimed_by(member: GroupMember, request: HeartbeatRequest) -> Ids:
    """The partitions that a member may still own: those that its heartbeat names, or all that it had if it names none.

    Source: CurrentAssignmentBuilder.ownsRevokedPartitions.
    """
    return request.owned if request.names_owned else member.assigned | member.pending_revocation


def has_changed(group: ConsumerGroup, topic_count: int, member: GroupMember, subscribed: Ids, existing: Ids) -> bool:
    """Whether a member that joins or subscribes to other topics, or a partition, makes the target assignment old."""
    if member.state == MemberState.NOT_A_MEMBER or group.known != known_partitions(group, topic_count, existing):
        return True
    return subscribed != member.subscribed


def raises_group_epoch(
    group: ConsumerGroup, rules: ConsumerGroupRules, topic_count: int, request: HeartbeatRequest, existing: Ids
) -> bool:
    """Whether the heartbeat makes the group epoch rise."""
    if heartbeat_error(group, rules, request) != HeartbeatError.NONE:
        return False
    if request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH:
        return not request.is_temporary
    owner = static_member(group, request.instance_id)
    if owner == NO_MEMBER:
        owner = request.member_id
    member = group.members[owner]
    return has_changed(group, topic_count, member, subscription_of(member, request), existing)


def update_member(
    group: ConsumerGroup,
    rules: ConsumerGroupRules,
    topic_count: int,
    member: GroupMember,
    subscribed: Ids,
    claimed: Ids,
    existing: Ids,
    assigns: bool,
) -> None:
    """Let a member join, or take its subscription, and reconcile it with its target assignment.

    A change makes the group epoch rise, and leads to a new target assignment unless the assignor waits. `claimed`: the
    partitions that the member may still own.
    Source: GroupMetadataManager.consumerGroupHeartbeat, classicGroupJoinToConsumerGroup.
    """
    subscribed_before = member.subscribed
    if has_changed(group, topic_count, member, subscribed, existing):
        group.group_epoch += 1
    if member.state == MemberState.NOT_A_MEMBER:
        member.state = MemberState.STABLE
        member.member_epoch = JOIN_GROUP_MEMBER_EPOCH
        member.previous_member_epoch = JOIN_GROUP_MEMBER_EPOCH
    member.subscribed = subscribed
    group.known = known_partitions(group, topic_count, existing)
    if group.group_epoch > group.assignment_epoch and assigns:
        update_target_assignment(group, topic_count)
    reconcile(group, rules, topic_count, member, claimed, subscribed != subscribed_before)


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

    A wrong epoch is refused. A member that leaves is removed, unless it is a static one that will be back. Any other is
    added or updated; a change leads to a new target assignment, unless the assignor waits, and the member is reconciled
    with it.
    """
    error = heartbeat_error(group, rules, request)
    if error != HeartbeatError.NONE:
        return error
    member = group.members[request.member_id]
    if request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH:
        if request.is_temporary:
            leave_for_a_while(group, rules, request)
        else:
            remove_member(group, rules, topic_count, request.member_id, existing)
        return HeartbeatError.NONE
    inherit_place(group, request.instance_id, request.member_id)
    if member.state == MemberState.NOT_A_MEMBER:
        member.instance_id = request.instance_id
    member.uses_classic = False
    member.named = Ids()
    subscribed = subscription_of(member, request)
    claimed = claimed_by(member, request)
    update_member(group, rules, topic_count, member, subscribed, claimed, existing, assigns)
    return HeartbeatError.NONE


def is_invalid_request(request: HeartbeatRequest) -> bool:
    """Whether a request lacks what it must name: one with epoch 0 names all, and owns nothing.

    Source: GroupCoordinatorService.throwIfConsumerGroupHeartbeatRequestIsInvalid.
    """
    if request.member_epoch != JOIN_GROUP_MEMBER_EPOCH:
        return False
    return not request.names_timeout or not request.names_topics or not request.names_owned or request.owned != Ids()


def is_full_request(request: HeartbeatRequest) -> bool:
    """Whether a request names all that it can, as the first one does, and the first one after an error."""
    if request.member_epoch == JOIN_GROUP_MEMBER_EPOCH:
        return True
    return request.names_timeout and request.names_topics and request.names_owned


def consumer_group_heartbeat(
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
    names_assignment = is_full_request(request) or rules.assignment_is_always_told
    answer_group_heartbeat(request, response, member, names_assignment or member.assigned != assigned_before)


def answer_group_heartbeat(
    request: HeartbeatRequest, response: HeartbeatResponse, member: GroupMember, names_assignment: bool
) -> None:
    """Write the response to a heartbeat that was accepted; one that leaves is told no assignment."""
    response.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    if request.member_epoch != LEAVE_GROUP_MEMBER_EPOCH:
        response.member_epoch = member.member_epoch
        if names_assignment:
            response.names_assignment = True
            response.assigned = member.assigned
