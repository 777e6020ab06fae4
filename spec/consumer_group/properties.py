"""Who owns a partition, what coordinators and consumers know of it, and that groups converge.

Part of Kafka judged: `impl/consumer_group` and `impl/client/consumer_membership.py`, by their records only.
Source: KIP-848; the public TLA+ specification `consumer_group_protocol_kip_848_v2` (Vanlightly/kafka-tlaplus), whose
invariants the docstrings name.
Left out, and why that is sound: positions and offsets.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.consumer_group.constants import NO_PARTITION_EPOCH, ConsumerState, HeartbeatStage, MemberState
from kafkacheck.impl.consumer_group.records import GroupMember
from kafkacheck.model.consumer_group.system import State


def is_member(member: GroupMember) -> bool:
    """Whether the coordinator knows the member."""
    return member.state != MemberState.NOT_A_MEMBER


def held(member: GroupMember) -> Ids:
    """The partitions that, as far as the coordinator knows, the member owns."""
    return member.assigned | member.pending_revocation


def is_valid(state: State, member_id: int) -> bool:
    """Whether the coordinator would accept a commit of the consumer: the consumer has the member's epoch."""
    member = state.group.members[member_id]
    return is_member(member) and not member.has_left and member.member_epoch == state.consumers[member_id].member_epoch


def no_two_owners(state: State) -> bool:
    """No two consumers own a partition if the coordinator would accept commits of both.

    Lost to users: two consumers process the same records, and each commits over the other.
    Source: KIP-848; `NoDoubleClientAssignment`.
    """
    return not any(
        one.owned & other.owned != Ids() and is_valid(state, one_id) and is_valid(state, other_id)
        for one_id, one in enumerate(state.consumers)
        for other_id, other in enumerate(state.consumers)
        if one_id < other_id
    )


def owners_are_known(state: State) -> bool:
    """The coordinator knows the partitions of each consumer whose commits it would accept.

    Lost if it fails: the coordinator gives a partition away that a consumer still processes.
    Source: KIP-848.
    """
    return all(
        consumer.owned <= held(state.group.members[member_id])
        for member_id, consumer in enumerate(state.consumers)
        if is_valid(state, member_id)
    )


def owners_know_their_topics(state: State, bounds: Bounds) -> bool:
    """A consumer owns only partitions whose topics its metadata has.

    Lost to users: the consumer cannot fetch the partition, though its coordinator takes it for the owner.
    Source: `AbstractMembershipManager.findResolvableAssignmentAndTriggerMetadataUpdate`; franz-go 1357.
    """
    return not any(
        partition_id % bounds.topics in consumer.unknown_topics
        for consumer in state.consumers
        for partition_id in consumer.owned
    )


def partitions_have_one_holder(state: State) -> bool:
    """The coordinator gives no partition to two members at a time.

    Lost if it fails: two consumers process the same records.
    Source: `ConsumerGroup.currentPartitionEpoch`.
    """
    return not any(
        held(one) & held(other) != Ids()
        for one_id, one in enumerate(state.group.members)
        for other_id, other in enumerate(state.group.members)
        if one_id < other_id
    )


def partition_epochs_are_of_holders(state: State) -> bool:
    """A partition has the epoch of the member that holds it, and none if no member does.

    Lost if it fails: a partition that is free is never given out, or one that is held is.
    Source: `ConsumerGroup.maybeUpdatePartitionEpoch`; `ValidPartitionEpoch`; KAFKA-16147.
    """
    for partition_id, partition_epoch in enumerate(state.group.partition_epochs):
        due = NO_PARTITION_EPOCH
        for member in state.group.members:
            if is_member(member) and partition_id in held(member):
                due = member.member_epoch
        if partition_epoch != due:
            return False
    return True


def has_subscriber(state: State, topic_id: int) -> bool:
    """Whether some member subscribes to the topic."""
    return any(topic_id in member.subscribed for member in state.group.members if is_member(member))


def target_assignment_is_legal(state: State, bounds: Bounds) -> bool:
    """Each partition of a subscribed topic has exactly one member in the target assignment, which subscribes to it.

    While the group epoch is ahead of it, the target assignment is an old one.
    Lost if it fails: nobody processes a partition, or somebody who did not ask for it, or two members do.
    Source: KIP-848; `LegalTargetAssignment`.
    """
    if state.group.assignment_epoch != state.group.group_epoch:
        return True
    for partition_id in state.group.known:
        topic_id = partition_id % bounds.topics
        owners = sum(1 for member in state.group.members if partition_id in member.target)
        if owners != int(has_subscriber(state, topic_id)):
            return False
        if any(partition_id in each.target and topic_id not in each.subscribed for each in state.group.members):
            return False
    return True


def epochs_are_ordered(state: State) -> bool:
    """No member is ahead of the target assignment, nor that of the group epoch, nor a consumer of its coordinator.

    Lost if it fails: a member with a new assignment counts as an old one, or a consumer is told what the log may lose.
    Source: KIP-848.
    """
    if state.group.assignment_epoch > state.group.group_epoch:
        return False
    if any(consumer.member_epoch > state.group.group_epoch for consumer in state.consumers):
        return False
    return all(
        member.previous_member_epoch <= member.member_epoch and member.member_epoch <= state.group.assignment_epoch
        for member in state.group.members
        if is_member(member)
    )


def is_stable(state: State) -> bool:
    """Whether the coordinator takes the group for stable: every member has the target assignment."""
    if state.group.assignment_epoch != state.group.group_epoch:
        return False
    return all(
        member.state == MemberState.STABLE and member.member_epoch == state.group.group_epoch
        for member in state.group.members
        if is_member(member)
    )


def stable_groups_have_their_target(state: State) -> bool:
    """In a stable group every member has its target, and nothing to give up.

    Lost if it fails: the group does not change any more, and a partition has no owner.
    Source: `ConsumerGroup.maybeUpdateGroupState`; `ValidStableGroupState`.
    """
    return not is_stable(state) or all(
        member.assigned == member.target and member.pending_revocation == Ids()
        for member in state.group.members
        if is_member(member)
    )


def newest_epoch_owns_no_other_target(state: State) -> bool:
    """A consumer with the newest epoch owns nothing that the target assignment gives to another member.

    Lost if it fails: a consumer goes on with a partition that it was to give up before it had this epoch.
    Source: `ValidMemberEpoch`.
    """
    return not any(
        consumer.owned & member.target != Ids()
        for member_id, consumer in enumerate(state.consumers)
        if is_valid(state, member_id) and consumer.member_epoch == state.group.assignment_epoch
        for other_id, member in enumerate(state.group.members)
        if other_id != member_id and is_member(member)
    )


def member_epochs_do_not_fall(before: State, after: State) -> bool:
    """The epoch of a member does not fall while the coordinator stays the same.

    Lost if it fails: an old heartbeat of the member counts as a new one.
    Source: KIP-848; `GcSideMemberEpochIsMonotonic`.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    return after.group.group_epoch >= before.group.group_epoch and all(
        member.member_epoch >= before.group.members[member_id].member_epoch
        for member_id, member in enumerate(after.group.members)
        if is_member(member) and is_member(before.group.members[member_id]) and not member.has_left
    )


def consumer_epochs_fall_only_to_join_or_leave(before: State, after: State) -> bool:
    """The epoch that a consumer knows falls only if it joins anew or leaves.

    Lost if it fails: its heartbeats are refused.
    Source: KIP-848; `ClientSideMemberEpochIsMonotonic`.
    """
    return all(
        consumer.member_epoch <= 0 or consumer.member_epoch >= before.consumers[member_id].member_epoch
        for member_id, consumer in enumerate(after.consumers)
    )


def members_wait_for_others(before: State, after: State) -> bool:
    """A member that has to wait for a partition waits for one that another member owns.

    Lost to users: nobody processes the partition meanwhile, though nothing is in the way.
    Source: `CurrentAssignmentBuilder.computeNextAssignment`; KAFKA-19449.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    return all(
        any(
            partition_id in member.target and partition_id in held(other)
            for partition_id in after.existing
            for other_id, other in enumerate(after.group.members)
            if other_id != member_id
        )
        for member_id, member in enumerate(after.group.members)
        if member.state == MemberState.UNRELEASED_PARTITIONS and member != before.group.members[member_id]
        if not member.has_left
    )


def consumers_that_left_are_no_members(state: State) -> bool:
    """A consumer that left is no member any more, once its coordinator has handled what it sent.

    Lost to users: its partitions have no consumer until its session ends.
    Source: KIP-848; apache/kafka pull request 15362.
    """
    return not any(
        consumer.state == ConsumerState.UNSUBSCRIBED
        and state.heartbeats[member_id].stage == HeartbeatStage.IDLE
        and is_member(state.group.members[member_id])
        for member_id, consumer in enumerate(state.consumers)
    )


def takes_no_part(consumer_state: ConsumerState) -> bool:
    """Whether a consumer in that state is in no group, and sends no heartbeats."""
    return (
        consumer_state == ConsumerState.CRASHED
        or consumer_state == ConsumerState.UNSUBSCRIBED
        or consumer_state == ConsumerState.FATAL
    )


def has_converged(state: State, bounds: Bounds) -> bool:
    """Every consumer that is in the group owns what the target assignment gives it, and every other is no member.

    Lost to users: a partition is processed by nobody, or a rebalance does not end.
    Source: KIP-848; `Converged`.
    """
    for member_id, consumer in enumerate(state.consumers):
        member = state.group.members[member_id]
        if takes_no_part(consumer.state):
            if is_member(member):
                return False
        elif consumer.state != ConsumerState.STABLE or not is_member(member):
            return False
        elif consumer.member_epoch != state.group.group_epoch or member.member_epoch != state.group.group_epoch:
            return False
        elif consumer.owned != member.target or consumer.subscribed != member.subscribed:
            return False
    return all(
        partition_id in state.group.known
        for partition_id in state.existing
        if has_subscriber(state, partition_id % bounds.topics)
    )


def has_not_converged(state: State, bounds: Bounds) -> bool:
    """Something is still to be given up, taken or told."""
    return not has_converged(state, bounds)


def both_own_something(state: State) -> bool:
    """All consumers own a partition. Without an example nothing is shared."""
    return all(consumer.owned != Ids() for consumer in state.consumers)


def partition_awaits_metadata(state: State) -> bool:
    """A consumer has told that it owns a part of its target. Without an example its metadata never matters."""
    return any(
        consumer.is_partial and not consumer.names_owned and state.heartbeats[member_id].stage == HeartbeatStage.IDLE
        for member_id, consumer in enumerate(state.consumers)
    )


def partition_is_awaited(state: State) -> bool:
    """A member waits for a partition that another one has to give up. Without an example no partition changes hands."""
    return any(member.state == MemberState.UNRELEASED_PARTITIONS for member in state.group.members)
