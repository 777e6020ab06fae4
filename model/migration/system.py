"""The whole system of a group with consumers of both protocols: consumers, their requests, and the coordinator."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, Ids, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group import coordinator
from kafkacheck.impl.classic_group.constants import ConsumerState as ClassicState
from kafkacheck.impl.classic_group.constants import RequestKind, Stage
from kafkacheck.impl.client import classic_membership, consumer_membership
from kafkacheck.impl.client.classic_membership import ClassicConsumer
from kafkacheck.impl.client.consumer_membership import Consumer
from kafkacheck.impl.consumer_group import migration
from kafkacheck.impl.consumer_group.constants import ConsumerState, HeartbeatError, HeartbeatStage
from kafkacheck.impl.consumer_group.coordinator import is_invalid_request
from kafkacheck.impl.consumer_group.migration import Group, MigrationRules
from kafkacheck.impl.messages.classic_group import Connection
from kafkacheck.impl.messages.consumer_group_heartbeat import Heartbeat, MemberId


class Budget(Struct):
    """How many disturbances are left. Only the environment changes it.

    starts: processes that start later than the others.
    crashes: processes that end without a word.
    leaves: consumers that leave.
    expirations: sessions of live members that end.
    losses: requests, or responses, that are lost.
    """

    starts: Annotated[int, Allowance("starts")]
    crashes: Annotated[int, Allowance("crashes")]
    leaves: Annotated[int, Allowance("leaves")]
    expirations: Annotated[int, Allowance("expirations")]
    losses: Annotated[int, Allowance("losses")]


class Process(Struct):
    """A process with a consumer of one of the two protocols; the other part is blank.

    classic: the consumer of the first processes, of which the bound `classic_consumers` says how many there are.
    consumer: the consumer of the others.
    """

    classic: ClassicConsumer
    consumer: Consumer


class State(Struct):
    """The whole system. A process, its connection and its member have the same number.

    processes: the processes.
    connections: by process of the classic protocol, its request that is under way.
    heartbeats: by process of the new protocol, its heartbeat.
    group: the group. What the coordinator answers is in its log.
    budget: the disturbances that are left.
    """

    processes: Annotated[Array[Process], ById("members")]
    connections: Annotated[Array[Connection], ById("members")]
    heartbeats: Annotated[Array[Heartbeat], ById("members")]
    group: Group
    budget: Budget


def existing(bounds: Bounds) -> Ids:
    """The partitions of all topics."""
    return Ids(range(bounds.partitions))


def is_at_end(state: State, bounds: Bounds) -> bool:
    """Whether the model has no higher generation, or group epoch."""
    return max(state.group.classic.generation, state.group.consumer.group_epoch) >= bounds.max_group_epoch


def classic_consumer_asks_to_join(state: State, rules: MigrationRules, member_id: MemberId) -> bool:
    """A consumer of the classic protocol asks to join."""
    return classic_membership.send_join(state.processes[member_id].classic, rules.classic, state.connections[member_id])


def classic_consumer_sends_heartbeat(state: State, member_id: MemberId) -> bool:
    """A consumer of the classic protocol sends a heartbeat."""
    return classic_membership.send_classic_heartbeat(state.processes[member_id].classic, state.connections[member_id])


def classic_consumer_sends_leave(state: State, member_id: MemberId) -> bool:
    """A consumer of the classic protocol that leaves tells its coordinator."""
    return classic_membership.send_leave(state.processes[member_id].classic, state.connections[member_id])


def classic_consumer_receives_response(
    state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId
) -> bool:
    """A consumer of the classic protocol handles the response to its request."""
    return classic_membership.receive_response(
        state.processes[member_id].classic, rules.classic, bounds, state.connections[member_id]
    )


def coordinator_handles_request(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator handles a request of the classic protocol, and answers it or parks it.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: as `handle_classic_request` says.
    Source: GroupCoordinatorService.
    """
    connection = state.connections[member_id]
    if connection.stage != Stage.REQUESTED:
        return False
    kind = connection.request.kind
    if is_at_end(state, bounds) and (kind == RequestKind.JOIN or kind == RequestKind.LEAVE):
        return False
    migration.handle_classic_request(state.group, rules, bounds.topics, state.connections, member_id, existing(bounds))
    return True


def initial_delay_ends(state: State, bounds: Bounds) -> bool:
    """A classic group that was empty no longer waits for more members.

    Who: the coordinator.
    When: it has waited long enough.
    Effect: the first generation begins, with those that have joined.
    Source: GroupMetadataManager.tryCompleteInitialRebalanceElseSchedule.
    """
    if not state.group.classic.is_delayed or is_at_end(state, bounds):
        return False
    coordinator.complete_join(state.group.classic, state.connections)
    return True


def consumer_sends_heartbeat(state: State, rules: MigrationRules, member_id: MemberId) -> bool:
    """A consumer of the new protocol sends a heartbeat."""
    return consumer_membership.send_group_heartbeat(
        state.processes[member_id].consumer, rules.consumer, member_id, state.heartbeats[member_id]
    )


def coordinator_handles_heartbeat(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator handles the heartbeat of a consumer of the new protocol, and answers it.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: as `handle_group_heartbeat` says.
    Source: GroupCoordinatorService.consumerGroupHeartbeat.
    """
    heartbeat = state.heartbeats[member_id]
    if heartbeat.stage != HeartbeatStage.REQUESTED or is_at_end(state, bounds):
        return False
    if is_invalid_request(heartbeat.request):
        heartbeat.response.error = HeartbeatError.INVALID_REQUEST
    else:
        migration.handle_group_heartbeat(
            state.group,
            rules,
            bounds.topics,
            heartbeat.request,
            heartbeat.response,
            state.connections,
            existing(bounds),
        )
    clear(heartbeat.request)
    heartbeat.stage = HeartbeatStage.ANSWERED
    if state.processes[member_id].consumer.state == ConsumerState.CRASHED:
        clear(heartbeat)
    return True


def consumer_receives_response(state: State, rules: MigrationRules, member_id: MemberId) -> bool:
    """A consumer of the new protocol handles the response to its heartbeat."""
    return consumer_membership.receive_heartbeat_response(
        state.processes[member_id].consumer, rules.consumer, state.heartbeats[member_id]
    )


def consumer_begins_reconciliation(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer of the new protocol begins to apply its target assignment."""
    return consumer_membership.begin_reconciliation(state.processes[member_id].consumer, rules.consumer, bounds.topics)


def consumer_completes_reconciliation(state: State, rules: MigrationRules, member_id: MemberId) -> bool:
    """A consumer of the new protocol has applied an assignment, or gives that up."""
    return consumer_membership.complete_reconciliation(state.processes[member_id].consumer, rules.consumer)


def consumer_releases_partitions(state: State, member_id: MemberId) -> bool:
    """A consumer of the new protocol that leaves has released its partitions."""
    return consumer_membership.release_partitions(state.processes[member_id].consumer)


def silent_member_expires(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The session of a member ends whose process sends nothing any more.

    Who: the coordinator.
    When: the process has ended, or its consumer takes no part in the group, and what it sent has arrived.
    Effect: as `expire_session` says.
    Source: GroupMetadataManager.scheduleConsumerGroupSessionTimeout, expireClassicGroupMemberHeartbeat.
    """
    if not is_silent(state, member_id) or is_at_end(state, bounds):
        return False
    return migration.expire_session(state.group, rules, bounds.topics, state.connections, member_id, existing(bounds))


def takes_part(process: Process) -> bool:
    """Whether the consumer of a process takes part in the group, or tries to, or leaves it."""
    consumer = process.consumer
    if consumer_membership.is_in_group(consumer) or consumer.state == ConsumerState.LEAVING:
        return True
    return process.classic.state != ClassicState.CLOSED


def is_silent(state: State, member_id: int) -> bool:
    """Whether a process sends nothing any more, and nothing of it is under way to the coordinator."""
    if takes_part(state.processes[member_id]) or state.connections[member_id].stage == Stage.REQUESTED:
        return False
    return state.heartbeats[member_id].stage != HeartbeatStage.REQUESTED
