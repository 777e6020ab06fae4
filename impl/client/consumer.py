"""A consumer: it learns the leader, validates its position, reads, and asks for the latest offset.

Part of Kafka modelled: `KafkaConsumer` (`SubscriptionState`, `OffsetFetcher`, `OffsetsForLeaderEpochClient`).
Source: apache/kafka (commit 1eb7644349); KIP-207, KIP-320, KIP-392, KAFKA-9212.
Left out, and why that is sound: requests in flight: a late answer has the leader's state of some earlier moment, at
which the consumer could have read it.
"""

from kafkacheck.impl.client.records import Consumer
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.impl.log import Log
from kafkacheck.impl.log.reading import id_at, leader_epoch_at
from kafkacheck.impl.rules import ClusterRules


def is_news(consumer: Consumer, rules: ClusterRules, topic_id: int, leader_epoch: int) -> bool:
    """Whether the consumer accepts metadata: of a newer leader epoch, or of another topic of the same name.

    By the rule before KAFKA-12257 it accepts another topic only if the leader epoch is no lower.
    """
    if leader_epoch > consumer.leader_epoch:
        return True
    if topic_id == consumer.topic_id:
        return False
    return rules.metadata_names_topic_id or leader_epoch == consumer.leader_epoch


def learn_leader(consumer: Consumer, rules: ClusterRules, topic_id: int, leader: int, leader_epoch: int) -> bool:
    """Receive metadata from a broker.

    Who: the consumer.
    When: the broker runs, knows a leader, and its leader epoch is newer than the consumer's, or the topic is
        another one.
    Effect: the consumer reads from that leader, and no longer from a read replica; a position above 0 must be
        validated.
    Source: Metadata.updateLastSeenEpochIfNewer, SubscriptionState.maybeValidatePositionForCurrentLeader; KIP-320,
        KAFKA-12257.
    Left out: metadata of an older epoch, which clients ignore.
    """
    if not is_news(consumer, rules, topic_id, leader_epoch):
        return False
    consumer.topic_id = topic_id
    consumer.leader = leader
    consumer.leader_epoch = leader_epoch
    consumer.read_limit = NO_OFFSET
    consumer.read_replica = NO_LEADER
    consumer.must_validate = rules.consumer_validates_position and consumer.position > 0
    return True


def learn_told_leader(consumer: Consumer, leader: int, leader_epoch: int) -> bool:
    """Receive the metadata that the controller last sent to the brokers (ZooKeeper era).

    Who: the consumer.
    When: the leader epoch in it is newer than the consumer's.
    Effect: the consumer turns to that leader in that epoch.
    Source: UpdateMetadata; KAFKA-9212.
    Left out: validating the position, which `learn_leader` has.
    """
    if leader == NO_LEADER or leader_epoch <= consumer.leader_epoch:
        return False
    consumer.leader = leader
    consumer.leader_epoch = leader_epoch
    return True


def complete_validation(consumer: Consumer, end_offset: int) -> bool:
    """Compare the position with the leader's end offset of the epoch of the last record read.

    Who: a consumer that must validate.
    When: its leader answers.
    Effect: if the epoch ends below the position, or the leader does not know it, the records read are gone and the
        consumer stops with that error. Otherwise it reads on.
    Source: SubscriptionState.maybeCompleteValidation, LogTruncationException; KIP-320.
    Left out: starting again after the error, which is the application's choice.
    """
    consumer.must_validate = False
    consumer.is_truncated = end_offset == NO_OFFSET or end_offset < consumer.position
    return True


def may_fetch(consumer: Consumer) -> bool:
    """Whether the consumer may fetch: it need not validate its position, and has found no truncation."""
    return not consumer.must_validate and not consumer.is_truncated


def take_record(consumer: Consumer, log: Log) -> bool:
    """Receive the record at the position from a broker's log."""
    consumer.records[consumer.position] = id_at(log, consumer.position)
    consumer.position_epoch = leader_epoch_at(log, consumer.position)
    consumer.position += 1
    return True


def learn_latest_offset(consumer: Consumer, offset: int) -> bool:
    """Receive the leader's answer to a request for the latest offset (ListOffsets).

    Who: the consumer.
    When: its leader answers, and the answer is new. A leader whose high watermark has not reached the start of its
        epoch answers OFFSET_NOT_AVAILABLE.
    Effect: the consumer learns the high watermark.
    Source: Partition.fetchOffsetForTimestamp; KIP-207.
    Left out: look-ups by time, to which the same rule applies.
    """
    if consumer.told_offset == offset:
        return False
    consumer.told_offset = offset
    consumer.latest_offset = max(consumer.latest_offset, offset)
    return True
