"""A replica's log of batches, and the broker's producer state.

Part of Kafka modelled: `RecordBatch`, `ProducerStateEntry`, `BatchMetadata`, `VerificationStateEntry`, and the snapshot
files of `ProducerStateManager`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890.
Left out, and why that is sound: leader epochs, by which `impl/broker` truncates: here a follower's log is a part of its
leader's, or is truncated to be one. Timestamps, because an entry may expire early, late or never.

Offsets count batches, not records: a batch is stored whole or not at all, so both counts have the same order.

The bound `transactional` is 1 if producers may be transactional and 0 if not. It multiplies the ranges of fields that
only transactions use: at 0 these fields have one value, take no bit of a state, and cost a search nothing. So one
record serves both, and one function validates both. `max_sequence` is always the bound of that name: a field, because
nearly every function of a log or a producer would otherwise take `bounds` for it alone.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, Epoch, Id, If, Offset, Struct
from kafkacheck.impl.ids import NO_OFFSET, LogOffset, LogStartOffset, OptionalOffset
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, Marker

BatchId = Annotated[int, Id("batches")]
OptionalBatchId = Annotated[int, Id("batches", none=NO_BATCH)]
ProducerId = Annotated[int, Id("producer_ids")]
OptionalProducerId = Annotated[int, Id("producer_ids", none=NO_PRODUCER_ID)]
ProducerEpoch = Annotated[int, Epoch("max_producer_epoch")]
OptionalProducerEpoch = Annotated[int, Epoch("max_producer_epoch", none=NO_PRODUCER_EPOCH)]
Sequence = Annotated[int, Offset("max_sequence")]
OptionalSequence = Annotated[int, Count("max_sequence", lowest=NO_SEQUENCE)]
HighestSequence = Annotated[int, Count("max_sequence", lowest="max_sequence")]
RecordCount = Annotated[int, Count("records_in_batch", lowest=1)]
CoordinatorEpoch = Annotated[int, Epoch("max_coordinator_epoch")]

IsTransactional = Annotated[int, Count("transactional")]
OptionalTransactionOffset = Annotated[int, Count("log_size", lowest=NO_OFFSET), If("transactional")]
VerificationGuard = Annotated[int, Count("max_verification_guard"), If("transactional")]


class Batch(Struct):
    """One batch of a log or of a request, or an empty slot (`RecordBatch`).

    id: identifies the application's batch among all producers; neither a retry nor another sequence changes it.
        `NO_BATCH` in an empty slot, in a marker, and in a coordinator's batch.
    producer_id: its producer's id; `NO_PRODUCER_ID` for a producer that is not idempotent.
    producer_epoch: the epoch of that producer, `NO_PRODUCER_EPOCH` without a producer id.
    base_sequence: the sequence of its first record; `NO_SEQUENCE` in a marker, and in a coordinator's batch.
    record_count: how many records it has; sequences count records.
    is_transactional: 1 if it belongs to a transaction, markers included; 0 otherwise.
    marker: the type of the marker; `NONE` for data.
    coordinator_epoch: in a marker, the epoch of the coordinator that sent it; 0 otherwise.
    """

    id: OptionalBatchId
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    base_sequence: OptionalSequence
    record_count: RecordCount
    is_transactional: IsTransactional
    marker: Annotated[Marker, If("transactional")]
    coordinator_epoch: CoordinatorEpoch


class BatchMetadata(Struct):
    """A broker's memory of one batch of a producer; blank if it remembers none.

    last_sequence: the sequence of its last record.
    record_count: how many records it had, which gives its first sequence.
    offset: its offset.
    """

    last_sequence: OptionalSequence
    record_count: RecordCount
    offset: OptionalOffset


class ProducerStateEntry(Struct):
    """A partition's state of one producer id; all blank if the producer is unknown.

    producer_epoch: the highest epoch that it has seen; `NO_PRODUCER_EPOCH` if the producer is unknown.
    coordinator_epoch: the highest coordinator epoch in a marker for this producer. Before the first marker it is 0, and
        -1 in Kafka; in both cases no coordinator epoch is lower, and nothing else matters.
    current_transaction_first_offset: the first offset of the open transaction, below the log's end; `NO_OFFSET` if none
        is open.
    batches: its last batches of this epoch, the newest first.
    """

    producer_epoch: OptionalProducerEpoch
    coordinator_epoch: CoordinatorEpoch
    current_transaction_first_offset: OptionalTransactionOffset
    batches: Annotated[Array[BatchMetadata], ByPosition("cached_batches")]


class VerificationStateEntry(Struct):
    """A verification under way of a producer's transaction with its coordinator; blank if there is none.

    guard: identifies this verification within the partition, at most `last_verification_guard`; 0 if none is under way.
    producer_epoch: the highest epoch among the batches that came since; `NO_PRODUCER_EPOCH` if none is under way.
    lowest_sequence: the lowest sequence among the batches of that epoch; `NO_SEQUENCE` for a coordinator's batch.
    supports_epoch_bump: 1 if the first of these batches has version 2, in which each transaction has its own epoch.
    """

    guard: VerificationGuard
    producer_epoch: Annotated[int, Count("max_producer_epoch", lowest=NO_PRODUCER_EPOCH)]
    lowest_sequence: Annotated[int, Count("max_sequence", lowest=NO_SEQUENCE)]
    supports_epoch_bump: IsTransactional


class PartitionLog(Struct):
    """One replica's stored batches, and its producer state in memory (`UnifiedLog`).

    start_offset: the first offset that is kept; batches below are deleted. At most `end_offset`.
    end_offset: the offset that the next batch gets; at most the bound `log_size`.
    records: by offset, the batches from `start_offset` to `end_offset`, and blank slots elsewhere.
    producers: the state of each producer.
    verifications: by producer, the verification that is under way.
    last_verification_guard: the newest guard; 0 before the first.
    max_sequence: the highest sequence: constant. 2**31 - 1 in Kafka.
    """

    start_offset: LogStartOffset
    end_offset: LogOffset
    records: Annotated[Array[Batch], ByPosition("log_size")]
    producers: Annotated[Array[ProducerStateEntry], ById("producer_ids")]
    verifications: Annotated[Array[VerificationStateEntry], ById("producer_ids"), If("transactional")]
    last_verification_guard: VerificationGuard
    max_sequence: HighestSequence


class ProducerSnapshot(Struct):
    """A file with the producer state at an offset; blank if there is no file.

    offset: the offset in its name: the file has the state after all batches below it; `NO_OFFSET` if there is no file.
    is_flushed: whether it has surely reached the disk.
    producers: the state.
    """

    offset: OptionalOffset
    is_flushed: bool
    producers: Annotated[Array[ProducerStateEntry], ById("producer_ids")]


class AbortedTransaction(Struct):
    """An entry of a partition's aborted-transaction index (`AbortedTxn`); blank if there is none.

    producer_id: the producer of the transaction.
    first_offset: the first offset of the transaction, below its marker's; `NO_OFFSET` without an entry.
    last_stable_offset: the last stable offset when the transaction ended: no later entry begins below it. A read that
        ends there or before looks at no later entry.
    """

    producer_id: OptionalProducerId
    first_offset: OptionalOffset
    last_stable_offset: LogOffset


class TransactionIndex(Struct):
    """A leader's knowledge of the ended transactions in a log.

    unreplicated: by the offset of an unreplicated marker, the first offset of its transaction; else `NO_OFFSET`.
    aborted: the aborted-transaction index: by the offset of an ABORT marker, its entry.
    """

    unreplicated: Annotated[Array[OptionalOffset], ByPosition("log_size")]
    aborted: Annotated[Array[AbortedTransaction], ByPosition("log_size")]


class PartitionReplica(Struct):
    """One broker's replica.

    is_leading: whether the broker believes that it leads; a deposed leader does until it follows.
    log: its stored batches, and its producer state.
    flushed_offset: the end of the part that has surely reached the disk; recovery begins there after a crash. At most
        the log's end.
    snapshots: its files with producer state, the newest first; each offset is at most the log's end.
    """

    is_leading: bool
    log: PartitionLog
    flushed_offset: LogOffset
    snapshots: Annotated[Array[ProducerSnapshot], ByPosition("snapshots")]
