"""Disturbances of a group with both protocols: processes that start, end or leave, ended sessions, lost requests."""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import ConsumerState as ClassicState
from kafkacheck.impl.classic_group.constants import Stage
from kafkacheck.impl.client import classic_membership, consumer_membership
from kafkacheck.impl.consumer_group import migration
from kafkacheck.impl.consumer_group.constants import ConsumerState, HeartbeatStage
from kafkacheck.impl.consumer_group.migration import MigrationRules
from kafkacheck.impl.messages.consumer_group_heartbeat import MemberId
from kafkacheck.model.migration.system import Process, State, existing, is_at_end, is_silent, takes_part


def begin(process: Process, bounds: Bounds, member_id: int) -> None:
    """Let the consumer of a process subscribe to all topics, and join."""
    if member_id < bounds.classic_consumers:
        process.classic.state = ClassicState.UNJOINED
        classic_membership.subscribe(process.classic)
    else:
        process.consumer.subscribed = Ids(range(bounds.topics))
        consumer_membership.begin_joining(process.consumer)


def start_all(state: State, bounds: Bounds) -> bool:
    """All processes have started."""
    for member_id, process in enumerate(state.processes):
        process.classic.state = ClassicState.CLOSED
        begin(process, bounds, member_id)
    return True


def start_before_the_upgrade(state: State, bounds: Bounds) -> bool:
    """The processes of the classic protocol have started; the others are to follow."""
    for member_id, process in enumerate(state.processes):
        process.classic.state = ClassicState.CLOSED
        if member_id < bounds.classic_consumers:
            begin(process, bounds, member_id)
    return True


def start_before_the_downgrade(state: State, bounds: Bounds) -> bool:
    """The processes of the new protocol, and the first one of the classic protocol have started."""
    for member_id, process in enumerate(state.processes):
        process.classic.state = ClassicState.CLOSED
        if member_id == 0 or member_id >= bounds.classic_consumers:
            begin(process, bounds, member_id)
    return True


def give_instance_to_the_last(state: State, bounds: Bounds) -> None:
    """Let the last process of each protocol have a static member, with the only instance id."""
    state.processes[bounds.classic_consumers - 1].classic.instance_id = 0
    state.processes[bounds.members - 1].consumer.instance_id = 0


def start_before_a_static_upgrade(state: State, bounds: Bounds) -> bool:
    """As before an upgrade; the last process of each protocol has the instance id."""
    start_before_the_upgrade(state, bounds)
    give_instance_to_the_last(state, bounds)
    return True


def start_before_a_static_downgrade(state: State, bounds: Bounds) -> bool:
    """As before a downgrade; the last process of each protocol has the instance id."""
    start_before_the_downgrade(state, bounds)
    give_instance_to_the_last(state, bounds)
    return True


def process_starts(state: State, bounds: Bounds, member_id: MemberId) -> bool:
    """A process starts whose consumer joins with a member id that nobody has.

    Who: an operator.
    When: it does not run, nothing of it is under way, and the group has no such member.
    Effect: its consumer asks to join.
    Source: KafkaConsumer.subscribe.
    """
    process = state.processes[member_id]
    if takes_part(process) or process.consumer.is_reconciling or migration.has_member(state.group, member_id):
        return False
    if state.connections[member_id].stage != Stage.IDLE or state.heartbeats[member_id].stage != HeartbeatStage.IDLE:
        return False
    if process.consumer.state == ConsumerState.FATAL:
        return False
    begin(process, bounds, member_id)
    return True


def process_crashes(state: State, bounds: Bounds, member_id: MemberId) -> bool:
    """A process ends without a word.

    When: its consumer takes part in the group.
    Effect: it owns nothing. A request that it has sent may still arrive.
    Source: a crash, or the end of a static member that is to start again.
    """
    process = state.processes[member_id]
    if not takes_part(process):
        return False
    if member_id < bounds.classic_consumers:
        classic_membership.close(process.classic)
        if state.connections[member_id].stage == Stage.ANSWERED:
            clear(state.connections[member_id])
    else:
        consumer_membership.crash(process.consumer, state.heartbeats[member_id])
    return True


def consumer_leaves(state: State, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer begins to leave its group.

    Who: its application.
    When: it takes part in the group.
    Effect: it gives up its partitions, and then tells the coordinator.
    Source: KafkaConsumer.close.
    """
    if member_id < bounds.classic_consumers:
        return classic_membership.leave_classic_group(state.processes[member_id].classic)
    return consumer_membership.begin_leaving(state.processes[member_id].consumer)


def live_member_expires(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator has not heard of a live member for too long, or the member takes too long to do its part.

    Who: the coordinator, because of the environment.
    When: the consumer takes part.
    Effect: as `expire_session` says; the consumer does not know.
    Source: GroupMetadataManager.consumerGroupFenceMemberOperation, expireClassicGroupMemberHeartbeat.
    """
    if is_silent(state, member_id) or is_at_end(state, bounds):
        return False
    return migration.expire_session(state.group, rules, bounds.topics, state.connections, member_id, existing(bounds))


def request_is_lost(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A request or its response is lost.

    Who: the network.
    When: one is under way.
    Effect: the consumer gives it up.
    Source: a broken connection, or `request.timeout.ms`.
    """
    process = state.processes[member_id]
    if member_id < bounds.classic_consumers:
        if state.connections[member_id].stage == Stage.IDLE:
            return False
        classic_membership.lose_request(process.classic, rules.classic, state.connections[member_id])
        return True
    if state.heartbeats[member_id].stage == HeartbeatStage.IDLE:
        return False
    consumer_membership.lose_heartbeat(process.consumer, state.heartbeats[member_id])
    return True


CHARGES = {
    process_starts: "starts",
    process_crashes: "crashes",
    consumer_leaves: "leaves",
    live_member_expires: "expirations",
    request_is_lost: "losses",
}
"""The allowance to which each disturbance of this file is charged."""
