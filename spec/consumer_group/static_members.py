"""What must hold of static members: they keep their places while they are away, and nobody else takes these.

Part of Kafka judged: `impl/consumer_group/coordinator.py` and `impl/client/consumer_membership.py`, by their records.
Source: KIP-848; apache/kafka `GroupMetadataManager`.
Left out, and why that is sound: offsets, of which no rule of membership speaks.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.consumer_group.constants import NO_INSTANCE, HeartbeatError, HeartbeatStage, MemberState
from kafkacheck.impl.consumer_group.records import ConsumerGroup, GroupMember
from kafkacheck.model.consumer_group.system import State
from kafkacheck.spec.consumer_group.properties import is_member


def members_that_must_revoke_have_something_to_revoke(state: State) -> bool:
    """A member that counts as one that must give up partitions has some to give up.

    Lost if it fails: the coordinator waits for a revocation that will never be told.
    Source: `CurrentAssignmentBuilder`; KAFKA-20641.
    """
    return all(
        member.pending_revocation != Ids()
        for member in state.group.members
        if member.state == MemberState.UNREVOKED_PARTITIONS
    )


def instance_ids_have_one_member(state: State) -> bool:
    """No two members have one instance id.

    Lost to users: two consumers with the same instance id process records, and one of them is fenced later.
    Source: `ConsumerGroup.staticMember`.
    """
    return not any(
        one.instance_id != NO_INSTANCE and one.instance_id == other.instance_id
        for one_id, one in enumerate(state.group.members)
        for other_id, other in enumerate(state.group.members)
        if one_id < other_id and is_member(one) and is_member(other)
    )


def is_left_as_it_was(was: MemberState, now: MemberState) -> bool:
    """Whether a member has the state that it had before it left; one that had to give up partitions has done so."""
    return now == was or was == MemberState.UNREVOKED_PARTITIONS


def members_that_leave_for_a_while_keep_their_places(before: State, after: State) -> bool:
    """A static member that leaves for a while keeps its partitions and its target; it has nothing more to give up.

    Lost to users: every restart of a consumer moves partitions.
    Source: `GroupMetadataManager.consumerGroupStaticMemberGroupLeave`; KIP-848.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    return all(
        is_member(before.group.members[member_id])
        and member.assigned == before.group.members[member_id].assigned
        and member.target == before.group.members[member_id].target
        and member.subscribed == before.group.members[member_id].subscribed
        and member.pending_revocation == Ids()
        and is_left_as_it_was(before.group.members[member_id].state, member.state)
        and after.group.group_epoch == before.group.group_epoch
        for member_id, member in enumerate(after.group.members)
        if member.has_left and not before.group.members[member_id].has_left
    )


def has_inherited(group: ConsumerGroup, was: GroupMember) -> bool:
    """Whether the group has a member with the instance id, the topics and the target of one that had left."""
    return any(
        member.instance_id == was.instance_id
        and not member.has_left
        and member.subscribed == was.subscribed
        and member.target == was.target
        for member in group.members
        if is_member(member)
    )


def returning_members_have_their_former_targets(before: State, after: State) -> bool:
    """Who joins with the instance id of a member that has left gets its target, and no rebalance begins.

    Lost to users: every restart of a consumer moves partitions.
    Source: `GroupMetadataManager.replaceMember`; KIP-848.
    """
    if before.budget.failovers != after.budget.failovers or before.group.known != after.group.known:
        return True
    if (
        after.group.group_epoch != before.group.group_epoch
        or after.group.assignment_epoch != before.group.assignment_epoch
    ):
        return True
    return all(
        after.group.members[member_id].has_left or has_inherited(after.group, was)
        for member_id, was in enumerate(before.group.members)
        if was.has_left
    )


def returns_begin_no_rebalance(before: State, after: State) -> bool:
    """The group epoch does not rise when a member with the topics of a member that had left takes that one's place.

    Lost to users: every restart of a consumer moves partitions.
    Source: `GroupMetadataManager.consumerGroupHeartbeat`; KIP-848.
    """
    if before.budget.failovers != after.budget.failovers or before.group.known != after.group.known:
        return True
    return after.group.group_epoch == before.group.group_epoch or not any(
        was.has_left and has_inherited(after.group, was) for was in before.group.members
    )


def places_end_with_sessions(before: State, after: State) -> bool:
    """The end of a rebalance timeout takes no place of a static member that has left: that waits for its session.

    Lost to users: a static member that comes back in time finds its place gone, and its partitions have moved.
    Source: `GroupMetadataManager.scheduleConsumerGroupRebalanceTimeout`; KAFKA-20641.
    """
    return before.budget.timeouts == after.budget.timeouts or all(
        is_member(after.group.members[member_id])
        for member_id, member in enumerate(before.group.members)
        if member.has_left
    )


def nobody_is_refused_because_of_itself(before: State, after: State) -> bool:
    """A consumer is told that its instance id is in use only if another member has it, and has not left.

    Lost to users: a consumer whose response was lost ends for good, and its partitions wait for the end of its session.
    Source: `GroupMetadataManager.throwIfInstanceIdIsUnreleased`; apache/kafka pull request 23542.
    """
    return all(
        heartbeat.response.error != HeartbeatError.UNRELEASED_INSTANCE_ID
        or before.heartbeats[member_id].stage != HeartbeatStage.REQUESTED
        or any(
            other_id != member_id
            and is_member(other)
            and not other.has_left
            and other.instance_id == before.heartbeats[member_id].request.instance_id
            for other_id, other in enumerate(before.group.members)
        )
        for member_id, heartbeat in enumerate(after.heartbeats)
    )


def member_is_away(state: State) -> bool:
    """A static member has left for a while. Without an example nobody is ever away."""
    return any(member.has_left for member in state.group.members)


def successor_has_partitions(state: State) -> bool:
    """The last consumer, which was started later, owns a partition. Without an example no place is taken."""
    last = len(state.consumers) - 1
    return state.consumers[last].owned != Ids()
