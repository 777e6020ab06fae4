"""A producer's reaction to a response: success, another try, a new epoch, or failure.

Part of Kafka modelled: `TransactionManager` (`canRetry`, `handleCompletedBatch`, `handleFailedBatch`,
`markSequenceUnresolved`, `maybeResolveSequences`).
Source: apache/kafka (commit 1eb7644349); KIP-360, KAFKA-5793, REDPANDA-3039.
Left out, and why that is sound: the log's start in a response, which only a transactional producer uses: where Kafka
before KIP-360 might restart the sequences, the producer fails here; the number of retries, because a batch may expire
at any time; lowering later sequences when a batch of a transaction fails, because after that error a transaction can
only be aborted, and nothing more is sent in its epoch.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.log.constants import NO_BATCH, NO_SEQUENCE, ProduceError
from kafkacheck.impl.log.sequences import last_sequence_of, sequence_after
from kafkacheck.impl.producer.bookkeeping import oldest_unsettled, request_epoch_bump
from kafkacheck.impl.producer.client_records import PartitionCounter, Producer, ProducerBatch
from kafkacheck.impl.producer.constants import BatchStatus, ProducerState
from kafkacheck.impl.producer.partition_records import ProduceRequest
from kafkacheck.impl.producer.rules import ProducerRules


def is_next_sequence(producer: Producer, counter: PartitionCounter, sequence: int) -> bool:
    """Whether the sequence follows the last one acknowledged."""
    return sequence == sequence_after(counter.last_acknowledged_sequence, 1, producer.max_sequence)


def is_gap_explained(producer: Producer, counter: PartitionCounter, batch: ProducerBatch) -> bool:
    """Whether an out-of-order error can mean only that an earlier batch has not arrived yet."""
    if counter.unresolved_sequence != NO_SEQUENCE:
        return False
    return batch.is_sequence_reset or not is_next_sequence(producer, counter, batch.base_sequence)


def is_gap_proven(producer: Producer, rules: ProducerRules, counter: PartitionCounter, batch: ProducerBatch) -> bool:
    """Whether an out-of-order error proves that the broker lacks a batch that nobody will send any more.

    For the batch after an expired one, Kafka checks nothing else. With `gap_awaits_earlier_batches`, no earlier batch
    may be unsettled.
    """
    if is_gap_explained(producer, counter, batch):
        return False
    if counter.unresolved_sequence == NO_SEQUENCE:
        return True
    oldest = producer.batches[oldest_unsettled(producer, batch.partition)]
    is_oldest = oldest.base_sequence == batch.base_sequence
    return counter.unresolved_sequence == batch.base_sequence and (is_oldest or not rules.gap_awaits_earlier_batches)


def calls_for_bump(
    producer: Producer, rules: ProducerRules, bounds: Bounds, batch: ProducerBatch, error: ProduceError
) -> bool:
    """Whether an idempotent producer begins a new epoch because of a retriable error."""
    if bounds.transactional == 1:
        return False
    if error == ProduceError.UNKNOWN_PRODUCER_ID:
        return not batch.is_sequence_reset
    if error == ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER:
        counter = producer.counters[batch.partition]
        return not rules.bump_needs_proven_gap or is_gap_proven(producer, rules, counter, batch)
    return False


def can_retry(producer: Producer, bounds: Bounds, batch: ProducerBatch, request: ProduceRequest) -> bool:
    """Whether the batch is sent again after the error (`TransactionManager.canRetry`)."""
    if request.error == ProduceError.UNKNOWN_PRODUCER_ID:
        return bounds.transactional == 0
    if request.error == ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER:
        if bounds.transactional == 0:
            return True
        return is_gap_explained(producer, producer.counters[batch.partition], batch)
    return request.error == ProduceError.NOT_LEADER_OR_FOLLOWER or request.error == ProduceError.NOT_ENOUGH_REPLICAS


def note_acknowledged(producer: Producer, batch: ProducerBatch) -> None:
    """Record the batch as the last acknowledged one of its partition, unless a later one is."""
    counter = producer.counters[batch.partition]
    last = last_sequence_of(batch.base_sequence, batch.record_count, producer.max_sequence)
    counter.last_acknowledged_sequence = max(counter.last_acknowledged_sequence, last)


def complete_batch(producer: Producer, batch: ProducerBatch, offset: int) -> None:
    """Tell the application that the batch is stored."""
    note_acknowledged(producer, batch)
    batch.status = BatchStatus.ACKNOWLEDGED
    batch.offset = offset


def mark_sequence_unresolved(producer: Producer, batch: ProducerBatch) -> None:
    """Send no new batch to the partition before those in flight are settled (`markSequenceUnresolved`)."""
    counter = producer.counters[batch.partition]
    last = last_sequence_of(batch.base_sequence, batch.record_count, producer.max_sequence)
    counter.unresolved_sequence = max(counter.unresolved_sequence, sequence_after(last, 1, producer.max_sequence))


def fail_batch(producer: Producer, rules: ProducerRules, bounds: Bounds, batch: ProducerBatch) -> None:
    """Tell the application that the batch is refused for good.

    An idempotent producer begins a new epoch, because the later sequences have lost their predecessor. A transactional
    producer can then only abort.
    """
    batch.status = BatchStatus.FAILED
    if bounds.transactional == 1:
        producer.state = ProducerState.ABORTABLE_ERROR
    elif rules.refused_batch_awaits_others:
        mark_sequence_unresolved(producer, batch)
    else:
        request_epoch_bump(producer, rules, batch.partition)


def retry_later(batch: ProducerBatch) -> None:
    """Let the batch wait for a retry; an untracked batch is lost instead, and the application does not learn it."""
    batch.status = BatchStatus.RETRYING if batch.is_untracked == 0 else BatchStatus.LOST


def can_split(producer: Producer, batch_id: int) -> bool:
    """Whether a batch that is too large has more than one record, and the next id is free for its second half."""
    batch = producer.batches[batch_id]
    return batch.is_oversized == 1 and batch.record_count > 1 and batch_id + 1 < len(producer.batches)


def split_batch(producer: Producer, batch_id: int) -> None:
    """Split a batch of two records that is too large; its halves keep its sequences and are sent one by one."""
    first = producer.batches[batch_id]
    second = producer.batches[batch_id + 1]
    second.partition = first.partition
    second.is_oversized = first.is_oversized
    second.producer_id = first.producer_id
    second.producer_epoch = first.producer_epoch
    second.base_sequence = sequence_after(first.base_sequence, 1, producer.max_sequence)
    first.record_count = 1
    first.is_sequence_reset = False
    retry_later(first)
    retry_later(second)


def react_to_answer(producer: Producer, rules: ProducerRules, bounds: Bounds, request: ProduceRequest) -> None:
    """Handle the response to a request whose batch is in flight."""
    batch = producer.batches[request.batch.id]
    if request.error == ProduceError.NONE:
        complete_batch(producer, batch, request.offset)
    elif request.error == ProduceError.MESSAGE_TOO_LARGE and can_split(producer, request.batch.id):
        split_batch(producer, request.batch.id)
    elif can_retry(producer, bounds, batch, request):
        retry_later(batch)
        if calls_for_bump(producer, rules, bounds, batch, request.error):
            request_epoch_bump(producer, rules, batch.partition)
    else:
        fail_batch(producer, rules, bounds, batch)


def forget_in_flight(producer: Producer, rules: ProducerRules, batch: ProducerBatch) -> None:
    """Remove an expired batch from those in flight: its new status has already done that.

    Before KAFKA-13794 a batch of a later epoch with the same first sequence was removed instead.
    """
    if rules.in_flight_batch_has_epoch:
        return
    for other in producer.batches:
        is_taken_for_it = other.partition == batch.partition and other.base_sequence == batch.base_sequence
        if is_taken_for_it and other.status == BatchStatus.IN_FLIGHT:
            other.is_untracked = 1


def use_late_answer(producer: Producer, rules: ProducerRules, request: ProduceRequest) -> None:
    """Handle the response for an expired batch: if the batch is stored, its sequence counts as acknowledged."""
    batch = producer.batches[request.batch.id]
    forget_in_flight(producer, rules, batch)
    if request.error == ProduceError.NONE:
        note_acknowledged(producer, batch)


def lose_answer(producer: Producer, rules: ProducerRules, batch: ProducerBatch) -> None:
    """Retry the batch whose response is lost; the broker may have it.

    By an old rule of librdkafka its sequence counted as acknowledged (librdkafka-4438).
    """
    retry_later(batch)
    if not rules.unknown_outcome_is_open:
        note_acknowledged(producer, batch)


def expire_batch(producer: Producer, batch: ProducerBatch, is_retry: bool) -> None:
    """Tell the application that a batch that was sent has expired.

    The broker may have the batch, so no new batch is sent before those in flight are settled. Kafka holds new batches
    back only if the batch was queued again after an answer or a broken connection (`ProducerBatch.inRetry`).
    """
    if is_retry:
        mark_sequence_unresolved(producer, batch)
    batch.status = BatchStatus.EXPIRED


def resolve_sequences(producer: Producer, rules: ProducerRules, bounds: Bounds, partition_id: int) -> bool:
    """A producer finds out whether expired batches left a gap.

    Who: a producer.
    When: a batch of the partition has expired, and none is in flight there.
    Effect: new batches may be sent again, in a new epoch if the expired ones may have left a gap. There is no gap if
        the last sequence that was given is acknowledged.
    Source: `TransactionManager.maybeResolveSequences`.
    """
    counter = producer.counters[partition_id]
    if counter.unresolved_sequence == NO_SEQUENCE or oldest_unsettled(producer, partition_id) != NO_BATCH:
        return False
    if not is_next_sequence(producer, counter, counter.next_sequence):
        if bounds.transactional == 1:
            producer.state = ProducerState.ABORTABLE_ERROR
        else:
            request_epoch_bump(producer, rules, partition_id)
    counter.unresolved_sequence = NO_SEQUENCE
    return True
