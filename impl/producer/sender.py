"""The producer's steps: it takes batches, sends them, and handles responses.

Part of Kafka modelled: `KafkaProducer.send`, `Sender` (`runOnce`, `sendProducerData`, `completeBatch`),
`RecordAccumulator` (`drain`, `shouldStopDrainBatchesForPartition`).
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360.
Left out, and why that is sound: several partitions in one request, because each is handled and answered on its own.
"""

from kafkacheck.checker.schema import Array
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_ID, NO_SEQUENCE
from kafkacheck.impl.log.sequences import sequence_after
from kafkacheck.impl.producer.bookkeeping import (
    begin_counter,
    bump_epoch,
    can_bump_epoch,
    is_unsettled,
    oldest_unsettled,
    take_producer_id,
)
from kafkacheck.impl.producer.client_records import Producer, ProducerBatch
from kafkacheck.impl.producer.constants import BatchStatus, ProducerState, RequestStage, Sending
from kafkacheck.impl.producer.partition_records import Connection
from kafkacheck.impl.producer.retries import react_to_answer, use_late_answer
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.wire import has_free_slot, reuse_buffers, send_to_leader, take_oldest


def may_send(producer: Producer) -> bool:
    """Whether the producer has an id, no error, and no pending epoch bump."""
    if producer.is_bump_required:
        return False
    return producer.state == ProducerState.READY or producer.state == ProducerState.IN_TRANSACTION


def has_stale_counter(producer: Producer, partition_id: int) -> bool:
    """Whether the partition's counter has another producer id or epoch than the producer."""
    counter = producer.counters[partition_id]
    return counter.producer_id != producer.producer_id or counter.producer_epoch != producer.producer_epoch


def has_retries(producer: Producer, partition_id: int) -> bool:
    """Whether a batch of the partition waits for a retry; then no new one is sent."""
    return any(batch.status == BatchStatus.RETRYING and batch.partition == partition_id for batch in producer.batches)


def may_send_new(producer: Producer, rules: ProducerRules, connection: Connection, partition_id: int) -> bool:
    """Whether a batch that has no sequence yet may be sent to the partition."""
    if not may_send(producer) or not has_free_slot(connection):
        return False
    if rules.partition_is_muted and oldest_unsettled(producer, partition_id) != NO_BATCH:
        return False
    if producer.counters[partition_id].unresolved_sequence != NO_SEQUENCE or has_retries(producer, partition_id):
        return False
    return not has_stale_counter(producer, partition_id) or oldest_unsettled(producer, partition_id) == NO_BATCH


def renew_counter(producer: Producer, rules: ProducerRules, partition_id: int) -> None:
    """Restart a partition's counter in the producer's epoch; the partition has nothing in flight.

    Before KAFKA-12152 only the partition that needed the new epoch got a new counter; the others kept theirs.
    """
    counter = producer.counters[partition_id]
    if has_stale_counter(producer, partition_id):
        if rules.counter_knows_its_epoch or counter.producer_id == NO_PRODUCER_ID:
            begin_counter(counter, producer, 0)


def give_sequence(
    producer: Producer,
    rules: ProducerRules,
    bounds: Bounds,
    connections: Array[Connection],
    batch_id: int,
    leader_id: int,
) -> None:
    """Give a batch its first sequence and send it to its partition's leader."""
    batch = producer.batches[batch_id]
    renew_counter(producer, rules, batch.partition)
    counter = producer.counters[batch.partition]
    batch.producer_id = producer.producer_id
    batch.producer_epoch = producer.producer_epoch
    batch.base_sequence = counter.next_sequence
    counter.next_sequence = sequence_after(counter.next_sequence, batch.record_count, producer.max_sequence)
    reuse_buffers(producer, rules, bounds, connections, batch_id)
    send_to_leader(producer, bounds, connections[batch.partition], batch_id, leader_id)


def hand_over(producer: Producer, partition_id: int, record_count: int) -> int:
    """Hand over the application's next batch, which must exist, and return its id.

    A batch that will be split also takes the next id, for its second half.
    """
    batch_id = producer.next_batch
    batch = producer.batches[batch_id]
    batch.status = BatchStatus.BUFFERED
    batch.partition = partition_id
    batch.record_count = record_count
    producer.next_batch += 1
    if batch.is_oversized == 1:
        if record_count == 2:
            producer.next_batch += 1
        else:
            batch.is_oversized = 0
    return batch_id


def is_awaited(rules: ProducerRules, batch: ProducerBatch) -> bool:
    """Whether an application that waits for its handed-over batches waits for this one.

    Before KAFKA-19479 a batch had ended when it was split, and the application did not wait for its halves.
    """
    if batch.is_oversized == 1 and batch.record_count == 1 and not rules.flush_awaits_split_batches:
        return False
    return batch.status == BatchStatus.BUFFERED or is_unsettled(batch)


def has_unsent(producer: Producer) -> bool:
    """Whether the application has another batch to hand over."""
    return producer.next_batch < len(producer.batches)


def get_producer_id(producer: Producer, bounds: Bounds) -> bool:
    """A producer gets an id from the cluster.

    Who: a producer.
    When: it has none, and the bound allows another one.
    Effect: it may send in epoch 0; a transactional one is in its transaction.
    Source: `InitProducerId`; KIP-98.
    Left out: the request under way, because the producer does nothing meanwhile.
    """
    if producer.state != ProducerState.UNINITIALIZED or producer.next_producer_id >= bounds.producer_ids:
        return False
    take_producer_id(producer)
    producer.state = ProducerState.READY
    if bounds.transactional == 1:
        producer.state = ProducerState.IN_TRANSACTION
    return True


def begin_next_epoch(producer: Producer, rules: ProducerRules, bounds: Bounds) -> bool:
    """A producer begins a new epoch.

    Who: a producer.
    When: a response called for it, and the bounds allow it.
    Effect: the next epoch begins, or after the highest one the next producer id in epoch 0. The unsettled batches of
        the partition that called for it get new sequences from 0 on.
    Source: `bumpIdempotentEpochAndResetIdIfNeeded`; KIP-360.
    """
    if not producer.is_bump_required or not can_bump_epoch(producer, rules, bounds):
        return False
    bump_epoch(producer, rules, bounds)
    return True


def call_send(producer: Producer, rules: ProducerRules, partition_id: int, record_count: int) -> bool:
    """The application calls `send` with its next batch.

    Who: the application.
    When: it has another batch; if it sends synchronously, all earlier batches are settled.
    Effect: the batch is in the producer's buffer.
    Source: `KafkaProducer.send`, `flush`; `producer.type`; KAFKA-19479.
    Left out: a full buffer, which delays the call.
    """
    if not has_unsent(producer):
        return False
    if rules.sending == Sending.SYNCHRONOUS:
        for batch_id in range(producer.next_batch):
            if is_awaited(rules, producer.batches[batch_id]):
                return False
    hand_over(producer, partition_id, record_count)
    return True


def drain(
    producer: Producer,
    rules: ProducerRules,
    bounds: Bounds,
    connections: Array[Connection],
    batch_id: int,
    leader_id: int,
) -> bool:
    """A producer sends a batch from its buffer for the first time.

    Who: a producer.
    When: the batch is the first of its partition in the buffer, and a new batch may be sent there.
    Effect: it gets the partition's next sequence, and is under way.
    Source: `RecordAccumulator.drain`.
    """
    batch = producer.batches[batch_id]
    if batch.status != BatchStatus.BUFFERED:
        return False
    if not may_send_new(producer, rules, connections[batch.partition], batch.partition):
        return False
    for earlier in range(batch_id):
        other = producer.batches[earlier]
        if other.status == BatchStatus.BUFFERED and other.partition == batch.partition:
            return False
    give_sequence(producer, rules, bounds, connections, batch_id, leader_id)
    return True


def send_at_once(
    producer: Producer,
    rules: ProducerRules,
    bounds: Bounds,
    connections: Array[Connection],
    partition_id: int,
    record_count: int,
    leader_id: int,
) -> bool:
    """The application hands over its next batch, and the producer sends it at once.

    Who: a producer.
    When: there is another batch, and a new batch may be sent to the partition.
    Effect: the batch gets the partition's next sequence, and is under way.
    Source: `KafkaProducer.send`, `Sender.sendProducerData`.
    Left out: the time in the buffer, during which a batch has no effect; if its loss matters,
        `application_hands_over` and `producer_drains` replace this action.
    """
    if not has_unsent(producer) or not may_send_new(producer, rules, connections[partition_id], partition_id):
        return False
    give_sequence(producer, rules, bounds, connections, hand_over(producer, partition_id, record_count), leader_id)
    return True


def send_again(producer: Producer, bounds: Bounds, connection: Connection, partition_id: int, leader_id: int) -> bool:
    """A producer sends a batch again, with the same sequence.

    Who: a producer.
    When: the batch waits for a retry, and is the first unsettled batch of its partition: retries go one by one.
    Effect: the batch is under way.
    Source: `RecordAccumulator.shouldStopDrainBatchesForPartition`.
    """
    if not may_send(producer) or not has_free_slot(connection):
        return False
    batch_id = oldest_unsettled(producer, partition_id)
    if batch_id == NO_BATCH or producer.batches[batch_id].status != BatchStatus.RETRYING:
        return False
    send_to_leader(producer, bounds, connection, batch_id, leader_id)
    return True


def take_answer(producer: Producer, rules: ProducerRules, bounds: Bounds, connection: Connection) -> bool:
    """A producer receives the response to its oldest request.

    Who: a producer.
    When: the broker has answered.
    Effect: the batch is acknowledged, waits for a retry, or fails; a new epoch may be required. A batch that has
        expired meanwhile stays expired.
    Source: `Sender.completeBatch`, `TransactionManager.canRetry`, `handleCompletedBatch`.
    """
    if connection.requests[0].stage != RequestStage.ANSWERED:
        return False
    if connection.requests[0].is_abandoned == 1:
        use_late_answer(producer, rules, connection.requests[0])
    else:
        react_to_answer(producer, rules, bounds, connection.requests[0])
    take_oldest(connection)
    return True
