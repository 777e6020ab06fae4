"""The whole system of a classic group: its consumers, their connections, and the coordinator."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, If, Struct, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group import coordinator
from kafkacheck.impl.classic_group.constants import NO_MEMBER_ID, ConsumerState, GroupState, RequestKind, Stage
from kafkacheck.impl.classic_group.records import ClassicGroup, ClassicGroupRules
from kafkacheck.impl.client import classic_membership
from kafkacheck.impl.client.classic_membership import ClassicConsumer
from kafkacheck.impl.messages.classic_group import (
    Connection,
    ConsumerId,
    MemberId,
    OptionalGeneration,
    OptionalInstanceId,
    OptionalMemberId,
)

NOBODY = -1


class Budget(Struct):
    """How many disturbances are left. Only the environment changes it.

    crashes: consumers whose process ends.
    leaves: consumers that leave.
    losses: requests, or responses, that are lost.
    expirations: sessions of live consumers that end, and member ids of live consumers that are forgotten.
    timeouts: rebalances that do not wait for a live consumer.
    failovers: changes of the coordinator.
    """

    crashes: Annotated[int, Allowance("crashes")]
    leaves: Annotated[int, Allowance("leaves")]
    losses: Annotated[int, Allowance("losses")]
    expirations: Annotated[int, Allowance("expirations")]
    timeouts: Annotated[int, Allowance("timeouts")]
    failovers: Annotated[int, Allowance("failovers")]


class LastOwner(Struct):
    """The last owner of a partition, as only properties know it.

    member_id: the member that owned it last, or owns it; `NO_MEMBER_ID` if none has.
    instance_id: its instance id, if it is a static member.
    generation: the newest generation in which it did.
    """

    member_id: OptionalMemberId
    instance_id: OptionalInstanceId
    generation: OptionalGeneration


class State(Struct):
    """The whole system.

    consumers: the consumers by id.
    connections: by consumer, its request that is under way.
    group: the group in the coordinator's memory.
    logged: the group as the log has it, if the coordinator can change. An append is committed at once: one that is not
        has the effect of a request that was not handled, and one whose answer is late that of a lost response.
    last_owners: by partition, its last owner, if the bound `noted_owners` is 1. Only properties read it.
    budget: the disturbances that are left.
    """

    consumers: Annotated[Array[ClassicConsumer], ById("consumers")]
    connections: Annotated[Array[Connection], ById("consumers")]
    group: ClassicGroup
    logged: Annotated[ClassicGroup, If("failovers")]
    last_owners: Annotated[Array[LastOwner], ById("partitions"), If("noted_owners")]
    budget: Budget


def is_at_end(state: State, bounds: Bounds) -> bool:
    """Whether the model has no higher generation, or no further member id."""
    return state.group.generation >= bounds.max_generation or state.group.last_member_id + 1 >= bounds.member_ids


def consumer_asks_to_join(state: State, rules: ClassicGroupRules, consumer_id: ConsumerId) -> bool:
    """A consumer asks to join."""
    return classic_membership.send_join(state.consumers[consumer_id], rules, state.connections[consumer_id])


def consumer_sends_heartbeat(state: State, consumer_id: ConsumerId) -> bool:
    """A consumer sends a heartbeat."""
    return classic_membership.send_classic_heartbeat(state.consumers[consumer_id], state.connections[consumer_id])


def consumer_sends_leave(state: State, consumer_id: ConsumerId) -> bool:
    """A consumer that leaves tells its coordinator."""
    return classic_membership.send_leave(state.consumers[consumer_id], state.connections[consumer_id])


def note_owner(state: State, bounds: Bounds, consumer: ClassicConsumer) -> None:
    """Note what a consumer owns, if it is a member in the group's generation, and if owners are noted at all."""
    if bounds.noted_owners == 0:
        return
    if consumer.generation != state.group.generation or consumer.member_id == NO_MEMBER_ID:
        return
    if state.group.members[consumer.member_id].is_member:
        for partition_id in consumer.owned:
            state.last_owners[partition_id].member_id = consumer.member_id
            state.last_owners[partition_id].instance_id = consumer.instance_id
            state.last_owners[partition_id].generation = consumer.generation


def consumer_receives_response(state: State, rules: ClassicGroupRules, bounds: Bounds, consumer_id: ConsumerId) -> bool:
    """A consumer handles the response to its request."""
    if not classic_membership.receive_response(
        state.consumers[consumer_id], rules, bounds, state.connections[consumer_id]
    ):
        return False
    note_owner(state, bounds, state.consumers[consumer_id])
    return True


def coordinator_handles_request(
    state: State, rules: ClassicGroupRules, bounds: Bounds, consumer_id: ConsumerId
) -> bool:
    """The coordinator handles the request of a consumer, and answers it or parks it.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: that of `classic_group_join`, `classic_group_sync`, `classic_group_heartbeat` or `classic_group_leave`.
    Source: GroupCoordinatorService.
    """
    connection = state.connections[consumer_id]
    if connection.stage != Stage.REQUESTED:
        return False
    kind = connection.request.kind
    if is_at_end(state, bounds) and (kind == RequestKind.JOIN or kind == RequestKind.LEAVE):
        return False
    if kind == RequestKind.JOIN:
        coordinator.classic_group_join(state.group, rules, state.connections, consumer_id)
    elif kind == RequestKind.SYNC:
        coordinator.classic_group_sync(state.group, rules, state.connections, consumer_id)
    elif kind == RequestKind.HEARTBEAT:
        coordinator.classic_group_heartbeat(state.group, rules, connection)
    else:
        coordinator.classic_group_leave(state.group, rules, state.connections, consumer_id)
    if bounds.failovers > 0:
        write_group(state, rules)
    return True


def write_group(state: State, rules: ClassicGroupRules) -> None:
    """Write the group to the log if it is stable or empty; before KAFKA-10284 only if its generation is another one."""
    is_whole = state.group.state == GroupState.STABLE or state.group.state == GroupState.EMPTY
    if is_whole and (rules.replacement_is_written or state.logged.generation != state.group.generation):
        copy(state.logged, state.group)


def initial_delay_ends(state: State, bounds: Bounds) -> bool:
    """A group that was empty no longer waits for more members.

    Who: the coordinator.
    When: it has waited long enough.
    Effect: the first generation begins, with those that have joined.
    Source: GroupMetadataManager.tryCompleteInitialRebalanceElseSchedule.
    """
    if not state.group.is_delayed or is_at_end(state, bounds):
        return False
    coordinator.complete_join(state.group, state.connections)
    return True


def is_used(state: State, member_id: int) -> bool:
    """Whether a consumer that takes part in the group has a member id, or asks with it, or is about to learn it."""
    return any(
        (
            consumer.state != ConsumerState.CLOSED
            and (
                consumer.member_id == member_id
                or state.connections[consumer_id].request.member_id == member_id
                or state.connections[consumer_id].response.member_id == member_id
            )
        )
        or (
            state.connections[consumer_id].stage == Stage.REQUESTED
            and state.connections[consumer_id].request.member_id == member_id
        )
        for consumer_id, consumer in enumerate(state.consumers)
    )


def silent_member_expires(state: State, bounds: Bounds, member_id: MemberId) -> bool:
    """The session of a member ends that sends nothing any more.

    Who: the coordinator.
    When: no consumer has its member id.
    Effect: the member is removed, and the group rebalances.
    Source: GroupMetadataManager.expireClassicGroupMemberHeartbeat.
    """
    if is_used(state, member_id) or is_at_end(state, bounds):
        return False
    return coordinator.expire_member(state.group, state.connections, state.group.members[member_id], member_id)


def pending_member_expires(state: State, rules: ClassicGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A member id is forgotten with which nobody will join.

    Who: the coordinator.
    When: no consumer has the member id.
    Effect: a rebalance need not wait for it.
    Source: GroupMetadataManager.addPendingMember.
    """
    if member_id not in state.group.pending or is_used(state, member_id):
        return False
    if not rules.pending_members_expire or is_at_end(state, bounds):
        return False
    coordinator.expire_pending(state.group, state.connections, member_id)
    return True


def has_absent_member(state: State) -> bool:
    """Whether a rebalance waits for a member that has not joined."""
    return (
        state.group.state == GroupState.PREPARING_REBALANCE
        and not state.group.is_delayed
        and any(member.is_member and not member.awaits_join for member in state.group.members)
    )
