"""The state of transactions: coordinators and their log, partitions, clients, and what is under way between them.

Part of Kafka modelled: `TransactionMetadata`, `TransactionStateManager`, `TransactionMarkerChannelManager`;
`UnifiedLog` with `ProducerStateManager` and `TransactionIndex`; `TransactionManager`; `CompletedFetch`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-447, KIP-890.
Left out, and why that is sound: replicas of a partition and of the transaction log, which `impl/broker` has: here a log
is what survives, with a suffix above the high watermark that may not. Timeouts and ages, because each may be over at
once, later or never. More than one batch of a transaction in one partition: whatever becomes of the first becomes of
the others, which follow in the same order.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Count, EnumOf, Id, IdSet, Offset, Struct
from kafkacheck.impl.producer.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.producer.records import (
    Batch,
    BatchOffset,
    OptionalBatchOffset,
    OptionalProducerEpoch,
    OptionalProducerId,
    PartitionLog,
    Sequence,
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
    """What is known of a transactional id: one entry of the transaction log, or the coordinator's copy in memory.

    producer_id: the producer id; `NO_PRODUCER_ID` where the id is unknown.
    previous_producer_id: the one before, after an epoch was used up.
    next_producer_id: the one that is to follow when the transaction completes, if its epoch is used up.
    producer_epoch: the newest producer epoch.
    last_producer_epoch: the one before, with which a client may repeat its request.
    state: the state.
    partitions: the partitions of the transaction.
    is_upgraded: 1 if whoever led it here has gone over to transaction version 2 (`clientTransactionVersion`).
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
    """A WriteTxnMarkers request to the leader of one partition; blank where none is under way.

    is_sent: whether it is under way.
    producer_id: whose transaction is to end.
    producer_epoch: the epoch of the marker.
    marker: how it ends.
    is_upgraded: as of `TransactionMetadata` (`transactionVersion`).
    """

    is_sent: bool
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    marker: Marker
    is_upgraded: IsUpgraded


class LateMarker(Struct):
    """A WriteTxnMarkers request that its coordinator awaits no more, and that may still arrive; blank in a free slot.

    partition: to whose leader it was sent.
    term: the term of the coordinator that sent it.
    request: what it says.
    """

    partition: OptionalPartitionId
    term: CoordinatorTerm
    request: MarkerRequest


class SecondCompletion(Struct):
    """What a second thread is about to append: that a transaction is complete; blank where there is no such thread.

    outcome: how the transaction was decided; `NONE` where there is none.
    transactional_id: of which id.
    term: the term of the coordinator.
    producer_id: as of `TransactionMetadata` when the transaction is complete, like the following ones.
    previous_producer_id: see there.
    producer_epoch: see there.
    last_producer_epoch: see there.
    is_upgraded: see there.
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
    is_back: whether it is on the same broker as the term before.
    metadata: what it has in memory.
    pending_state: the state that it is about to enter (`pendingState`); `NONE` where there is no transition.
    has_failed_epoch_fence: whether it has raised the epoch in memory, and the log does not have it.
    is_marking: whether it waits for markers to be written (`transactionsWithPendingMarkers`).
    unmarked: the partitions whose markers it waits for.
    markers: by partition, its request that is under way.
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
    appended: that entry; blank where there is none.
    coordinators: by term.
    max_producer_epoch: the highest producer epoch that there is: constant. 32767 in Kafka.
    """

    coordinator_epoch: CoordinatorTerm
    entry: TransactionMetadata
    is_appended: bool
    appended: TransactionMetadata
    coordinators: Annotated[Array[Coordinator], ById("max_coordinator_epoch + 1")]
    max_producer_epoch: Annotated[int, Count("max_producer_epoch", lowest="max_producer_epoch")]


class AbortedTransaction(Struct):
    """An entry of a partition's aborted-transaction index (`AbortedTxn`); blank where there is none.

    producer_id: whose transaction it was.
    first_offset: where the transaction begins; `NO_OFFSET` without an entry.
    last_stable_offset: the last stable offset when it ended: no later entry begins below.
    """

    producer_id: OptionalProducerId
    first_offset: OptionalBatchOffset
    last_stable_offset: BatchOffset


class Partition(Struct):
    """A partition, as its leader has it.

    is_deleted: whether its topic is deleted; nothing of it is left then.
    incarnation: tells its topic from others that had the same name (`topicId`).
    log: the log, with the state of producers.
    high_watermark: what is below is replicated and survives.
    unreplicated: by the offset of a marker that is not replicated yet, where its transaction begins; else `NO_OFFSET`.
    aborted: the aborted-transaction index: by the offset of an ABORT marker, its entry.
    segment_size: how many offsets a segment of the log covers: constant.
    """

    is_deleted: bool
    incarnation: Incarnation
    log: PartitionLog
    high_watermark: BatchOffset
    unreplicated: Annotated[Array[OptionalBatchOffset], ByPosition("log_size")]
    aborted: Annotated[Array[AbortedTransaction], ByPosition("log_size")]
    segment_size: Annotated[int, Count("segment_size", lowest="segment_size")]


class Client(Struct):
    """A producer: one incarnation of the application behind a transactional id.

    transactional_id: which id it uses; constant.
    state: what it is doing.
    upgrade: whether it goes over to transaction version 2, or back.
    producer_id: its producer id.
    producer_epoch: its epoch.
    transaction: the application's transaction that it is in.
    partitions: the partitions of that transaction, as far as it knows that the coordinator has them; with transaction
        version 2 those that it has sent to.
    sent: the partitions that it has sent that transaction's record to.
    has_lost_batch: whether it has given a batch up in this epoch, and so must ask for the next one after aborting.
    sequences: by partition, the sequence of its next batch.
    generation: the generation in which it was given the input; 0 if never.
    input_offset: the input that it processes next; `NO_INPUT` where it must ask for the committed offset.
    is_halfway: whether it has done the first of the two steps with an input, processing and committing.
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

    A stray is a request that its client has given up, so that nobody waits for the answer; it may still arrive.

    kind: what is asked; `NONE` in a free slot.
    transactional_id: of which id.
    producer_id: the client's producer id.
    producer_epoch: the client's epoch.
    partition: the partition to add.
    marker: how the transaction is to end.
    is_upgraded: 1 if the client has gone over to transaction version 2 (the request's version).
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
    """A produce request. The first slots are the clients' own; the others hold strays, as of `Request`.

    stage: how far it is.
    transactional_id: of which id.
    partition: where to.
    incarnation: to which of the topics that had this name.
    is_upgraded: as of `Request`.
    batch: what is to be stored.
    guard: the guard of its verification.
    input_offset: the offset to commit, in a TxnOffsetCommit request; `NO_INPUT` in a produce request.
    generation: in a TxnOffsetCommit request the client's generation.
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
    """An application's transaction, as the application sees it. Only `spec/` reads what is here.

    asked: whether the application has asked to commit or abort it.
    told: what it was told of the outcome; `NONE` while it knows nothing.
    acknowledged: the partitions whose record was acknowledged.
    input_offset: the input from which its records are made; `NO_INPUT` where there is none.
    """

    asked: Marker
    told: Marker
    acknowledged: PartitionSet
    input_offset: OptionalInputOffset


class OffsetsLoading(Struct):
    """What a new coordinator of the group has read of its log so far; blank where none is loading.

    The bound `group_failovers` multiplies the ranges: at 0 this takes no bit of a state.

    is_loading: 1 while it reads (`loadingPartitions`).
    next_offset: the offset that it reads next.
    committed: the committed offset, as far as it has read (`loadedOffsets`).
    pending: by producer id, the offset in its open transaction, as far as it has read; `NO_INPUT` where there is none.
    """

    is_loading: Annotated[int, Count("group_failovers")]
    next_offset: Annotated[int, Count("log_size * group_failovers")]
    committed: Annotated[int, Count("inputs * group_failovers")]
    pending: Annotated[Array[LoggedInputOffset], ById("producer_ids")]


class Group(Struct):
    """A consumer group with one input partition, as its group coordinator has it.

    generation: the generation; 0 before the first member.
    committed: the committed offset: the input that is read next; while a new coordinator reads the log, what the one
        before knew last.
    pending: by producer id, the offset in its open transaction; `NO_INPUT` where there is none.
    unfollowed: by producer id, how a transaction ended whose offsets the coordinator has still to commit or drop;
        `NONE` where there is none (`handleTxnCompletion`).
    records: by offset in the partition of the offsets, the offset that the record there commits; `NO_INPUT` in markers,
        and everywhere in models in which the coordinator does not change.
    loading: what a new coordinator has read of them.
    max_failovers: how often the coordinator can change: constant.
    processed: by input, how often an application that is not transactional has processed it. Only `spec/` reads it.
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
    is_limited: whether the leader has begun a read of its, and has looked at the high watermark.
    limit: where that read must end; `NO_OFFSET` for the high watermark.
    """

    position: BatchOffset
    delivered: OffsetSet
    is_limited: bool
    limit: OptionalBatchOffset


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here.

    delays: requests that a client or coordinator gives up, and that arrive later or never.
    crashes: clients that die.
    failovers: changes of the coordinator.
    append_failures: appends to the transaction log that fail, or whose outcome stays unknown.
    marker_losses: answers to a coordinator about markers that are lost.
    expirations: producers that a partition forgets, or transactional ids that a coordinator forgets.
    moves: changes of a partition's leader.
    deletions: partitions that are deleted.
    rebalances: rebalances of the group.
    group_delays: markers that the group's coordinator follows later.
    group_failovers: changes of the group's coordinator.
    offset_expirations: offsets that nobody has committed for long.
    recreations: topics that are created anew under the name of one that was deleted.
    io_errors: entries of an aborted-transaction index that cannot be written.
    second_completions: threads of a coordinator that find the last marker written while another one does.
    """

    delays: Annotated[int, Allowance("delays")]
    crashes: Annotated[int, Allowance("crashes")]
    failovers: Annotated[int, Allowance("failovers")]
    append_failures: Annotated[int, Allowance("append_failures")]
    marker_losses: Annotated[int, Allowance("marker_losses")]
    expirations: Annotated[int, Allowance("expirations")]
    moves: Annotated[int, Allowance("moves")]
    deletions: Annotated[int, Allowance("deletions")]
    rebalances: Annotated[int, Allowance("rebalances")]
    group_delays: Annotated[int, Allowance("group_delays")]
    group_failovers: Annotated[int, Allowance("group_failovers")]
    offset_expirations: Annotated[int, Allowance("offset_expirations")]
    recreations: Annotated[int, Allowance("recreations")]
    io_errors: Annotated[int, Allowance("io_errors")]
    second_completions: Annotated[int, Allowance("second_completions")]


class State(Struct):
    """The whole system.

    transactional_ids: the transactional ids with their coordinators.
    next_producer_id: the producer id that is given next.
    partitions: the partitions.
    clients: the producers.
    requests: requests to coordinators.
    produces: produce requests.
    late_markers: markers under way that nobody awaits.
    second_completion: what a second thread of a coordinator is about to append.
    next_transaction: the number of the next transaction.
    transactions: the applications' transactions.
    readers: by partition, a read_committed consumer.
    group: the consumer group of the clients.
    offsets_partition: the partition that holds the group's offsets: constant; `NO_PARTITION` without a group.
    budget: what the environment may still do.
    """

    transactional_ids: Annotated[Array[TransactionalId], ById("transactional_ids")]
    next_producer_id: Annotated[int, Offset("producer_ids")]
    partitions: Annotated[Array[Partition], ById("partitions")]
    clients: Annotated[Array[Client], ById("clients")]
    requests: Annotated[Array[Request], ById("requests")]
    produces: Annotated[Array[Produce], ById("produces")]
    late_markers: Annotated[Array[LateMarker], ById("late_markers")]
    second_completion: SecondCompletion
    next_transaction: Annotated[int, Offset("batches")]
    transactions: Annotated[Array[Transaction], ById("batches")]
    readers: Annotated[Array[Reader], ById("partitions")]
    group: Group
    offsets_partition: Annotated[int, Count("offsets_partition", lowest="offsets_partition")]
    budget: Budget
