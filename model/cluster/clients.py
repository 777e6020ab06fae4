"""What the consumer does: each step is its request and a broker's answer at once."""

from kafkacheck.impl.broker.consumer_requests import (
    end_of_read,
    fails,
    has_readable_record,
    is_candidate,
    is_position_outside,
    knows_latest_offset,
    serves_as_follower,
)
from kafkacheck.impl.broker.epoch_file import end_offset_of_epoch
from kafkacheck.impl.broker.fetch import serves
from kafkacheck.impl.client.consumer import (
    complete_validation,
    learn_latest_offset,
    learn_leader,
    learn_told_leader,
    may_fetch,
    take_record,
)
from kafkacheck.impl.client.read_replica import end_lease, find_replica_offline, handle_error
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET, ReplicaId
from kafkacheck.impl.log import has_offset
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def consumer_learns_leader(state: State, rules: ClusterRules, broker_id: ReplicaId) -> bool:
    """The consumer receives metadata from a broker."""
    broker = state.brokers[broker_id]
    if not broker.is_running or broker.leader == NO_LEADER:
        return False
    return learn_leader(state.consumer, rules, broker.topic_id, broker.leader, broker.leader_epoch)


def consumer_learns_told_leader(state: State) -> bool:
    """The consumer receives the metadata that the controller last sent to the brokers (ZooKeeper era)."""
    metadata = state.controller.history[state.controller.offset]
    return learn_told_leader(state.consumer, metadata.leader, metadata.told_epoch)


def is_served(state: State, rules: ClusterRules) -> bool:
    """Whether the consumer's leader answers: that broker runs, leads, and is in the consumer's leader epoch."""
    consumer = state.consumer
    if consumer.leader == NO_LEADER:
        return False
    return serves(state.brokers[consumer.leader], rules, consumer.leader, consumer.topic_id, consumer.leader_epoch)


def consumer_validates_position(state: State, rules: ClusterRules) -> bool:
    """The consumer asks its leader for the end offset of the epoch of the last record that it read."""
    consumer = state.consumer
    if not consumer.must_validate or not is_served(state, rules):
        return False
    return complete_validation(consumer, end_offset_of_epoch(state.brokers[consumer.leader], consumer.position_epoch))


def is_reading(state: State, rules: ClusterRules) -> bool:
    """Whether the consumer may read from its leader now."""
    return is_served(state, rules) and may_fetch(state.consumer)


def is_served_by_follower(state: State, rules: ClusterRules, follower_id: int) -> bool:
    """Whether the consumer may read from a follower now."""
    return may_fetch(state.consumer) and serves_as_follower(
        state.brokers[follower_id], rules, state.consumer.leader_epoch
    )


def read_committed(state: State, broker_id: int) -> bool:
    """Give the consumer the record at its position if the broker knows that it is committed; return whether it did."""
    position = state.consumer.position
    if not has_readable_record(state.brokers[broker_id], position):
        return False
    return take_record(state.consumer, state.brokers[broker_id].log)


def consumer_reads(state: State, rules: ClusterRules) -> bool:
    """The consumer reads the record at its position.

    Who: the consumer.
    When: it need not validate its position and has no read replica; its leader answers; the record is below the
        leader's high watermark.
    Effect: it has the record, and its position is one further.
    Source: Partition.fetchRecords (FetchIsolation.HIGH_WATERMARK).
    Left out: more than one record at once.
    """
    if state.consumer.read_replica != NO_LEADER or not is_reading(state, rules):
        return False
    return read_committed(state, state.consumer.leader)


def consumer_reads_from_follower(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """The consumer reads the record at its position from a follower that is nearer than the leader.

    Who: the consumer.
    When: it need not validate its position; the follower runs, follows in the consumer's leader epoch and need not
        truncate; the record is below the high watermark that the follower knows. Above that the follower answers
        without records.
    Effect: it has the record, and its position is one further.
    Source: Partition.fetchRecords, checkCurrentLeaderEpoch, LocalLog.read; KIP-392.
    Left out: the leader's choice: any follower may serve here. `leader_names_read_replica` has the choice.
    """
    if state.brokers[follower_id].leader == follower_id or not is_served_by_follower(state, rules, follower_id):
        return False
    return read_committed(state, follower_id)


def leader_limits_read(state: State, rules: ClusterRules) -> bool:
    """The leader computes the limit of the consumer's read: the first of the two steps of a read, if it takes two.

    Who: the consumer's leader.
    When: the consumer asks, from an offset up to the high watermark.
    Effect: the limit is the current high watermark.
    Source: LocalLog.read, LogSegment.read; KAFKA-9835.
    """
    consumer = state.consumer
    if not is_reading(state, rules) or consumer.read_limit != NO_OFFSET:
        return False
    if consumer.position > state.brokers[consumer.leader].high_watermark:
        return False
    consumer.read_limit = state.brokers[consumer.leader].high_watermark
    return True


def leader_ends_read(state: State, rules: ClusterRules) -> bool:
    """The leader hands out the record below the limit: the second step of a read.

    Who: the consumer's leader.
    When: the limit was computed.
    Effect: the consumer has the record at its position, if the position is below the limit. By the old rule a read that
        starts at the limit ends at the log's end instead.
    Source: LogSegment.read; KAFKA-9835.
    """
    consumer = state.consumer
    if consumer.read_limit == NO_OFFSET or not is_reading(state, rules):
        return False
    leader = state.brokers[consumer.leader]
    limit = end_of_read(leader, rules, consumer.position, consumer.read_limit)
    consumer.read_limit = NO_OFFSET
    if consumer.position < limit and has_offset(leader.log, consumer.position):
        take_record(consumer, leader.log)
    return True


def consumer_asks_latest_offset(state: State, rules: ClusterRules) -> bool:
    """The consumer asks its leader for the latest offset (ListOffsets)."""
    if not is_served(state, rules) or not knows_latest_offset(state.brokers[state.consumer.leader], rules):
        return False
    return learn_latest_offset(state.consumer, state.brokers[state.consumer.leader].high_watermark)


def leader_names_read_replica(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """The leader answers the consumer's fetch with the name of a follower, and without records.

    Who: the consumer's leader. By the rule before KAFKA-13778 also the consumer's read replica, which may know the
        followers' end offsets from the time when it was the leader.
    When: the consumer fetches from this broker, and the follower has fetched from the consumer's position or above and
        is in the ISR. A selector may choose any such follower, or the leader itself (`consumer_reads`).
    Effect: the consumer fetches from that follower from now on.
    Source: ReplicaManager.findPreferredReadReplica, SubscriptionState.updatePreferredReadReplica; KIP-392, KAFKA-14372.
    Left out: the follower's log start (`impl.broker.consumer_requests`).
    """
    consumer = state.consumer
    asked_id = consumer.leader
    if consumer.read_replica != NO_LEADER:
        if rules.only_leader_names_read_replica:
            return False
        asked_id = consumer.read_replica
        if not is_served_by_follower(state, rules, asked_id):
            return False
    elif not is_reading(state, rules):
        return False
    if follower_id == consumer.leader:
        return False
    if not is_candidate(state.brokers[asked_id], rules, asked_id, follower_id, consumer.position):
        return False
    consumer.read_replica = follower_id
    return True


def consumer_reads_from_read_replica(state: State, rules: ClusterRules) -> bool:
    """The consumer reads the record at its position from its read replica.

    Who: the consumer.
    When: it has a read replica, which follows in the consumer's leader epoch and knows that the record is committed.
        Between its high watermark and its log's end the follower answers without records, and the consumer asks again.
    Effect: it has the record, and its position is one further.
    Source: Partition.fetchRecords, LocalLog.read; AbstractFetch.selectReadReplica; KIP-392.
    Left out: more than one record at once.
    """
    replica_id = state.consumer.read_replica
    if replica_id == NO_LEADER or not is_served_by_follower(state, rules, replica_id):
        return False
    return read_committed(state, replica_id)


def consumer_is_refused(state: State, rules: ClusterRules) -> bool:
    """The consumer's read replica answers with an error, or the connection breaks."""
    consumer = state.consumer
    if consumer.read_replica == NO_LEADER:
        return False
    follower = state.brokers[consumer.read_replica]
    has_failed = fails(follower, consumer.leader_epoch)
    return handle_error(
        consumer, rules, has_failed, is_position_outside(follower, consumer.leader_epoch, consumer.position)
    )


def consumer_ends_lease(state: State, rules: ClusterRules) -> bool:
    """The consumer asks its leader again, because it has read from its read replica for a long time."""
    return end_lease(state.consumer, rules)


def consumer_finds_replica_offline(state: State, broker_id: ReplicaId) -> bool:
    """The consumer receives metadata from a broker: in it the read replica is offline or not assigned."""
    broker = state.brokers[broker_id]
    if not broker.is_running:
        return False
    return find_replica_offline(state.consumer, state.controller.history[broker.metadata_offset])
