"""A consumer's position: where it begins, the fetches, the records that the application gets, seek, pause and resume.

Part of Kafka modelled: `SubscriptionState`, `FetchCollector`, `OffsetFetcher`.
Source: apache/kafka (commit 1eb7644349); KIP-41, KIP-848; KAFKA-17279.
Left out, and why that is sound: how many records a fetch brings: the rest of a long answer is as if fetched later.
`auto.offset.reset=none`, with which the application decides, as if it did a seek.
"""

from kafkacheck.impl.delivery.constants import AutoOffsetReset, ConsumerState, OffsetFetchFailure
from kafkacheck.impl.delivery.records import Consumer, DeliveryRules
from kafkacheck.impl.ids import NO_OFFSET


def is_at_rest(consumer: Consumer) -> bool:
    """Whether the application runs and is between two records, as it is whenever its thread polls."""
    return consumer.state == ConsumerState.RUNNING and consumer.processing == NO_OFFSET


def drop_buffer(consumer: Consumer) -> None:
    """Forget the records that were fetched."""
    consumer.buffered = NO_OFFSET
    consumer.buffer_end = 0
    consumer.is_out_of_range = False


def begin_owning(consumer: Consumer, generation: int) -> None:
    """Own the partition; where to begin is not known yet."""
    consumer.generation = generation
    consumer.owns = True
    consumer.acknowledged = NO_OFFSET


def end_owning(consumer: Consumer) -> None:
    """Own the partition no longer. Records that were fetched stay until the next poll, and a fetch goes on."""
    consumer.owns = False
    consumer.position = NO_OFFSET
    consumer.asks = False
    consumer.must_reset = False
    consumer.is_paused = False
    consumer.marked = NO_OFFSET
    consumer.chosen = NO_OFFSET
    consumer.sent = NO_OFFSET
    consumer.is_former = consumer.processing != NO_OFFSET


def ask_for_committed_offset(consumer: Consumer) -> bool:
    """Ask the coordinator for the committed offset.

    Who: the consumer.
    When: it owns the partition, has no position, and must not reset it.
    Effect: a request is under way.
    Source: CommitRequestManager.fetchOffsets; OffsetFetch.
    """
    if not is_at_rest(consumer) or not consumer.owns or consumer.position != NO_OFFSET:
        return False
    if consumer.asks or consumer.must_reset:
        return False
    consumer.asks = True
    return True


def reset_offset(strategy: AutoOffsetReset, start_offset: int, end_offset: int) -> int:
    """The offset at which a consumer begins if none is committed, or the record at its position is gone."""
    return start_offset if strategy == AutoOffsetReset.EARLIEST else end_offset


def receive_committed_offset(
    consumer: Consumer, rules: DeliveryRules, committed: int, start_offset: int, end_offset: int
) -> bool:
    """Receive the committed offset.

    Who: the consumer.
    When: it has asked.
    Effect: its position is that offset; if none is committed, the one of `auto.offset.reset`.
    Source: SubscriptionState.maybeSeekUnvalidated, OffsetFetcherUtils.resetPositionsIfNeeded.
    """
    if not is_at_rest(consumer) or not consumer.asks:
        return False
    consumer.asks = False
    consumer.position = committed
    if committed == NO_OFFSET:
        consumer.position = reset_offset(rules.auto_offset_reset, start_offset, end_offset)
    return True


def receive_offset_fetch_error(consumer: Consumer, rules: DeliveryRules, start_offset: int, end_offset: int) -> bool:
    """Receive an error instead of the committed offset, which another attempt would bring.

    Who: the consumer.
    When: it has asked.
    Effect: it asks again.
    Source: CommitRequestManager.OffsetFetchRequestState.onFailure; KAFKA-17279.
    """
    if not is_at_rest(consumer) or not consumer.asks:
        return False
    consumer.asks = False
    if rules.offset_fetch_failure == OffsetFetchFailure.TAKES_IT_FOR_NONE:
        consumer.position = reset_offset(rules.auto_offset_reset, start_offset, end_offset)
    elif rules.offset_fetch_failure == OffsetFetchFailure.RAISES_IT:
        end_owning(consumer)
        consumer.state = ConsumerState.STOPPED
    return True


def send_fetch_from_position(consumer: Consumer) -> bool:
    """Fetch from the position.

    Who: the consumer.
    When: it has a position and no fetch, and the partition is not paused. The application may have a record.
    Effect: a fetch is under way.
    Source: AbstractFetch.prepareFetchRequests, SubscriptionState.isFetchable.
    """
    if consumer.position == NO_OFFSET or consumer.is_paused:
        return False
    if consumer.buffered != NO_OFFSET or consumer.fetching != NO_OFFSET:
        return False
    consumer.fetching = consumer.position
    return True


def receive_fetched_records(consumer: Consumer, start_offset: int, end_offset: int) -> bool:
    """Receive the answer to a fetch.

    Who: the consumer.
    When: there are records at the offset of its fetch, or the record there was deleted.
    Effect: it keeps the records, or the error, whether or not it still owns the partition.
    Source: AbstractFetch.handleFetchSuccess, FetchBuffer.
    """
    if consumer.state != ConsumerState.RUNNING or consumer.fetching == NO_OFFSET or consumer.fetching >= end_offset:
        return False
    consumer.buffered = consumer.fetching
    consumer.is_out_of_range = consumer.fetching < start_offset
    consumer.buffer_end = end_offset
    consumer.fetching = NO_OFFSET
    return True


def poll(consumer: Consumer, rules: DeliveryRules) -> bool:
    """Give the application the next record.

    Who: the consumer.
    When: it has the records of a fetch; the application has not paused, and has processed the record before.
    Effect: the application processes the record, and the position is behind it. A fetch of which all records were
        taken is discarded, and so is one that is not at the position, or of a partition that is not owned. By an old
        rule, the consumer took the offsets between for compacted ones. By another one, the record counts as consumed.
        After an error it must reset the position.
    Source: FetchCollector.fetchRecords.
    Left out: a batch of records, of which the application processes one after the other.
    """
    if not is_at_rest(consumer) or consumer.buffered == NO_OFFSET:
        return False
    if consumer.is_paused and not consumer.is_out_of_range:
        return False
    if consumer.is_out_of_range:
        note_out_of_range(consumer, rules)
        return True
    is_gap_taken = not rules.records_begin_at_position and NO_OFFSET < consumer.position < consumer.buffered
    is_next = consumer.buffered == consumer.position or is_gap_taken
    if not is_next or consumer.buffered == consumer.buffer_end:
        drop_buffer(consumer)
        return True
    consumer.processing = consumer.buffered
    consumer.position = consumer.buffered + 1
    if not rules.records_count_when_processed:
        consumer.marked = consumer.position
    consumer.buffered += 1
    return True


def note_out_of_range(consumer: Consumer, rules: DeliveryRules) -> None:
    """Handle the error of a fetch: the position is to be reset if it is the one that was fetched from."""
    is_known = consumer.position != NO_OFFSET
    if is_known and (consumer.position == consumer.buffered or not rules.error_is_for_the_position):
        consumer.position = NO_OFFSET
        consumer.must_reset = consumer.is_out_of_range
    drop_buffer(consumer)


def reset_position(consumer: Consumer, rules: DeliveryRules, start_offset: int, end_offset: int) -> bool:
    """Learn from the leader where to begin.

    Who: the consumer.
    When: it must reset its position.
    Effect: the position is the start or the end of the partition, as `auto.offset.reset` says.
    Source: OffsetsRequestManager.resetPositionsIfNeeded, SubscriptionState.maybeSeekUnvalidated.
    """
    if consumer.state != ConsumerState.RUNNING or not consumer.must_reset:
        return False
    consumer.must_reset = False
    consumer.position = reset_offset(rules.auto_offset_reset, start_offset, end_offset)
    return True


def seek(consumer: Consumer, offset: int, end_offset: int) -> bool:
    """Read on at another offset.

    Who: the application.
    When: its consumer owns the partition, and is not at that offset.
    Effect: the position is that offset; a request for the committed offset no longer matters.
    Source: KafkaConsumer.seek, SubscriptionState.seek.
    """
    if not is_at_rest(consumer) or not consumer.owns or offset > end_offset or offset == consumer.position:
        return False
    consumer.position = offset
    consumer.asks = False
    consumer.must_reset = False
    return True


def pause(consumer: Consumer) -> bool:
    """Take no records until the application resumes the partition.

    Who: the application.
    When: its consumer owns the partition, and it is not paused.
    Effect: no records are fetched, and none are given to the application.
    Source: SubscriptionState.pause.
    """
    if not is_at_rest(consumer) or not consumer.owns or consumer.is_paused:
        return False
    consumer.is_paused = True
    return True


def resume(consumer: Consumer, rules: DeliveryRules) -> bool:
    """Take records again.

    Who: the application.
    When: its consumer owns the partition, whether or not it is paused.
    Effect: the consumer goes on at its position. By the old rule it went back to the offset to commit if the partition
        was not paused.
    Source: SubscriptionState.resume.
    """
    if not is_at_rest(consumer) or not consumer.owns:
        return False
    if not consumer.is_paused and not rules.resume_keeps_position and consumer.marked != NO_OFFSET:
        consumer.position = consumer.marked
    consumer.is_paused = False
    return True


def see_end(consumer: Consumer, rules: DeliveryRules, end_offset: int) -> bool:
    """Tell the application that there are no more records now.

    Who: the consumer.
    When: its position is the end of the partition.
    Effect: none. By the old rule the event moved the position, as a record does.
    Source: `enable.partition.eof` of librdkafka.
    """
    if not is_at_rest(consumer) or not consumer.owns or consumer.position != end_offset:
        return False
    if not rules.only_records_move_position and consumer.fetching == NO_OFFSET:
        consumer.position += 1
        consumer.marked = consumer.position
    return True
