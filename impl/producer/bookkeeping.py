"""Counting sequences: each partition's counter, the batches in flight, new epochs.

Part of Kafka modelled: `TransactionManager` (`maybeUpdateProducerIdAndEpoch`, `bumpIdempotentProducerEpoch`,
`firstInFlightSequence`), `TxnPartitionMap.startSequencesAtBeginning`.
Source: apache/kafka (commit 1eb7644349); KIP-360, KAFKA-5283, KAFKA-8483, KAFKA-12152.
Left out, and why that is sound: the request for another producer id when the epochs are used up, which is one step
here: the producer sends nothing meanwhile.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE
from kafkacheck.impl.log.sequences import sequence_after, sequence_before
from kafkacheck.impl.producer.client_records import PartitionCounter, Producer, ProducerBatch
from kafkacheck.impl.producer.constants import BatchStatus
from kafkacheck.impl.producer.rules import ProducerRules


def is_unsettled(batch: ProducerBatch) -> bool:
    """Whether the batch was sent and the application does not know its outcome yet ("in flight" in Kafka)."""
    return batch.status == BatchStatus.IN_FLIGHT or batch.status == BatchStatus.RETRYING


def age(producer: Producer, batch: ProducerBatch) -> int:
    """How far an unsettled batch's sequence is before its partition's next sequence."""
    next_sequence = producer.counters[batch.partition].next_sequence
    last_sequence = sequence_before(next_sequence, 1, producer.max_sequence)
    return sequence_before(last_sequence, batch.base_sequence, producer.max_sequence) + 1


def oldest_unsettled(producer: Producer, partition_id: int) -> int:
    """The partition's unsettled batch with the first sequence; `NO_BATCH` if there is none."""
    oldest = NO_BATCH
    for batch_id, batch in enumerate(producer.batches):
        if is_unsettled(batch) and batch.partition == partition_id:
            if oldest == NO_BATCH or age(producer, batch) > age(producer, producer.batches[oldest]):
                oldest = batch_id
    return oldest


def is_of_present_epoch(producer: Producer, batch: ProducerBatch) -> bool:
    """Whether the batch has the producer's id and epoch."""
    return batch.producer_id == producer.producer_id and batch.producer_epoch == producer.producer_epoch


def next_to_rewrite(producer: Producer, rules: ProducerRules, partition_id: int) -> int:
    """The unsettled batch of an older epoch that gets the next sequence of the new one; `NO_BATCH` if none is left.

    Before KAFKA-8483 the client's container gave the order; here it is the worst one, the newest batch first.
    """
    chosen = NO_BATCH
    for batch_id, batch in enumerate(producer.batches):
        if is_unsettled(batch) and batch.partition == partition_id and not is_of_present_epoch(producer, batch):
            if chosen == NO_BATCH:
                chosen = batch_id
            else:
                is_older = age(producer, batch) > age(producer, producer.batches[chosen])
                if is_older == rules.rewrites_in_sequence_order:
                    chosen = batch_id
    return chosen


def begin_counter(counter: PartitionCounter, producer: Producer, next_sequence: int) -> None:
    """Restart the partition's counter for the producer's id and epoch."""
    counter.producer_id = producer.producer_id
    counter.producer_epoch = producer.producer_epoch
    counter.next_sequence = next_sequence
    counter.last_acknowledged_sequence = NO_SEQUENCE
    counter.unresolved_sequence = NO_SEQUENCE


def start_sequences_at_beginning(producer: Producer, rules: ProducerRules, partition_id: int) -> None:
    """Give all unsettled batches of the partition, even those on the wire, sequences of the new epoch from 0 on."""
    next_sequence = 0
    for _ in range(len(producer.batches)):
        batch_id = next_to_rewrite(producer, rules, partition_id)
        if batch_id != NO_BATCH:
            batch = producer.batches[batch_id]
            batch.producer_id = producer.producer_id
            batch.producer_epoch = producer.producer_epoch
            batch.base_sequence = next_sequence
            batch.is_sequence_reset = True
            next_sequence = sequence_after(next_sequence, batch.record_count, producer.max_sequence)
    begin_counter(producer.counters[partition_id], producer, next_sequence)


def request_epoch_bump(producer: Producer, rules: ProducerRules, partition_id: int) -> None:
    """Request a new epoch, with which the partition's unsettled batches get new sequences."""
    producer.is_bump_required = True
    producer.partitions_to_rewrite |= {partition_id}
    if not rules.only_failing_partition_is_rewritten:
        producer.partitions_to_rewrite = Ids(range(len(producer.counters)))


def can_bump_epoch(producer: Producer, rules: ProducerRules, bounds: Bounds) -> bool:
    """Whether the bounds allow a higher epoch or another producer id."""
    if producer.producer_epoch < bounds.max_producer_epoch or not rules.exhausted_epoch_takes_new_id:
        return True
    return producer.next_producer_id < bounds.producer_ids


def take_producer_id(producer: Producer) -> None:
    """Take the cluster's next producer id, in epoch 0."""
    producer.producer_id = producer.next_producer_id
    producer.producer_epoch = 0
    producer.next_producer_id += 1


def bump_epoch(producer: Producer, rules: ProducerRules, bounds: Bounds) -> None:
    """Begin the next epoch, and rewrite the partitions that need it.

    After the highest epoch, Kafka rewrites the batches while the producer has no id, and sends them without one.
    """
    if producer.producer_epoch < bounds.max_producer_epoch:
        producer.producer_epoch += 1
    elif not rules.exhausted_epoch_takes_new_id:
        producer.producer_epoch = 0
    elif rules.rewritten_batches_have_producer_id:
        take_producer_id(producer)
    else:
        producer.producer_id = NO_PRODUCER_ID
        producer.producer_epoch = NO_PRODUCER_EPOCH
    for partition_id in producer.partitions_to_rewrite:
        start_sequences_at_beginning(producer, rules, partition_id)
    producer.partitions_to_rewrite = Ids()
    producer.is_bump_required = False
    if producer.producer_id == NO_PRODUCER_ID:
        take_producer_id(producer)
