"""How a member goes from the assignment that it has to its target: it first gives up, and then gets what is free.

Part of Kafka modelled: `CurrentAssignmentBuilder`; the partition epochs of `ConsumerGroup`.
Source: the classes of 4.0.0 to 4.4.0; KIP-848, KAFKA-16147, KAFKA-19431, KAFKA-19449.
Left out, and why that is sound: the state UNKNOWN, which only a newer coordinator writes.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.consumer_group.assignment import is_subscribed
from kafkacheck.impl.consumer_group.constants import NO_PARTITION_EPOCH, MemberState
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules, GroupMember


def update_partition_epochs(group: ConsumerGroup, owned_before: Ids, member: GroupMember) -> None:
    """Note the epochs of the partitions that a member owned before, and owns now."""
    for partition_id in owned_before:
        group.partition_epochs[partition_id] = NO_PARTITION_EPOCH
    for partition_id in member.assigned | member.pending_revocation:
        group.partition_epochs[partition_id] = member.member_epoch


def set_member_epoch(member: GroupMember, member_epoch: int) -> None:
    """Give a member an epoch; it may repeat a heartbeat with the one before."""
    member.previous_member_epoch = member.member_epoch
    member.member_epoch = member_epoch


def is_free(group: ConsumerGroup, rules: ConsumerGroupRules, member: GroupMember, partition_id: int) -> bool:
    """Whether a member may take a partition: nobody owns it, or this member did and has given it up."""
    if group.partition_epochs[partition_id] == NO_PARTITION_EPOCH:
        return True
    return rules.revoked_partition_may_return and partition_id in member.pending_revocation


def wanted(rules: ConsumerGroupRules, topic_count: int, member: GroupMember) -> Ids:
    """The target of a member: an old one may have partitions of topics to which the member subscribes no longer."""
    target = Ids()
    for partition_id in member.target:
        if not rules.unsubscribed_are_revoked or is_subscribed(member, topic_count, partition_id):
            target |= {partition_id}
    return target


def compute_next_assignment(
    group: ConsumerGroup,
    rules: ConsumerGroupRules,
    topic_count: int,
    member: GroupMember,
    claimed: Ids,
    member_epoch: int,
) -> None:
    """Bring a member as near to its target as the other members allow; `claimed`: what it may still own."""
    target = wanted(rules, topic_count, member)
    kept = member.assigned & target
    revoked = member.assigned - kept
    if claimed & revoked != Ids():
        member.state = MemberState.UNREVOKED_PARTITIONS
        set_member_epoch(member, member_epoch)
        member.assigned = kept
        member.pending_revocation = revoked
        return
    member.state = MemberState.STABLE
    for partition_id in target - kept:
        if is_free(group, rules, member, partition_id):
            kept |= {partition_id}
        else:
            member.state = MemberState.UNRELEASED_PARTITIONS
    set_member_epoch(member, group.assignment_epoch)
    member.assigned = kept
    member.pending_revocation = Ids()


def revoke_unsubscribed(rules: ConsumerGroupRules, topic_count: int, member: GroupMember, claimed: Ids) -> None:
    """Let a member that has subscribed to other topics give up the partitions of those that it has left."""
    kept = Ids()
    revoked = member.pending_revocation
    for partition_id in member.assigned:
        if is_subscribed(member, topic_count, partition_id):
            kept |= {partition_id}
        else:
            revoked |= {partition_id}
    if not rules.unsubscribed_are_revoked or kept == member.assigned:
        return
    if claimed & revoked != Ids():
        member.state = MemberState.UNREVOKED_PARTITIONS
        member.pending_revocation = revoked
    member.assigned = kept
    if rules.unsubscribing_forgets_previous_epoch:
        set_member_epoch(member, member.member_epoch)


def reconcile(
    group: ConsumerGroup,
    rules: ConsumerGroupRules,
    topic_count: int,
    member: GroupMember,
    claimed: Ids,
    has_resubscribed: bool,
) -> None:
    """Reconcile a member with its target assignment, as far as what it says to own (`claimed`) allows."""
    owned_before = member.assigned | member.pending_revocation
    if member.state == MemberState.STABLE:
        if member.member_epoch != group.assignment_epoch:
            compute_next_assignment(group, rules, topic_count, member, claimed, member.member_epoch)
        elif has_resubscribed:
            revoke_unsubscribed(rules, topic_count, member, claimed)
    elif member.state == MemberState.UNREVOKED_PARTITIONS:
        if claimed & member.pending_revocation != Ids():
            if has_resubscribed:
                revoke_unsubscribed(rules, topic_count, member, claimed)
        elif rules.revocation_keeps_epoch:
            compute_next_assignment(group, rules, topic_count, member, claimed, member.member_epoch)
        else:
            compute_next_assignment(group, rules, topic_count, member, claimed, member.member_epoch + 1)
    else:
        compute_next_assignment(group, rules, topic_count, member, claimed, member.member_epoch)
    update_partition_epochs(group, owned_before, member)
