"""Disturbances of a classic group: crashes, lost requests, ended sessions, and rebalances that do not wait."""

from kafkacheck.checker.schema import Ids, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group import coordinator
from kafkacheck.impl.classic_group.constants import ConsumerState, Stage
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.impl.client import classic_membership
from kafkacheck.impl.messages.classic_group import ConsumerId, MemberId
from kafkacheck.model.classic_group.system import State, has_absent_member, is_at_end, is_used


def start_joining(state: State) -> bool:
    """All consumers subscribe, and join."""
    for consumer in state.consumers:
        classic_membership.subscribe(consumer)
    return True


def start_with_one_instance(state: State) -> bool:
    """All consumers are static members with the same instance id: each is to take the place of the one before."""
    for consumer in state.consumers:
        consumer.instance_id = 0
        classic_membership.subscribe(consumer)
    return True


def start_with_a_rival(state: State, bounds: Bounds) -> bool:
    """The first and the last consumer are static members with the same instance id, the others dynamic ones."""
    start_joining(state)
    state.consumers[0].instance_id = 0
    state.consumers[bounds.consumers - 1].instance_id = 0
    return True


def consumer_crashes(state: State, consumer_id: ConsumerId) -> bool:
    """A consumer's process ends.

    When: it runs.
    Effect: it owns nothing. A request that it has sent may still arrive.
    Source: a crash.
    """
    if state.consumers[consumer_id].state == ConsumerState.CLOSED:
        return False
    classic_membership.close(state.consumers[consumer_id])
    return True


def consumer_leaves(state: State, consumer_id: ConsumerId) -> bool:
    """A consumer begins to leave its group."""
    return classic_membership.leave_classic_group(state.consumers[consumer_id])


def request_is_lost(state: State, rules: ClassicGroupRules, consumer_id: ConsumerId) -> bool:
    """A request or its response is lost.

    Who: the network.
    When: one is under way.
    Effect: the consumer gives the request up.
    Source: a broken connection, or `request.timeout.ms`.
    """
    connection = state.connections[consumer_id]
    if connection.stage == Stage.IDLE:
        return False
    classic_membership.lose_request(state.consumers[consumer_id], rules, connection)
    return True


def live_member_expires(state: State, bounds: Bounds, member_id: MemberId) -> bool:
    """The session of a member ends whose consumer lives, but is slow.

    Who: the coordinator, because of the environment.
    When: the consumer is a member, and does not wait for the others.
    Effect: it is removed, and the group rebalances; the consumer does not know.
    Source: GroupMetadataManager.expireClassicGroupMemberHeartbeat.
    """
    if not is_used(state, member_id) or is_at_end(state, bounds):
        return False
    return coordinator.expire_member(state.group, state.connections, state.group.members[member_id], member_id)


def rebalance_times_out(state: State, bounds: Bounds) -> bool:
    """A rebalance does not wait any longer for a member that has not joined.

    Who: the coordinator, because of the environment.
    When: some member has not joined.
    Effect: the next generation begins without the dynamic members that have not joined.
    Source: GroupMetadataManager.scheduleClassicGroupJoin.
    """
    if not has_absent_member(state) or is_at_end(state, bounds):
        return False
    coordinator.complete_join(state.group, state.connections)
    return True


def coordinator_fails_over(state: State, rules: ClassicGroupRules) -> bool:
    """Another broker becomes the group's coordinator, and reads the group from the log.

    Who: the cluster.
    When: at any time.
    Effect: a rebalance that was under way is forgotten. Requests that were parked are answered, so that the consumers
        send them to the new coordinator; before KAFKA-16148 they were not.
    Source: GroupMetadataManager.onLoaded, onUnloaded.
    """
    last_member_id = state.group.last_member_id
    copy(state.group, state.logged)
    state.group.pending = Ids()
    state.group.last_member_id = last_member_id
    for consumer_id, connection in enumerate(state.connections):
        if connection.stage == Stage.PARKED and rules.parked_are_answered:
            classic_membership.lose_request(state.consumers[consumer_id], rules, connection)
    return True


CHARGES = {
    consumer_crashes: "crashes",
    consumer_leaves: "leaves",
    request_is_lost: "losses",
    live_member_expires: "expirations",
    rebalance_times_out: "timeouts",
    coordinator_fails_over: "failovers",
}
"""The allowance to which each disturbance of this file is charged."""
