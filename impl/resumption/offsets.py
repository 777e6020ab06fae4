"""Committed offsets with their epochs: what a consumer commits, what the coordinator keeps, and what it tells.

Part of Kafka modelled: `ConsumerCoordinator` (`sendOffsetCommitRequest`, `OffsetFetchResponseHandler`),
`SubscriptionState.allConsumed`, `ConsumerUtils.refreshCommittedOffsets`; `OffsetMetadataManager`.
Source: apache/kafka (commit 1eb7644349); KIP-320; KAFKA-7437; librdkafka (`rd_kafka_fetch_pos_cmp`); IBM/sarama
(`OffsetFetchResponseBlock`).
Left out, and why that is sound: requests under way, generations and lost answers, which `impl/delivery` has: an offset
without progress since is committed as if it were sent later.
"""

from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.resumption.constants import FetchState
from kafkacheck.impl.resumption.positions import require_reset, seek_unvalidated
from kafkacheck.impl.resumption.records import OffsetAndEpoch, ResumingConsumer, ResumptionRules


def epoch_to_commit(consumer: ResumingConsumer) -> int:
    """The leader epoch that a commit of the position has; `NO_EPOCH` if the application leaves it out."""
    return NO_EPOCH if consumer.leaves_epoch_out else consumer.position.epoch


def is_news_to_commit(rules: ResumptionRules, committed: OffsetAndEpoch, offset: int, epoch: int) -> bool:
    """Whether a client that commits only what is newer takes an offset for newer than the committed one.

    The epochs are compared first. If one of them is unknown, the offsets alone tell.
    """
    is_unknown = epoch == NO_EPOCH or committed.epoch == NO_EPOCH
    if epoch == committed.epoch or (is_unknown and rules.unknown_epoch_is_not_compared):
        return offset > committed.offset
    return epoch > committed.epoch


def commit_position(consumer: ResumingConsumer, rules: ResumptionRules, committed: OffsetAndEpoch) -> bool:
    """Commit the position with its epoch.

    Who: the consumer, by itself or for the application.
    When: it may fetch from the position. A client that compares must find the position newer than the committed one,
        which it knows.
    Effect: the coordinator has the offset and its epoch, or the offset alone if the application leaves the epoch out.
    Source: SubscriptionState.allConsumed, ConsumerCoordinator.sendOffsetCommitRequest;
        OffsetMetadataManager.commitOffset.
    Left out: offsets below the position, which `impl/delivery` has.
    """
    if consumer.fetch_state != FetchState.FETCHING:
        return False
    offset = consumer.position.offset
    epoch = epoch_to_commit(consumer)
    if offset == committed.offset and epoch == committed.epoch:
        return False
    if rules.only_news_is_committed and not is_news_to_commit(rules, committed, offset, epoch):
        return False
    committed.offset = offset
    committed.epoch = epoch
    return True


def told_epoch(consumer: ResumingConsumer, rules: ResumptionRules, committed: OffsetAndEpoch) -> int:
    """The epoch that a consumer reads in the answer to its OffsetFetch; older versions do not have it."""
    if not consumer.is_old:
        return committed.epoch
    return NO_EPOCH if rules.absent_epoch_is_unknown else 0


def see_committed_epoch(consumer: ResumingConsumer, epoch: int) -> None:
    """Note the epoch of the committed offset. If it is newer than the metadata, the leader is no longer known."""
    if epoch > consumer.leader_epoch:
        consumer.leader_epoch = epoch
        consumer.knows_leader = False


def resume_at_committed(consumer: ResumingConsumer, rules: ResumptionRules, committed: OffsetAndEpoch) -> bool:
    """Learn the committed offset, and go on there.

    Who: the consumer.
    When: it has no position yet.
    Effect: it has the offset and the epoch as its position, which must be validated if the epoch is known; and it needs
        metadata that is as new as that epoch. If no offset is committed, `auto.offset.reset` says where to begin, or
        the application.
    Source: ConsumerUtils.refreshCommittedOffsets; Metadata.updateLastSeenEpochIfNewer;
        SubscriptionState.resetInitializingPositions.
    """
    if not consumer.is_running or consumer.fetch_state != FetchState.INITIALIZING:
        return False
    if committed.offset == NO_OFFSET:
        require_reset(consumer, rules)
        return True
    epoch = told_epoch(consumer, rules, committed)
    see_committed_epoch(consumer, epoch)
    seek_unvalidated(consumer, rules, committed.offset, epoch)
    return True
