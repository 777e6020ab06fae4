"""The state of transactions: coordinators and their log, partitions, clients, and the requests between them.

Part of Kafka modelled: `TransactionMetadata`, `TransactionStateManager`, `TransactionMarkerChannelManager`;
`UnifiedLog` with `ProducerStateManager` and `TransactionIndex`; `TransactionManager`; `CompletedFetch`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-447, KIP-890.
Left out, and why that is sound: replicas of a partition and of the transaction log, which `impl/broker` models: here a
log has the records that survive, and a suffix above the high watermark that may be lost. Timeouts and ages, because
each may be over at once, later or never. More than one batch of a transaction in one partition: the others follow in
the same order, and share the fate of the first.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, EnumOf, Id, IdSet, Offset, Struct
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.records import (
    Batch,
    BatchOffset,
    OptionalBatchOffset,
    OptionalProducerEpoch,
    OptionalProducerId,
    PartitionLog,
    Sequence,
    TransactionIndex,
    VerificationGuard,
)
from kafkacheck.impl.transactions.constants import (
    NO_INPUT,
    NO_PARTITION,
    NO_TRANSACTION,
    ProducerState,
    ProduceStage,
    RequestKind,
    TransactionState,
    Upgrade,
)

PartitionId = Annotated[int, Id("partitions")]
OptionalPartitionId = Annotated[int, Id("partitions", none=NO_PARTITION)]
PartitionSet = Annotated[int, IdSet("partitions")]
SegmentStart = Annotated[int, Offset("log_size - 1")]
SegmentEnd = Annotated[int, Count("log_size", lowest=1)]
OffsetSet = Annotated[int, IdSet("log_size")]
TransactionalIdNumber = Annotated[int, Id("transactional_ids")]
CoordinatorTerm = Annotated[int, Id("max_coordinator_epoch + 1")]
ClientId = Annotated[int, Id("clients")]
RequestSlot = Annotated[int, Id("requests")]
ProduceSlot = Annotated[int, Id("produces")]
MarkerSlot = Annotated[int, Id("late_markers")]
Incarnation = Annotated[int, Count("recreations")]
IsUpgraded = Annotated[int, Count("upgrades")]
Generation = Annotated[int, Count("max_generation")]
InputOffset = Annotated[int, Offset("inputs")]
OptionalInputOffset = Annotated[int, Count("inputs", lowest=NO_INPUT)]
LoggedInputOffset = Annotated[int, Count("(inputs + 1) * group_failovers - 1", lowest=NO_INPUT)]
SecondProducerId = Annotated[int, Count("producer_ids * second_completions - 1", lowest=NO_PRODUCER_ID)]
SecondProducerEpoch = Annotated[
    int, Count("(max_producer_epoch + 1) * second_completions - 1", lowest=NO_PRODUCER_EPOCH)
]
OptionalTransactionId = Annotated[int, Id("batches", none=NO_TRANSACTION)]


class TransactionMetadata(Struct):
    """The state of a transactional id: one entry of the transaction log, or the coordinator's copy in memory.

    producer_id: the producer id; `NO_PRODUCER_ID` if the id is unknown.
    previous_producer_id: the previous producer id, whose epochs were used up.
    next_producer_id: the producer id that follows when the transaction completes, if the epochs are used up.
    producer_epoch: the newest producer epoch.
    last_producer_epoch: the previous epoch, with which a client may repeat its request.
    state: the state.
    partitions: the partitions of the transaction.
    is_upgraded: 1 if the client that caused this state has upgraded to transaction version 2
        (`clientTransactionVersion`).
    """

    producer_id: OptionalProducerId
    previous_producer_id: OptionalProducerId
    next_producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    last_producer_epoch: OptionalProducerEpoch
    state: TransactionState
    partitions: PartitionSet
    is_upgraded: IsUpgraded


class MarkerRequest(Struct):
    """A WriteTxnMarkers request to the leader of one partition; blank if none is under way.

    is_sent: whether it is under way.
    producer_id: the producer whose transaction the marker ends.
    producer_epoch: the epoch of the marker.
    marker: how the transaction ends.
    is_upgraded: as in `TransactionMetadata` (`transactionVersion`).
    """

    is_sent: bool
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    marker: Marker
    is_upgraded: IsUpgraded


class LateMarker(Struct):
    """A WriteTxnMarkers request that may still arrive, but that its coordinator no longer awaits; blank in a free slot.

    partition: the partition to whose leader it was sent.
    term: the term of the coordinator that sent it.
    request: the request itself.
    """

    partition: OptionalPartitionId
    term: CoordinatorTerm
    request: MarkerRequest


class SecondCompletion(Struct):
    """The completion of a transaction that a second thread will append; blank if there is no such thread.

    outcome: how the transaction was decided; `NONE` if there is no such thread.
    transactional_id: the transactional id.
    term: the term of the coordinator.
    producer_id: as in `TransactionMetadata` after the transaction is complete, like the fields that follow.
    previous_producer_id: see `producer_id`.
    producer_epoch: see `producer_id`.
    last_producer_epoch: see `producer_id`.
    is_upgraded: see `producer_id`.
    """

    outcome: Annotated[Marker, EnumOf(Marker, highest="2 * second_completions")]
    transactional_id: Annotated[int, Count("(transactional_ids - 1) * second_completions")]
    term: Annotated[int, Count("max_coordinator_epoch * second_completions")]
    producer_id: SecondProducerId
    previous_producer_id: SecondProducerId
    producer_epoch: SecondProducerEpoch
    last_producer_epoch: SecondProducerEpoch
    is_upgraded: Annotated[int, Count("upgrades * second_completions")]


class Coordinator(Struct):
    """The transaction coordinator of one term, which is one leader epoch of the transaction log's partition.

    is_serving: whether it believes that it is the coordinator; a later term may have begun.
    is_back: whether it is on the same broker as the previous term.
    metadata: its state in memory.
    pending_state: the state that it is about to enter (`pendingState`); `NONE` if no transition is pending.
    has_failed_epoch_fence: whether it has raised the epoch in memory, but the log does not have that epoch.
    is_marking: whether it waits for markers to be written (`transactionsWithPendingMarkers`).
    unmarked: the partitions whose markers it awaits.
    markers: by partition, its marker request that is under way.
    """

    is_serving: bool
    is_back: bool
    metadata: TransactionMetadata
    pending_state: TransactionState
    has_failed_epoch_fence: bool
    is_marking: bool
    unmarked: PartitionSet
    markers: Annotated[Array[MarkerRequest], ById("partitions")]


class TransactionalId(Struct):
    """A transactional id: its part of the transaction log, and its coordinators.

    coordinator_epoch: the newest term.
    entry: the newest committed entry of the log; older ones are compacted away.
    is_appended: whether an entry is appended and not committed.
    appended: that entry; blank if there is none.
    coordinators: by term, the coordinator.
    max_producer_epoch: the highest possible producer epoch: constant. 32767 in Kafka.
    """

    coordinator_epoch: CoordinatorTerm
    entry: TransactionMetadata
    is_appended: bool
    appended: TransactionMetadata
    coordinators: Annotated[Array[Coordinator], ById("max_coordinator_epoch + 1")]
    max_producer_epoch: Annotated[int, Count("max_producer_epoch", lowest="max_producer_epoch")]


class Partition(Struct):
    """A partition, as its leader has it.

    is_deleted: whether its topic is deleted; then the partition is empty.
    incarnation: distinguishes its topic from others that had the same name (`topicId`).
    log: the log, with the producer state.
    high_watermark: the records below it are replicated and survive.
    index: what it knows of the transactions that have ended.
    segment_size: the number of offsets that a segment of the log covers: constant.
    """

    is_deleted: bool
    incarnation: Incarnation
    log: PartitionLog
    high_watermark: BatchOffset
    index: TransactionIndex
    segment_size: Annotated[int, Count("segment_size", lowest="segment_size")]


class Client(Struct):
    """A producer: one incarnation of the application with a transactional id.

    transactional_id: the id that it uses; constant.
    state: its state.
    upgrade: its progress to transaction version 2, or back.
    producer_id: its producer id.
    producer_epoch: its epoch.
    transaction: the application's current transaction.
    partitions: the partitions of that transaction that the coordinator has, as far as the client knows; with
        transaction version 2, the partitions to which it has sent.
    sent: the partitions to which it has sent that transaction's record.
    has_lost_batch: whether it has given up a batch in this epoch, and so must ask for the next epoch after it aborts.
    sequences: by partition, the sequence of its next batch.
    generation: the generation in which it was given the input; 0 if never.
    input_offset: the input that it processes next; `NO_INPUT` if it must ask for the committed offset.
    is_halfway: whether it has done the first of its two steps for an input, processing and committing.
    """

    transactional_id: TransactionalIdNumber
    state: ProducerState
    upgrade: Annotated[Upgrade, EnumOf(Upgrade, highest="3 + upgrades")]
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    transaction: OptionalTransactionId
    partitions: PartitionSet
    sent: PartitionSet
    has_lost_batch: bool
    sequences: Annotated[Array[Sequence], ById("partitions")]
    generation: Generation
    input_offset: OptionalInputOffset
    is_halfway: bool


class Request(Struct):
    """A producer's request to its coordinator. The first slots are the clients' own; the others hold strays.

    A stray is a request that its client has given up, so that no client waits for the answer; it may still arrive.

    kind: the kind of request; `NONE` in a free slot.
    transactional_id: the transactional id.
    producer_id: the client's producer id.
    producer_epoch: the client's epoch.
    partition: the partition to add.
    marker: how the transaction must end.
    is_upgraded: 1 if the client has upgraded to transaction version 2 (the request's version).
    is_waiting: whether the coordinator has taken the request, and its answer awaits an append to the log.
    """

    kind: RequestKind
    transactional_id: TransactionalIdNumber
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    partition: OptionalPartitionId
    marker: Marker
    is_upgraded: IsUpgraded
    is_waiting: bool


class Produce(Struct):
    """A produce request. The first slots are the clients' own; the others hold strays, as in `Request`.

    stage: its progress.
    transactional_id: the transactional id.
    partition: the partition that must store the batch.
    incarnation: the incarnation of that partition's topic.
    is_upgraded: as in `Request`.
    batch: the batch to store.
    guard: the guard of its verification.
    input_offset: the offset to commit, in a TxnOffsetCommit request; `NO_INPUT` in a produce request.
    generation: the client's generation, in a TxnOffsetCommit request.
    """

    stage: ProduceStage
    transactional_id: TransactionalIdNumber
    partition: OptionalPartitionId
    incarnation: Incarnation
    is_upgraded: IsUpgraded
    batch: Batch
    guard: VerificationGuard
    input_offset: OptionalInputOffset
    generation: Generation


class Transaction(Struct):
    """An application's transaction, as the application sees it. No rule of Kafka reads these fields.

    asked: whether the application has asked to commit or abort it.
    told: the outcome that the application knows; `NONE` while it knows none.
    acknowledged: the partitions whose record was acknowledged.
    input_offset: the input from which its records are made; `NO_INPUT` if there is none.
    """

    asked: Marker
    told: Marker
    acknowledged: PartitionSet
    input_offset: OptionalInputOffset


class OffsetsLoading(Struct):
    """The part of its log that a new group coordinator has read so far; blank if none is loading.

    The bound `group_failovers` multiplies the ranges: at 0 this record takes no bit of a state.

    is_loading: 1 while it reads (`loadingPartitions`).
    next_offset: the offset that it reads next.
    committed: the committed offset, as far as it has read (`loadedOffsets`).
    pending: by producer id, the offset in its open transaction, as far as it has read; `NO_INPUT` if there is none.
    """

    is_loading: Annotated[int, Count("group_failovers")]
    next_offset: Annotated[int, Count("log_size * group_failovers")]
    committed: Annotated[int, Count("inputs * group_failovers")]
    pending: Annotated[Array[LoggedInputOffset], ById("producer_ids")]


class Group(Struct):
    """A consumer group with one input partition, as its group coordinator has it.

    generation: the generation; 0 before the first member.
    committed: the committed offset, which is the input to read next; while a new coordinator loads the log, the last
        one that the previous coordinator knew.
    pending: by producer id, the offset in its open transaction; `NO_INPUT` if there is none.
    unfollowed: by producer id, the outcome of a transaction whose offsets the coordinator must still commit or drop;
        `NONE` if there is none (`handleTxnCompletion`).
    records: by offset in the offsets partition, the offset that the record there commits; `NO_INPUT` in markers, and
        everywhere in models in which the coordinator does not change.
    loading: the progress of a new coordinator that loads these records.
    max_failovers: how often the coordinator can change: constant.
    processed: by input, how often a non-transactional application has processed it. Only `spec/` reads it.
    """

    generation: Generation
    committed: InputOffset
    pending: Annotated[Array[OptionalInputOffset], ById("producer_ids")]
    unfollowed: Annotated[Array[Annotated[Marker, EnumOf(Marker, highest="2 * group_delays")]], ById("producer_ids")]
    records: Annotated[Array[LoggedInputOffset], ByPosition("log_size")]
    loading: OffsetsLoading
    max_failovers: Annotated[int, Count("group_failovers", lowest="group_failovers")]
    processed: Annotated[Array[Annotated[int, Count("max_processed")]], ByPosition("inputs + 1")]


class Reader(Struct):
    """A read_committed consumer's position in one partition.

    position: the offset that it reads next.
    delivered: the offsets of the records that it has given to its application.
    is_limited: whether the leader has begun a read for it, and has read the high watermark.
    limit: the offset at which that read must end; `NO_OFFSET` for the high watermark.
    """

    position: BatchOffset
    delivered: OffsetSet
    is_limited: bool
    limit: OptionalBatchOffset
