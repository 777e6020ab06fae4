"""A producer's state: its id and epoch, its batches, and a counter for each partition.

Part of Kafka modelled: `TransactionManager`, `TxnPartitionEntry`, `ProducerBatch`, and the batches in
`RecordAccumulator`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360.
Left out, and why that is sound: the batches' records, because a batch is one unit to every rule here; linger and
back-off times, because every batch may be sent at once or any time later.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, Count, Struct
from kafkacheck.impl.ids import OptionalOffset, PartitionId, PartitionSet
from kafkacheck.impl.log.records import (
    HighestSequence,
    OptionalProducerEpoch,
    OptionalProducerId,
    OptionalSequence,
    RecordCount,
    Sequence,
)
from kafkacheck.impl.producer.constants import BatchStatus, ProducerState


class ProducerBatch(Struct):
    """One batch of the application; batches are handed over in the order of their ids.

    status: its status in the producer.
    partition: its partition.
    record_count: how many records it has.
    is_invalid: whether the topic refuses its records for good.
    is_oversized: 1 if it has two records and is too large for the topic, so that it will be split; the second half has
        the next id, and is `UNSENT` before. Always 0 if the bound `oversized_batches` is 0.
    producer_id: the id with which it is sent; `NO_PRODUCER_ID` before it is sent.
    producer_epoch: the epoch with which it is sent.
    base_sequence: its sequence; `NO_SEQUENCE` before it is sent.
    is_untracked: 1 if the producer has dropped it from the batches in flight by mistake; always 0 if the bound
        `in_flight_expirations` is 0.
    is_sequence_reset: whether its first sequence was replaced by another one after it was sent last
        (`sequenceHasBeenReset`).
    offset: the offset in the broker's acknowledgement; `NO_OFFSET` before that.
    """

    status: BatchStatus
    partition: PartitionId
    record_count: RecordCount
    is_invalid: Annotated[int, Count("invalid_batches", lowest=0)]
    is_oversized: Annotated[int, Count("oversized_batches")]
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    base_sequence: OptionalSequence
    is_untracked: Annotated[int, Count("in_flight_expirations")]
    is_sequence_reset: bool
    offset: OptionalOffset


class PartitionCounter(Struct):
    """A producer's counter for one partition (`TxnPartitionEntry`).

    producer_id: the id whose sequences it counts; `NO_PRODUCER_ID` before the first batch.
    producer_epoch: the epoch whose sequences it counts.
    next_sequence: the sequence that the next new batch gets.
    last_acknowledged_sequence: the sequence of the last record acknowledged in this epoch; `NO_SEQUENCE` before the
        first.
    unresolved_sequence: the sequence after an expired batch, while the producer does not know whether the broker has
        that batch; `NO_SEQUENCE` otherwise.
    """

    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    next_sequence: Sequence
    last_acknowledged_sequence: OptionalSequence
    unresolved_sequence: OptionalSequence


class Producer(Struct):
    """One producer; when its process ends, the next one continues with the batches that are not handed over.

    state: its state, which decides whether it may send.
    producer_id: its id; `NO_PRODUCER_ID` before it has one.
    producer_epoch: its epoch.
    is_bump_required: whether it must begin a new epoch before it sends again.
    partitions_to_rewrite: the partitions whose batches in flight get new sequences with the new epoch; empty if no
        epoch is required.
    next_batch: how many batches the application has handed over.
    next_producer_id: how many producer ids the cluster has given out, which is above `producer_id`.
    max_sequence: the highest sequence: constant.
    counters: by partition, its counter.
    batches: by id, the application's batches.
    """

    state: ProducerState
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    is_bump_required: bool
    partitions_to_rewrite: PartitionSet
    next_batch: Annotated[int, Count("batches")]
    next_producer_id: Annotated[int, Count("producer_ids")]
    max_sequence: HighestSequence
    counters: Annotated[Array[PartitionCounter], ById("partitions")]
    batches: Annotated[Array[ProducerBatch], ById("batches")]
