"""Who owns a partition while a group goes from one protocol to the other, which form it has, and that it converges.

Part of Kafka judged: `impl/consumer_group/migration.py`, `classic_members.py`, and the consumers of both protocols, by
their records only.
Source: KIP-848, KAFKA-16436, KAFKA-16554, KAFKA-17228, KAFKA-17317.
Left out, and why that is sound: positions and offsets.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import NO_INSTANCE, GroupState
from kafkacheck.impl.classic_group.constants import ConsumerState as ClassicState
from kafkacheck.impl.consumer_group.constants import (
    ConsumerState,
    GroupType,
    HeartbeatError,
    HeartbeatStage,
    MemberState,
)
from kafkacheck.impl.consumer_group.migration import Group
from kafkacheck.model.migration.system import Process, State


def owned(process: Process) -> Ids:
    """The partitions that a process owns."""
    return process.classic.owned | process.consumer.owned


def is_member(group: Group, member_id: int) -> bool:
    """Whether the coordinator knows the member."""
    return group.classic.members[member_id].is_member or (
        group.consumer.members[member_id].state != MemberState.NOT_A_MEMBER
    )


def is_valid(state: State, member_id: int) -> bool:
    """Whether the coordinator would accept a commit of the process: it is a member in this generation, or epoch."""
    group = state.group
    process = state.processes[member_id]
    if group.type == GroupType.CLASSIC:
        return (
            process.classic.member_id == member_id
            and group.classic.members[member_id].is_member
            and process.classic.generation == group.classic.generation
        )
    member = group.consumer.members[member_id]
    if member.state == MemberState.NOT_A_MEMBER or member.has_left:
        return False
    if member.uses_classic:
        return process.classic.member_id == member_id and process.classic.generation == member.member_epoch
    return process.consumer.member_epoch == member.member_epoch


def no_two_owners(state: State) -> bool:
    """No two consumers own a partition if the coordinator would accept commits of both.

    Lost to users: two consumers process the same records, and each commits over the other.
    Source: KIP-848.
    """
    return not any(
        owned(one) & owned(other) != Ids() and is_valid(state, one_id) and is_valid(state, other_id)
        for one_id, one in enumerate(state.processes)
        for other_id, other in enumerate(state.processes)
        if one_id < other_id
    )


def partitions_have_one_holder(state: State) -> bool:
    """The coordinator gives no partition to two members at a time, in either form of the group.

    Lost if it fails: two consumers process the same records.
    Source: KIP-848.
    """
    return not any(
        (one.assigned | one.pending_revocation) & (other.assigned | other.pending_revocation) != Ids()
        for one_id, one in enumerate(state.group.consumer.members)
        for other_id, other in enumerate(state.group.consumer.members)
        if one_id < other_id
    ) and not any(
        one.assigned & other.assigned != Ids()
        for one_id, one in enumerate(state.group.classic.members)
        for other_id, other in enumerate(state.group.classic.members)
        if one_id < other_id
    )


def classic_members(state: State) -> int:
    """How many members of a group of the new protocol use the classic one."""
    return sum(1 for member in state.group.consumer.members if member.uses_classic)


def new_members(state: State) -> int:
    """How many members use the new protocol."""
    return sum(
        1
        for member in state.group.consumer.members
        if member.state != MemberState.NOT_A_MEMBER and not member.uses_classic
    )


def classic_members_are_a_classic_group(state: State) -> bool:
    """A group in which all members use the classic protocol is a classic one.

    Lost to users: brokers cannot go back to a version without the new protocol.
    Source: KIP-848; KAFKA-17317.
    """
    return classic_members(state) == 0 or new_members(state) > 0


def forms_are_told_apart(state: State) -> bool:
    """A classic group has no member of the new protocol, and nothing is left of the form that a group had before.

    Lost if it fails: a member that has left returns when the group is converted the next time.
    Source: GroupMetadataManager.convertToConsumerGroup, convertToClassicGroup.
    """
    if state.group.type == GroupType.CLASSIC:
        return state.group.consumer.group_epoch == 0 and all(
            member.state == MemberState.NOT_A_MEMBER for member in state.group.consumer.members
        )
    return state.group.classic.generation == 0 and all(not member.is_member for member in state.group.classic.members)


def epoch_of(group: Group) -> int:
    """The generation, or the epoch, of a group."""
    return group.classic.generation if group.type == GroupType.CLASSIC else group.consumer.group_epoch


def epochs_do_not_fall(before: State, after: State) -> bool:
    """The epoch of a group goes on where its generation was, and back, while it has a member.

    Lost if it fails: a request of an earlier generation counts as one of today.
    Source: ConsumerGroup.fromClassicGroup, ClassicGroup.fromConsumerGroup.
    """
    had_member = any(is_member(before.group, member_id) for member_id in range(len(before.processes)))
    return not had_member or epoch_of(after.group) >= epoch_of(before.group)


def classic_member_has_instance(group: Group) -> bool:
    """Whether a member of the classic protocol has the instance id."""
    return any(member.is_member and member.instance_id != NO_INSTANCE for member in group.classic.members) or any(
        member.uses_classic and member.instance_id != NO_INSTANCE for member in group.consumer.members
    )


def successors_of_classic_members_are_not_refused(before: State, after: State) -> bool:
    """A static member of the classic protocol, which does not say that it leaves, is replaced by its successor.

    Lost to users: its partitions have no consumer until its session ends.
    Source: KAFKA-17228.
    """
    return not classic_member_has_instance(before.group) or not any(
        before.heartbeats[member_id].stage == HeartbeatStage.REQUESTED
        and heartbeat.response.error == HeartbeatError.UNRELEASED_INSTANCE_ID
        for member_id, heartbeat in enumerate(after.heartbeats)
    )


def has_left(process: Process) -> bool:
    """Whether a consumer of the new protocol has left its group, or its process has ended."""
    return (
        process.consumer.state == ConsumerState.UNSUBSCRIBED
        or process.consumer.state == ConsumerState.LEAVING
        or process.consumer.state == ConsumerState.CRASHED
    )


def is_of_the_coordinator(error: HeartbeatError) -> bool:
    """Whether an error is no fault of the consumer, and ends it."""
    return error == HeartbeatError.GROUP_ID_NOT_FOUND or error == HeartbeatError.UNKNOWN_SERVER_ERROR


def nobody_ends_without_a_fault(state: State) -> bool:
    """No consumer gets an error that ends it, although it has done nothing wrong.

    Lost to users: the application stops.
    Source: KIP-848; findings F16 and F19.
    """
    return not any(
        heartbeat.stage == HeartbeatStage.ANSWERED
        and is_of_the_coordinator(heartbeat.response.error)
        and not has_left(state.processes[member_id])
        for member_id, heartbeat in enumerate(state.heartbeats)
    )


def is_settled(process: Process) -> bool:
    """Whether the consumer of a process has its assignment, or takes no part in the group."""
    if process.classic.state != ClassicState.CLOSED:
        return process.classic.state == ClassicState.STABLE and not process.classic.needs_join
    return (
        process.consumer.state == ConsumerState.STABLE
        or process.consumer.state == ConsumerState.UNSUBSCRIBED
        or process.consumer.state == ConsumerState.CRASHED
        or process.consumer.state == ConsumerState.FATAL
    )


def has_consumer(process: Process) -> bool:
    """Whether the consumer of a process takes part in the group, and has its assignment."""
    return process.classic.state == ClassicState.STABLE or process.consumer.state == ConsumerState.STABLE


def has_converged(state: State, bounds: Bounds) -> bool:
    """Every consumer that takes part is a member with what it was assigned, no other is, and all partitions are owned.

    Lost to users: a partition is processed by nobody, or a rebalance does not end.
    Source: KIP-848.
    """
    processed = Ids()
    for member_id, process in enumerate(state.processes):
        if not is_settled(process) or has_consumer(process) != is_member(state.group, member_id):
            return False
        if has_consumer(process) and not is_valid(state, member_id):
            return False
        processed |= owned(process)
    if state.group.type == GroupType.CLASSIC and state.group.classic.state == GroupState.PREPARING_REBALANCE:
        return False
    return processed == Ids(range(bounds.partitions)) or not any(has_consumer(process) for process in state.processes)


def has_not_converged(state: State, bounds: Bounds) -> bool:
    """Something is still to be joined, given up, taken or told."""
    return not has_converged(state, bounds)


def group_is_mixed(state: State) -> bool:
    """Members of both protocols own partitions. Without an example nothing is shared between the protocols."""
    return any(process.classic.owned != Ids() for process in state.processes) and any(
        process.consumer.owned != Ids() for process in state.processes
    )


def all_partitions_are_of_the_classic_protocol(state: State) -> bool:
    """A classic group has shared the partitions. Without an example no group is a classic one again."""
    return state.group.type == GroupType.CLASSIC and all(
        process.classic.owned != Ids() or process.classic.state == ClassicState.CLOSED for process in state.processes
    )


def all_partitions_are_of_the_new_protocol(state: State) -> bool:
    """No member of the classic protocol is left. Without an example no upgrade comes to its end."""
    return (
        new_members(state) > 0
        and classic_members(state) == 0
        and all(
            process.consumer.owned != Ids() or process.consumer.state == ConsumerState.UNSUBSCRIBED
            for process in state.processes
        )
    )
