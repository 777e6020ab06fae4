"""A replica's log of batches, and what the broker knows of the producers that wrote them.

Part of Kafka modelled: `RecordBatch`, `ProducerStateEntry`, `BatchMetadata`, `VerificationStateEntry`, and the snapshot
files of `ProducerStateManager`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890.
Left out, and why that is sound: leader epochs, by which `impl/broker` truncates: here a follower's log is a part of its
leader's, or is cut to be one. Timestamps, because an entry may expire early, late or never.

Offsets count batches, not records: a batch is stored whole or not at all, so that both number them in the same order.

The bound `transactional` is 1 where producers may be transactional and 0 where not. It multiplies the ranges of what
only transactions use: at 0 these fields have one value, take no bit of a state, and cost a search nothing. So one
record serves both, and one function validates both. A field with a range of one value also carries a number that
functions need: `max_sequence` is always the bound of that name.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, EnumOf, Epoch, Id, Offset, Struct
from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.producer.constants import NO_BATCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, Marker

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
BatchOffset = Annotated[int, Offset("log_size")]
OptionalBatchOffset = Annotated[int, Count("log_size", lowest=NO_OFFSET)]
StartOffset = Annotated[int, Offset("max_log_start")]

IsTransactional = Annotated[int, Count("transactional")]
OptionalTransactionOffset = Annotated[int, Count("(log_size + 1) * transactional - 1", lowest=NO_OFFSET)]
VerificationGuard = Annotated[int, Count("max_verification_guard * transactional")]


class Batch(Struct):
    """One batch of a log or of a request, or an empty slot (`RecordBatch`).

    id: tells what its producer meant from everything else that any producer means; never changed by a retry, nor by
        another sequence. `NO_BATCH` in an empty slot, and in a marker or what a coordinator writes.
    producer_id: whose it is; `NO_PRODUCER_ID` for a producer that is not idempotent.
    producer_epoch: the epoch of that producer, `NO_PRODUCER_EPOCH` without a producer id.
    base_sequence: the sequence of its first record; `NO_SEQUENCE` in a marker, and in what a coordinator writes.
    record_count: how many records it has; sequences count records.
    is_transactional: 1 if it belongs to a transaction, markers included; 0 otherwise.
    marker: what it says of the producer's transaction; `NONE` for data.
    coordinator_epoch: in a marker the epoch of the coordinator that sent it; 0 otherwise.
    """

    id: OptionalBatchId
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    base_sequence: OptionalSequence
    record_count: RecordCount
    is_transactional: IsTransactional
    marker: Annotated[Marker, EnumOf(Marker, highest="2 * transactional")]
    coordinator_epoch: CoordinatorEpoch


class BatchMetadata(Struct):
    """What a broker remembers of one batch of a producer; blank where it remembers none.

    last_sequence: the sequence of its last record.
    record_count: how many records it had, by which its first sequence is known.
    offset: where it is stored.
    """

    last_sequence: OptionalSequence
    record_count: RecordCount
    offset: OptionalBatchOffset


class ProducerStateEntry(Struct):
    """What a partition knows of one producer id; all blank where it knows nothing.

    producer_epoch: the highest epoch that it has seen; `NO_PRODUCER_EPOCH` where nothing is known.
    coordinator_epoch: the highest one in a marker for this producer. Kafka's -1 before the first marker is 0 here: no
        coordinator epoch is lower, and more is not asked.
    current_transaction_first_offset: where the open transaction begins; `NO_OFFSET` where none is open.
    batches: its last batches of this epoch, the newest first.
    """

    producer_epoch: OptionalProducerEpoch
    coordinator_epoch: CoordinatorEpoch
    current_transaction_first_offset: OptionalTransactionOffset
    batches: Annotated[Array[BatchMetadata], ByPosition("cached_batches")]


class VerificationStateEntry(Struct):
    """The verification of a producer's transaction with its coordinator that is under way; blank where none is.

    guard: tells this verification from every other one of the partition; 0 where none is under way.
    producer_epoch: the highest epoch among the batches that came since; `NO_PRODUCER_EPOCH` where none is under way.
    lowest_sequence: the lowest sequence among those of that epoch; `NO_SEQUENCE` for what a coordinator writes.
    """

    guard: VerificationGuard
    producer_epoch: Annotated[int, Count("(max_producer_epoch + 1) * transactional - 1", lowest=NO_PRODUCER_EPOCH)]
    lowest_sequence: Annotated[int, Count("(max_sequence + 1) * transactional - 1", lowest=NO_SEQUENCE)]


class PartitionLog(Struct):
    """What one replica has stored, and its producer state in memory (`UnifiedLog`).

    start_offset: the first offset that is kept; batches below are gone.
    end_offset: the offset that the next batch gets.
    batches: by offset, from `start_offset` to `end_offset`, and blank slots elsewhere.
    producers: what is known of each producer.
    verifications: by producer, the verification that is under way.
    last_verification_guard: the guard given last; 0 before the first.
    max_sequence: the highest sequence that there is: constant. 2**31 - 1 in Kafka.
    """

    start_offset: StartOffset
    end_offset: BatchOffset
    batches: Annotated[Array[Batch], ByPosition("log_size")]
    producers: Annotated[Array[ProducerStateEntry], ById("producer_ids")]
    verifications: Annotated[Array[VerificationStateEntry], ById("producer_ids")]
    last_verification_guard: VerificationGuard
    max_sequence: HighestSequence


class ProducerSnapshot(Struct):
    """A file with the producer state at an offset; blank where there is none.

    offset: its name: the state is that after all batches below; `NO_OFFSET` where there is no file.
    is_flushed: whether it has surely reached the disk.
    producers: the state.
    """

    offset: OptionalBatchOffset
    is_flushed: bool
    producers: Annotated[Array[ProducerStateEntry], ById("producer_ids")]
