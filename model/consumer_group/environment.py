"""Disturbances of a consumer group: crashes, ended sessions, lost and late heartbeats, and another coordinator."""

from kafkacheck.checker.schema import Ids, add, clear, copy, is_full
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client import consumer_membership, poll_interval
from kafkacheck.impl.consumer_group.constants import NO_INSTANCE, ConsumerState, HeartbeatStage, MemberState
from kafkacheck.impl.consumer_group.coordinator import may_time_out, remove_member, watch_members
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.messages.consumer_group_heartbeat import MemberId, TopicSet
from kafkacheck.model.consumer_group.system import State, coordinator_defers_assignment, is_at_last_epoch, note_owner


def start_joining(state: State, bounds: Bounds) -> bool:
    """All consumers subscribe to all topics, and join."""
    state.existing = Ids(range(bounds.partitions))
    for consumer in state.consumers:
        consumer.subscribed = Ids(range(bounds.topics))
        consumer_membership.begin_joining(consumer)
    return True


def start_with_a_static_member(state: State, bounds: Bounds) -> bool:
    """All consumers join; the first one has an instance id."""
    start_joining(state, bounds)
    state.consumers[0].instance_id = 0
    return True


def start_with_a_successor(state: State, bounds: Bounds) -> bool:
    """All consumers but the last one join; the first and the last one have the same instance id."""
    start_with_a_static_member(state, bounds)
    last = bounds.members - 1
    clear(state.consumers[last])
    state.consumers[last].subscribed = Ids(range(bounds.topics))
    state.consumers[last].instance_id = 0
    return True


def start_without_metadata(state: State, bounds: Bounds) -> bool:
    """All consumers join; their metadata has no topic but the first ones."""
    start_joining(state, bounds)
    for consumer in state.consumers:
        for topic_id in range(bounds.topics):
            if topic_id >= bounds.topics - bounds.unknown_topics:
                consumer.unknown_topics |= {topic_id}
    return True


def consumer_crashes(state: State, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer's process ends.

    When: it runs.
    Effect: it owns nothing. A heartbeat that it has sent may still arrive.
    Source: a crash.
    """
    if state.consumers[member_id].state == ConsumerState.CRASHED:
        return False
    consumer_membership.crash(state.consumers[member_id], state.heartbeats[member_id])
    if bounds.slow_polls > 0:
        poll_interval.crash_after_farewell(state.farewells[member_id])
    return True


def poll_interval_ends(state: State, member_id: MemberId) -> bool:
    """A consumer leaves because its application has not polled for too long."""
    return poll_interval.end_poll_interval(
        state.consumers[member_id], member_id, state.heartbeats[member_id], state.farewells[member_id]
    )


def consumer_leaves(state: State, member_id: MemberId) -> bool:
    """A consumer begins to leave its group."""
    return consumer_membership.begin_leaving(state.consumers[member_id])


def static_consumer_starts(state: State, member_id: MemberId) -> bool:
    """A static consumer joins, for the first time or after it has left.

    Who: the application.
    When: it is in no group, and nothing of its former membership is under way.
    Effect: it asks to join.
    Source: KafkaConsumer.subscribe.
    """
    consumer = state.consumers[member_id]
    if consumer.state != ConsumerState.UNSUBSCRIBED or consumer.instance_id == NO_INSTANCE:
        return False
    if state.heartbeats[member_id].stage != HeartbeatStage.IDLE or consumer.is_reconciling:
        return False
    consumer_membership.begin_joining(consumer)
    return True


def rebalance_times_out(state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A member has taken too long to give up partitions.

    Who: the coordinator, because of the environment.
    When: it watches the member.
    Effect: the member is removed, and its partitions are free; it does not know.
    Source: GroupMetadataManager.scheduleConsumerGroupRebalanceTimeout.
    """
    if not may_time_out(state.group.members[member_id]) or is_at_last_epoch(state, bounds):
        return False
    remove_member(state.group, rules, bounds.topics, member_id, state.existing)
    return True


def live_member_is_fenced(state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator has not heard of a live member for too long, or the member takes too long to give up partitions.

    Who: the coordinator, because of the environment.
    When: the consumer is a member.
    Effect: it is removed, and its partitions are free; it does not know.
    Source: GroupMetadataManager.scheduleConsumerGroupSessionTimeout, scheduleConsumerGroupRebalanceTimeout.
    """
    if state.group.members[member_id].state == MemberState.NOT_A_MEMBER or is_at_last_epoch(state, bounds):
        return False
    if state.consumers[member_id].state == ConsumerState.CRASHED:
        return False
    remove_member(state.group, rules, bounds.topics, member_id, state.existing)
    return True


def heartbeat_is_lost(state: State, member_id: MemberId) -> bool:
    """A heartbeat or its response is lost.

    Who: the network.
    When: one is under way.
    Effect: the consumer's next heartbeat is full.
    Source: a broken connection; ConsumerHeartbeatRequestManager.HeartbeatState.reset.
    """
    heartbeat = state.heartbeats[member_id]
    if heartbeat.stage != HeartbeatStage.REQUESTED and heartbeat.stage != HeartbeatStage.ANSWERED:
        return False
    consumer_membership.lose_heartbeat(state.consumers[member_id], heartbeat)
    return True


def heartbeat_is_delayed(state: State, member_id: MemberId) -> bool:
    """A consumer gives a heartbeat up that arrives later, or never.

    Who: the network.
    When: a request is under way.
    Effect: the request may arrive at any time, and nobody waits for its response.
    Source: a broken connection, or `request.timeout.ms`.
    """
    heartbeat = state.heartbeats[member_id]
    if heartbeat.stage != HeartbeatStage.REQUESTED or is_full(state.late_heartbeats):
        return False
    add(state.late_heartbeats, heartbeat.request)
    consumer_membership.lose_heartbeat(state.consumers[member_id], heartbeat)
    return True


def farewell_is_lost(state: State, member_id: MemberId) -> bool:
    """The connection breaks on which a consumer has said that it leaves, because it polls too seldom.

    Who: the network.
    When: the former heartbeat, the leave or a response to one of them is under way.
    Effect: all that is under way is lost.
    Source: a broken connection; ConsumerHeartbeatRequestManager.HeartbeatState.reset.
    """
    farewell = state.farewells[member_id]
    if farewell.former.stage == HeartbeatStage.IDLE and farewell.leave.stage == HeartbeatStage.IDLE:
        return False
    poll_interval.lose_farewell(state.consumers[member_id], state.heartbeats[member_id], farewell)
    return True


def coordinator_fails_over(state: State, bounds: Bounds) -> bool:
    """Another broker becomes the group's coordinator, and loads the group from the log.

    Who: the cluster.
    When: at any time.
    Effect: what was not committed is lost, and so are the heartbeats that waited for that.
    Source: CoordinatorRuntime.scheduleLoadOperation.
    """
    copy(state.group, state.logged)
    watch_members(state.group)
    for member_id, heartbeat in enumerate(state.heartbeats):
        if heartbeat.stage == HeartbeatStage.APPENDED:
            consumer_membership.lose_heartbeat(state.consumers[member_id], heartbeat)
        note_owner(state, bounds, member_id)
    return True


def subscription_changes(state: State, member_id: MemberId, topics: TopicSet) -> bool:
    """An application subscribes to other topics.

    Who: the application.
    When: its consumer has joined.
    Effect: the next heartbeat names them.
    Source: KafkaConsumer.subscribe.
    """
    consumer = state.consumers[member_id]
    if topics == Ids() or topics == consumer.subscribed:
        return False
    if not consumer_membership.is_in_group(consumer) or consumer.state == ConsumerState.JOINING:
        return False
    consumer.subscribed = topics
    consumer.names_topics = True
    return True


def partition_is_created(state: State, partition_id: PartitionId) -> bool:
    """An operator adds a partition to a topic, and the coordinator's metadata has it.

    Who: an operator.
    When: it does not exist.
    Effect: the next heartbeat that the coordinator handles leads to another target assignment.
    Source: ConsumerGroup.requestMetadataRefresh.
    """
    if partition_id in state.existing:
        return False
    state.existing |= {partition_id}
    return True


CHARGES = {
    consumer_crashes: "crashes",
    consumer_leaves: "leaves",
    live_member_is_fenced: "expirations",
    heartbeat_is_lost: "losses",
    farewell_is_lost: "losses",
    heartbeat_is_delayed: "delays",
    coordinator_fails_over: "failovers",
    subscription_changes: "subscription_changes",
    partition_is_created: "creations",
    coordinator_defers_assignment: "deferrals",
    static_consumer_starts: "restarts",
    rebalance_times_out: "timeouts",
    poll_interval_ends: "slow_polls",
}
"""The allowance to which each disturbance of this file is charged."""
