"""A consumer's position with its leader epochs: validated after each change of the leader, and read on from there.

Part of Kafka modelled: `SubscriptionState`, `OffsetFetcherUtils`, `FetchCollector`, `Metadata`.
Source: apache/kafka (commit 1eb7644349); KIP-320; KAFKA-7747, KAFKA-8429, KAFKA-9840.
Left out, and why that is sound: a fetch under way, as if it were sent when it is answered. **Not covered**: its answer
from a former leader that arrives after the position was validated at the next one.
"""

from kafkacheck.checker.schema import clear, copy
from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.log import has_offset
from kafkacheck.impl.log.reading import end_of, leader_epoch_at
from kafkacheck.impl.resumption.constants import FetchState
from kafkacheck.impl.resumption.records import EpochLeader, OffsetAndEpoch, ResumingConsumer, ResumptionRules


def start_resuming(consumer: ResumingConsumer, rules: ResumptionRules, leader_epoch: int, is_old: bool) -> bool:
    """Start, or get the partition from another consumer, with metadata of some leader epoch.

    Who: a consumer.
    When: it does not run. Its client is a new one, unless there are older ones.
    Effect: it runs, and must ask for the committed offset.
    Source: SubscriptionState.assignFromSubscribed; Metadata.update.
    """
    if consumer.is_running or (is_old and rules.clients_are_new):
        return False
    consumer.is_running = True
    consumer.is_old = is_old
    consumer.leader_epoch = leader_epoch
    consumer.knows_leader = True
    return True


def validate_position(consumer: ResumingConsumer, rules: ResumptionRules) -> None:
    """Take the position for the newest leader epoch, and validate it if its own epoch is known."""
    consumer.position.leader_epoch = consumer.leader_epoch
    consumer.fetch_state = FetchState.FETCHING
    if rules.positions_are_validated and not consumer.is_old and consumer.position.epoch != NO_EPOCH:
        consumer.fetch_state = FetchState.AWAIT_VALIDATION


def seek_unvalidated(consumer: ResumingConsumer, rules: ResumptionRules, offset: int, epoch: int) -> None:
    """Go on at an offset, and validate it if its epoch is known (`SubscriptionState.seekUnvalidated`)."""
    consumer.position.offset = offset
    consumer.position.epoch = epoch
    clear(consumer.divergent)
    validate_position(consumer, rules)


def tell_application(consumer: ResumingConsumer, divergent: OffsetAndEpoch) -> None:
    """Raise an exception to the application, with the first offset known to differ; it may be unknown."""
    copy(consumer.divergent, divergent)
    consumer.fetch_state = FetchState.AWAIT_APPLICATION


def require_reset(consumer: ResumingConsumer, rules: ResumptionRules) -> None:
    """Give the position up. `auto.offset.reset` says where to go on; if it is `none`, the application does."""
    if rules.auto_offset_reset == AutoOffsetReset.NONE:
        clear(consumer.divergent)
        consumer.fetch_state = FetchState.AWAIT_APPLICATION
        return
    clear(consumer.position)
    consumer.fetch_state = FetchState.AWAIT_RESET


def receive_metadata(consumer: ResumingConsumer, rules: ResumptionRules, leader_epoch: int) -> bool:
    """Receive metadata with the leader of an epoch.

    Who: the consumer.
    When: the epoch is newer than any that it has seen, or is the newest one, of which it does not know the leader.
    Effect: it turns to that leader. A position must be validated if its epoch is known.
    Source: Metadata.updateLatestMetadata, OffsetFetcherUtils.validatePositionsOnMetadataChange,
        SubscriptionState.maybeValidatePositionForCurrentLeader.
    """
    if not consumer.is_running or leader_epoch < consumer.leader_epoch:
        return False
    if leader_epoch == consumer.leader_epoch and consumer.knows_leader:
        return False
    consumer.leader_epoch = leader_epoch
    consumer.knows_leader = True
    if consumer.fetch_state == FetchState.FETCHING or consumer.fetch_state == FetchState.AWAIT_VALIDATION:
        validate_position(consumer, rules)
    return True


def ask_for_epoch_end(consumer: ResumingConsumer) -> bool:
    """Ask the leader where the epoch of the position ends.

    Who: the consumer.
    When: it must validate its position, knows the leader, and has no such request under way.
    Effect: the request is under way.
    Source: OffsetFetcherUtils.getPositionsToValidate, OffsetsForLeaderEpochUtils.prepareRequest.
    """
    if consumer.fetch_state != FetchState.AWAIT_VALIDATION or not consumer.knows_leader or consumer.request.is_sent:
        return False
    consumer.request.is_sent = True
    copy(consumer.request.position, consumer.position)
    return True


def receive_epoch_end(consumer: ResumingConsumer, rules: ResumptionRules) -> bool:
    """Receive the answer where the epoch of the position ends.

    Who: the consumer.
    When: the leader has answered.
    Effect: if the position is another one since, or needs no validation, the answer is dropped. If the leader has no
        epoch that is as new, the position is reset. If the epoch ends below the position, records were cut, and the
        consumer goes on at that end; without a reset policy it tells its application. Otherwise the position is valid.
    Source: SubscriptionState.maybeCompleteValidation, OffsetFetcherUtils.onSuccessfulResponseForValidatingPositions;
        KAFKA-7747, KAFKA-8429, KAFKA-9840.
    """
    request = consumer.request
    if not request.is_answered:
        return False
    if consumer.fetch_state == FetchState.AWAIT_VALIDATION and request.position == consumer.position:
        complete_position(consumer, rules, request.end)
    clear(request)
    return True


def complete_position(consumer: ResumingConsumer, rules: ResumptionRules, end: OffsetAndEpoch) -> None:
    """Compare the position with the end of its epoch."""
    if end.offset == NO_OFFSET or end.epoch == NO_EPOCH:
        require_reset(consumer, rules)
    elif end.offset >= consumer.position.offset:
        consumer.fetch_state = FetchState.FETCHING
    elif rules.auto_offset_reset == AutoOffsetReset.NONE:
        tell_application(consumer, end)
    else:
        consumer.position.offset = end.offset
        consumer.position.epoch = end.epoch
        consumer.fetch_state = FetchState.FETCHING


def may_fetch_position(consumer: ResumingConsumer) -> bool:
    """Whether the consumer may fetch from its position: it needs no validation, and the leader is known."""
    return consumer.fetch_state == FetchState.FETCHING and consumer.knows_leader


def take_next_record(
    consumer: ResumingConsumer, rules: ResumptionRules, leader: EpochLeader, leaves_epoch_out: bool
) -> bool:
    """Give the application the record at the position, and process it.

    Who: the consumer and its application.
    When: the consumer may fetch, and the leader has the record. An application that names the epoch with each commit
        never leaves it out.
    Effect: the position is behind the record, and has the leader epoch of the record. The application chooses whether
        it will commit the epoch, too.
    Source: FetchCollector.fetchRecords, CompletedFetch.lastEpoch; OffsetAndMetadata.
    """
    if not may_fetch_position(consumer) or not has_offset(leader.log, consumer.position.offset):
        return False
    if leaves_epoch_out and rules.commits_name_epoch:
        return False
    consumer.position.epoch = leader_epoch_at(leader.log, consumer.position.offset)
    consumer.position.offset += 1
    consumer.leaves_epoch_out = leaves_epoch_out
    return True


def find_out_of_range(consumer: ResumingConsumer, rules: ResumptionRules, leader: EpochLeader) -> bool:
    """Learn by a fetch that the position is behind the leader's log.

    Who: the consumer.
    When: it may fetch; the log ends below its position.
    Effect: the position is reset.
    Source: FetchCollector.handleInitializeErrors (OFFSET_OUT_OF_RANGE).
    """
    if not may_fetch_position(consumer) or consumer.position.offset <= end_of(leader.log):
        return False
    require_reset(consumer, rules)
    return True


def may_reset_position(consumer: ResumingConsumer) -> bool:
    """Whether the consumer must reset its position, and knows which leader to ask."""
    return consumer.fetch_state == FetchState.AWAIT_RESET and consumer.knows_leader


def seek_to_reset_offset(consumer: ResumingConsumer, rules: ResumptionRules, offset: int) -> bool:
    """Learn from the leader where to begin.

    Who: the consumer.
    When: it must reset its position, and knows the leader.
    Effect: its position is that offset. The epoch is taken for unknown, so that nothing is validated.
    Source: OffsetFetcherUtils.resetPositionIfNeeded (ListOffsets).
    """
    if not may_reset_position(consumer):
        return False
    seek_unvalidated(consumer, rules, offset, NO_EPOCH)
    return True


def resolve_truncation(consumer: ResumingConsumer, rules: ResumptionRules) -> bool:
    """Seek after an exception.

    Who: the application.
    When: it has the exception.
    Effect: it goes on at the first offset known to differ, with its epoch, or at the beginning if that is unknown.
    Source: LogTruncationException.divergentOffsets, KafkaConsumer.seek.
    Left out: an application that passes records over by its own choice.
    """
    if consumer.fetch_state != FetchState.AWAIT_APPLICATION:
        return False
    seek_unvalidated(consumer, rules, max(consumer.divergent.offset, 0), consumer.divergent.epoch)
    return True


def seek_to_beginning(consumer: ResumingConsumer, rules: ResumptionRules) -> bool:
    """Read everything again.

    Who: the application.
    When: its consumer has a position behind the beginning.
    Effect: the position is the beginning. A validation under way no longer matters.
    Source: KafkaConsumer.seek(TopicPartition, long), which knows no epoch.
    """
    if consumer.position.offset <= 0:
        return False
    seek_unvalidated(consumer, rules, 0, NO_EPOCH)
    return True


def stop_resuming(consumer: ResumingConsumer) -> bool:
    """Crash, or lose the partition to another consumer.

    Who: the consumer.
    When: it runs.
    Effect: all that it knows is lost.
    Source: a crash, a rebalance.
    """
    if not consumer.is_running:
        return False
    clear(consumer)
    return True
