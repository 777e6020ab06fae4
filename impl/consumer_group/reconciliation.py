"""How a member goes from the assignment that it has to its target: it first gives up, and then gets what is free.

Part of Kafka modelled: `CurrentAssignmentBuilder`; the partition epochs of `ConsumerGroup`.
Source: apache/kafka (commit 1eb7644349); KIP-848, KAFKA-16147, KAFKA-19862.
Left out, and why that is sound: the state UNKNOWN, which only a newer coordinator writes.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.consumer_group.constants import NO_PARTITION_EPOCH, MemberState
from kafkacheck.impl.consumer_group.records import ConsumerGroup, GroupMember
from kafkacheck.impl.messages.consumer_group_heartbeat import HeartbeatRequest


def update_partition_epochs(group: ConsumerGroup, owned_before: Ids, member: GroupMember) -> None:
    """Note the epochs of the partitions that a member owned before, and owns now."""
    for partition_id in owned_before:
        group.partition_epochs[partition_id] = NO_PARTITION_EPOCH
    for partition_id in member.assigned | member.pending_revocation:
        group.partition_epochs[partition_id] = member.member_epoch


def still_owns(request: HeartbeatRequest, partitions: Ids) -> bool:
    """Whether a member may still own some of the partitions: it says so, or does not say what it owns."""
    return not request.names_owned or request.owned & partitions != Ids()


def set_member_epoch(member: GroupMember, member_epoch: int) -> None:
    """Give a member an epoch; it may repeat a heartbeat with the one before."""
    member.previous_member_epoch = member.member_epoch
    member.member_epoch = member_epoch


def compute_next_assignment(
    group: ConsumerGroup, member: GroupMember, request: HeartbeatRequest, member_epoch: int
) -> None:
    """Bring a member as near to its target as the other members allow."""
    kept = member.assigned & member.target
    revoked = member.assigned - kept
    if revoked != Ids() and still_owns(request, revoked):
        member.state = MemberState.UNREVOKED_PARTITIONS
        set_member_epoch(member, member_epoch)
        member.assigned = kept
        member.pending_revocation = revoked
        return
    member.state = MemberState.STABLE
    for partition_id in member.target - kept:
        if group.partition_epochs[partition_id] == NO_PARTITION_EPOCH:
            kept |= {partition_id}
        else:
            member.state = MemberState.UNRELEASED_PARTITIONS
    set_member_epoch(member, group.assignment_epoch)
    member.assigned = kept
    member.pending_revocation = Ids()


def reconcile(group: ConsumerGroup, member: GroupMember, request: HeartbeatRequest) -> None:
    """Reconcile a member with its target assignment, as far as its heartbeat allows."""
    owned_before = member.assigned | member.pending_revocation
    if member.state == MemberState.STABLE:
        if member.member_epoch == group.assignment_epoch:
            return
        compute_next_assignment(group, member, request, member.member_epoch)
    elif member.state == MemberState.UNREVOKED_PARTITIONS:
        if still_owns(request, member.pending_revocation):
            return
        compute_next_assignment(group, member, request, member.member_epoch + 1)
    else:
        compute_next_assignment(group, member, request, member.member_epoch)
    update_partition_epochs(group, owned_before, member)
