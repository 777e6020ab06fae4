"""A consumer: it learns the leader, validates its position, reads, and asks for the latest offset.

Part of Kafka modelled: `KafkaConsumer` (`SubscriptionState`, `OffsetFetcher`, `OffsetsForLeaderEpochClient`), and the
leader's answers (`Partition.fetchRecords`, `fetchOffsetForTimestamp`).
Source: apache/kafka (commit 1eb7644349); KIP-207, KIP-320, KIP-392, KAFKA-9835,
KAFKA-9212.
Left out, and why that is sound: requests in flight: a late answer has the leader's state of some earlier moment, at
which the consumer could have read it.
"""

from kafkacheck.impl.broker.epoch_file import end_offset_of_epoch
from kafkacheck.impl.broker.fetch import is_fenced, is_of_other_topic
from kafkacheck.impl.broker.leader import is_leading
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.client.records import Consumer
from kafkacheck.impl.constants import NO_LEADER, NO_OFFSET
from kafkacheck.impl.log import has_offset
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def is_news(broker: Broker, rules: ClusterRules, consumer: Consumer) -> bool:
    """Whether the consumer accepts a broker's metadata: of a newer leader epoch, or of another topic of the same name.

    By the rule before KAFKA-12257 it accepts another topic only if the leader epoch is no lower.
    """
    if broker.leader_epoch > consumer.leader_epoch:
        return True
    if broker.topic_id == consumer.topic_id:
        return False
    return rules.metadata_names_topic_id or broker.leader_epoch == consumer.leader_epoch


def consumer_learns_leader(state: State, rules: ClusterRules, broker_id: ReplicaId) -> bool:
    """The consumer receives metadata from a broker.

    Who: the consumer.
    When: the broker runs, knows a leader, and its leader epoch is newer than the consumer's, or the topic is
        another one.
    Effect: the consumer turns to that leader, also from its read replica; a position after a record must be validated.
    Source: Metadata.updateLastSeenEpochIfNewer, SubscriptionState.maybeValidatePositionForCurrentLeader; KIP-320,
        KAFKA-12257.
    Left out: metadata of an older epoch, which clients ignore.
    """
    broker = state.brokers[broker_id]
    consumer = state.consumer
    if not broker.is_running or broker.leader == NO_LEADER:
        return False
    if not is_news(broker, rules, consumer):
        return False
    consumer.topic_id = broker.topic_id
    consumer.leader = broker.leader
    consumer.leader_epoch = broker.leader_epoch
    consumer.read_limit = NO_OFFSET
    consumer.read_replica = NO_LEADER
    consumer.must_validate = rules.consumer_validates_position and consumer.position > 0
    return True


def consumer_learns_told_leader(state: State) -> bool:
    """The consumer receives the metadata that the controller last sent to the brokers (ZooKeeper era).

    Who: the consumer.
    When: the leader epoch in it is newer than the consumer's.
    Effect: the consumer turns to that leader in that epoch.
    Source: UpdateMetadata; KAFKA-9212.
    Left out: validating the position, which `consumer_learns_leader` has.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER or metadata.told_epoch <= state.consumer.leader_epoch:
        return False
    state.consumer.leader = metadata.leader
    state.consumer.leader_epoch = metadata.told_epoch
    return True


def is_served(state: State, rules: ClusterRules) -> bool:
    """Whether the consumer's leader answers it: it runs, leads, and is in the consumer's leader epoch."""
    consumer = state.consumer
    if consumer.leader == NO_LEADER or not is_leading(state, consumer.leader):
        return False
    if is_of_other_topic(state.brokers[consumer.leader], rules, consumer.topic_id):
        return False
    return not is_fenced(state.brokers[consumer.leader], rules, consumer.leader_epoch)


def consumer_validates_position(state: State, rules: ClusterRules) -> bool:
    """The consumer asks its leader for the end offset of the epoch of the last record that it read.

    Who: a consumer that must validate.
    When: its leader answers.
    Effect: if the epoch ends below the position, or the leader does not know it, the records read are gone and the
        consumer stops with that error. Otherwise it reads on.
    Source: SubscriptionState.maybeCompleteValidation, LogTruncationException; KIP-320.
    Left out: starting again after the error, which is the application's choice.
    """
    consumer = state.consumer
    if not consumer.must_validate or not is_served(state, rules):
        return False
    end_offset = end_offset_of_epoch(state.brokers[consumer.leader], consumer.position_epoch)
    consumer.must_validate = False
    consumer.is_truncated = end_offset == NO_OFFSET or end_offset < consumer.position
    return True


def is_reading(state: State, rules: ClusterRules) -> bool:
    """Whether the consumer may read from its leader now."""
    consumer = state.consumer
    return is_served(state, rules) and not consumer.must_validate and not consumer.is_truncated


def has_readable_record(broker: Broker, position: int) -> bool:
    """Whether a broker has a record at `position` that it knows to be committed."""
    return position < broker.high_watermark and position >= broker.log_start_offset


def take_record(state: State, consumer: Consumer, broker_id: int) -> None:
    """Give the consumer the record at its position in a broker's log."""
    record = state.brokers[broker_id].log.records[consumer.position]
    consumer.records[consumer.position] = record.id
    consumer.position_epoch = record.epoch
    consumer.position += 1


def consumer_reads(state: State, rules: ClusterRules) -> bool:
    """The consumer reads the record at its position.

    Who: the consumer.
    When: it need not validate, it has no read replica, its leader answers, and the record is below the leader's high
        watermark.
    Effect: it has the record, and its position is one further.
    Source: Partition.fetchRecords (FetchIsolation.HIGH_WATERMARK).
    Left out: more than one record at once.
    """
    consumer = state.consumer
    if consumer.read_replica != NO_LEADER or not is_reading(state, rules):
        return False
    if not has_readable_record(state.brokers[consumer.leader], consumer.position):
        return False
    take_record(state, consumer, consumer.leader)
    return True


def is_following_for(follower: Broker, rules: ClusterRules, consumer: Consumer) -> bool:
    """Whether a broker answers the consumer as a follower: it runs, follows, and is in the consumer's leader epoch.

    The consumer does not fetch while it must validate, and a follower that must truncate does not answer.
    """
    if consumer.must_validate or consumer.is_truncated:
        return False
    if not follower.is_running or follower.leader == NO_LEADER:
        return False
    if is_fenced(follower, rules, consumer.leader_epoch):
        return False
    return not follower.must_truncate


def consumer_reads_from_follower(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """The consumer reads the record at its position from a follower that is nearer than the leader.

    Who: the consumer.
    When: it need not validate; the follower runs, follows in the consumer's leader epoch and need not truncate; the
        record is below the high watermark that the follower knows. Above that it answers without records.
    Effect: it has the record, and its position is one further.
    Source: Partition.fetchRecords, checkCurrentLeaderEpoch, LocalLog.read; KIP-392.
    Left out: the leader's choice of the follower, which may be any; `impl/client/read_replica.py` has it.
    """
    consumer = state.consumer
    follower = state.brokers[follower_id]
    if follower.leader == follower_id:
        return False
    if not is_following_for(follower, rules, consumer) or not has_readable_record(follower, consumer.position):
        return False
    take_record(state, consumer, follower_id)
    return True


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
    Effect: the consumer has the record at its position, if that is below the limit. By the old rule a read that starts
        at the limit ends at the log's end instead.
    Source: LogSegment.read; KAFKA-9835.
    """
    consumer = state.consumer
    if consumer.read_limit == NO_OFFSET or not is_reading(state, rules):
        return False
    limit = consumer.read_limit
    if consumer.position == limit and not rules.read_limit_is_taken_once:
        limit = state.brokers[consumer.leader].log.end_offset
    consumer.read_limit = NO_OFFSET
    if consumer.position < limit and has_offset(state.brokers[consumer.leader].log, consumer.position):
        take_record(state, consumer, consumer.leader)
    return True


def consumer_asks_latest_offset(state: State, rules: ClusterRules) -> bool:
    """The consumer asks its leader for the latest offset (ListOffsets).

    Who: the consumer.
    When: its leader answers, and the answer is new. A leader whose high watermark has not reached the start of its
        epoch answers OFFSET_NOT_AVAILABLE.
    Effect: the consumer learns the high watermark.
    Source: Partition.fetchOffsetForTimestamp; KIP-207.
    Left out: look-ups by time, to which the same rule applies.
    """
    consumer = state.consumer
    if not is_served(state, rules):
        return False
    leader = state.brokers[consumer.leader]
    if rules.latest_offset_awaits_epoch_start and leader.high_watermark < leader.leader_epoch_start_offset:
        return False
    if consumer.told_offset == leader.high_watermark:
        return False
    consumer.told_offset = leader.high_watermark
    consumer.latest_offset = max(consumer.latest_offset, leader.high_watermark)
    return True
