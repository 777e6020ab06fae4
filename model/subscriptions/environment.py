"""Disturbances of a group with patterns: other subscriptions, departures and returns, topics that come and go."""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client import consumer_membership, pattern_subscription
from kafkacheck.impl.consumer_group import resolution
from kafkacheck.impl.consumer_group.constants import NO_INSTANCE, ConsumerState, HeartbeatStage
from kafkacheck.impl.consumer_group.pattern_records import PatternRules
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.messages.consumer_group_heartbeat import MemberId
from kafkacheck.impl.messages.pattern_heartbeat import NO_PATTERN, PatternId
from kafkacheck.model.subscriptions.system import State, join_by_classic_protocol, may_succeed


def start_with_patterns(state: State, bounds: Bounds) -> bool:
    """All consumers join with the first pattern, which matches all topics. The last topics do not exist yet."""
    state.existing = Ids(range(bounds.partitions - bounds.creations))
    state.group.must_refresh = True
    for subscriber in state.consumers:
        subscriber.pattern = 0
        consumer_membership.begin_joining(subscriber.plain)
    return True


def start_with_both(state: State, bounds: Bounds) -> bool:
    """The same; consumers also name the first topic, as clients may that are not Kafka's own."""
    start_with_patterns(state, bounds)
    for subscriber in state.consumers:
        subscriber.plain.subscribed = Ids({0})
    return True


def start_with_a_static_consumer(state: State, bounds: Bounds) -> bool:
    """The same with patterns only; the first consumer of the new protocol has an instance id.

    One of the classic protocol, if there is one, is to come later, with the same instance id.
    """
    start_with_patterns(state, bounds)
    state.consumers[bounds.classic_consumers].plain.instance_id = 0
    if bounds.classic_consumers > 0:
        clear(state.consumers[0])
        state.consumers[0].plain.instance_id = 0
        state.consumers[0].plain.subscribed = Ids({0})
    return True


def pattern_changes(state: State, member_id: MemberId, pattern: PatternId) -> bool:
    """An application subscribes by another pattern."""
    return pattern_subscription.change_pattern(state.consumers[member_id], pattern)


def pattern_is_given_up(state: State, member_id: MemberId) -> bool:
    """An application gives its pattern up, and keeps its list of topics, with a client that can have both.

    Who: the application.
    When: its consumer has joined.
    Effect: the next heartbeat says so.
    Source: rd_kafka_subscribe of librdkafka, which takes topics and patterns in one list.
    """
    subscriber = state.consumers[member_id]
    if subscriber.pattern == NO_PATTERN or subscriber.plain.state == ConsumerState.JOINING:
        return False
    if not consumer_membership.is_in_group(subscriber.plain):
        return False
    subscriber.pattern = NO_PATTERN
    return True


def static_consumer_leaves(state: State, member_id: MemberId) -> bool:
    """A static consumer leaves for a while."""
    if state.consumers[member_id].plain.instance_id == NO_INSTANCE:
        return False
    return consumer_membership.begin_leaving(state.consumers[member_id].plain)


def consumer_leaves(state: State, member_id: MemberId) -> bool:
    """A consumer begins to leave its group."""
    return consumer_membership.begin_leaving(state.consumers[member_id].plain)


def static_consumer_names_topics(state: State, member_id: MemberId) -> bool:
    """A static consumer that has left comes back, and subscribes to the first topic instead of by a pattern.

    Who: the application, in a new process, or in the same one.
    When: it is in no group, and nothing of its former membership is under way.
    Effect: it asks to join.
    Source: KafkaConsumer.subscribe(Collection).
    """
    subscriber = state.consumers[member_id]
    consumer = subscriber.plain
    if consumer.state != ConsumerState.UNSUBSCRIBED or consumer.instance_id == NO_INSTANCE:
        return False
    if state.heartbeats[member_id].plain.stage != HeartbeatStage.IDLE:
        return False
    subscriber.pattern = NO_PATTERN
    subscriber.sent_pattern = NO_PATTERN
    consumer.subscribed = Ids({0})
    consumer_membership.begin_joining(consumer)
    return True


def classic_consumer_succeeds(state: State, rules: PatternRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer of the classic protocol takes the place of the static one, and subscribes to the first topic.

    Who: the application, in a new process.
    When: the static consumer has left for a while, and another one keeps the group in the new protocol.
    Effect: as `join_beside_patterns` says.
    Source: GroupMetadataManager.classicGroupJoinToConsumerGroup.
    """
    if member_id >= bounds.classic_consumers or state.consumers[member_id].plain.state != ConsumerState.UNSUBSCRIBED:
        return False
    if not may_succeed(state):
        return False
    join_by_classic_protocol(state, rules, bounds, member_id)
    return True


def heartbeat_is_lost(state: State, member_id: MemberId) -> bool:
    """A heartbeat or its response is lost.

    Who: the network.
    When: one is under way.
    Effect: the consumer's next heartbeat is full.
    Source: a broken connection; ConsumerHeartbeatRequestManager.HeartbeatState.reset.
    """
    heartbeat = state.heartbeats[member_id]
    if heartbeat.plain.stage != HeartbeatStage.REQUESTED and heartbeat.plain.stage != HeartbeatStage.ANSWERED:
        return False
    consumer_membership.lose_heartbeat(state.consumers[member_id].plain, heartbeat.plain)
    clear(heartbeat)
    return True


def coordinator_fails_over(state: State) -> bool:
    """Another broker becomes the group's coordinator, and loads the group from the log.

    Who: the cluster.
    When: a group is in the log.
    Effect: the resolution that is under way is lost.
    Source: CoordinatorRuntime.scheduleLoadOperation.
    """
    if state.group.plain.group_epoch == 0:
        return False
    resolution.begin_with_patterns(state.group)
    return True


def executor_fails(state: State) -> bool:
    """The executor that looks for topics fails."""
    return resolution.fail_resolution(state.group)


def topic_is_created(state: State, rules: PatternRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A topic is created, and the coordinator's metadata has it.

    Who: an operator.
    When: it did not exist.
    Effect: as `hear_of_topic` says.
    Source: GroupMetadataManager.onMetadataUpdate.
    """
    if partition_id in state.existing or partition_id < bounds.partitions - bounds.creations:
        return False
    state.existing |= {partition_id}
    resolution.hear_of_topic(state.group, rules, partition_id % bounds.topics, True)
    return True


def topic_is_deleted(state: State, rules: PatternRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A topic is deleted, and the coordinator's metadata has it no longer.

    Who: an operator.
    When: it exists, and was there from the beginning.
    Effect: as `hear_of_topic` says.
    Source: GroupMetadataManager.onMetadataUpdate.
    """
    if partition_id not in state.existing or partition_id >= bounds.partitions - bounds.creations:
        return False
    state.existing -= {partition_id}
    resolution.hear_of_topic(state.group, rules, partition_id % bounds.topics, False)
    return True


CHARGES = {
    pattern_changes: "subscription_changes",
    pattern_is_given_up: "subscription_changes",
    static_consumer_leaves: "leaves",
    consumer_leaves: "leaves",
    static_consumer_names_topics: "restarts",
    classic_consumer_succeeds: "restarts",
    heartbeat_is_lost: "losses",
    coordinator_fails_over: "failovers",
    topic_is_created: "creations",
    topic_is_deleted: "deletions",
    executor_fails: "failures",
}
"""The allowance to which each disturbance of this file is charged."""
