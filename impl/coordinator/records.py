"""Coordinators: their logs, and what they have in memory.

Part of Kafka modelled: `TransactionMetadata`, `TransactionStateManager`, `TransactionMarkerChannelManager`,
`ProducerIdManager`; `GroupMetadata` and `OffsetMetadataManager`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-447, KIP-890.
Left out, and why that is sound: replicas of the logs, which `impl/broker` models: here a log has the entries that
survive, and one behind them that may be lost. Timeouts and ages, because each may be over at once, later or never.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, If, Offset, Struct
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.records import OptionalProducerEpoch, OptionalProducerId
from kafkacheck.impl.messages.write_txn_markers import MarkerRequest
from kafkacheck.impl.transactions.constants import TransactionState
from kafkacheck.impl.transactions.records import (
    CoordinatorTerm,
    Generation,
    InputOffset,
    IsUpgraded,
    LoggedInputOffset,
    OptionalInputOffset,
)

SecondProducerId = Annotated[int, Count("producer_ids - 1", lowest=NO_PRODUCER_ID)]
SecondProducerEpoch = Annotated[int, Count("max_producer_epoch", lowest=NO_PRODUCER_EPOCH)]


class TransactionMetadata(Struct):
    """The state of a transactional id: one entry of the transaction log, or the coordinator's copy in memory.

    producer_id: the producer id; `NO_PRODUCER_ID` if the id is unknown.
    previous_producer_id: the previous producer id, below `producer_id`, whose epochs were used up.
    next_producer_id: the producer id that follows when the transaction completes, if the epochs are used up; above
        `producer_id`.
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


class TransactionLog(Struct):
    """One transactional id's part of the transaction log, at the leader of its partition.

    coordinator_epoch: the newest term: the leader epoch.
    entry: the newest committed entry; older ones are compacted away.
    is_appended: whether an entry is appended and not committed.
    appended: that entry; blank if there is none.
    """

    coordinator_epoch: CoordinatorTerm
    entry: TransactionMetadata
    is_appended: bool
    appended: TransactionMetadata


class ProducerIdManager(Struct):
    """The producer ids that coordinators can still give out.

    next_producer_id: the producer id that is allocated next, above every one that a transactional id has.
    """

    next_producer_id: Annotated[int, Offset("producer_ids")]


class Coordinator(Struct):
    """The transaction coordinator of one term, which is one leader epoch of the transaction log's partition.

    is_serving: whether it believes that it is the coordinator; a later term may have begun.
    is_back: whether it is on the same broker as the previous term.
    metadata: its state in memory.
    pending_state: the state that it is about to enter (`pendingState`); `NONE` if no transition is pending.
    has_failed_epoch_fence: whether it has raised the epoch in memory, but the log does not have that epoch.
    is_marking: whether it waits for markers to be written (`transactionsWithPendingMarkers`).
    unmarked: the partitions of the transaction whose markers it awaits; empty if it is not marking.
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

    outcome: Marker
    transactional_id: Annotated[int, Count("transactional_ids - 1")]
    term: Annotated[int, Count("max_coordinator_epoch")]
    producer_id: SecondProducerId
    previous_producer_id: SecondProducerId
    producer_epoch: SecondProducerEpoch
    last_producer_epoch: SecondProducerEpoch
    is_upgraded: Annotated[int, Count("upgrades")]


class OffsetsLoading(Struct):
    """The part of its log that a new group coordinator has read so far; blank if none is loading.

    It exists only with the bound `group_failovers`: at 0 this record takes no bit of a state.

    is_loading: 1 while it reads (`loadingPartitions`).
    next_offset: the offset that it reads next.
    committed: the committed offset, as far as it has read (`loadedOffsets`).
    pending: by producer id, the offset in its open transaction, as far as it has read; `NO_INPUT` if there is none.
    """

    is_loading: Annotated[int, Count("group_failovers")]
    next_offset: Annotated[int, Count("log_size")]
    committed: Annotated[int, Count("inputs")]
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
    """

    generation: Generation
    committed: InputOffset
    pending: Annotated[Array[OptionalInputOffset], ById("producer_ids")]
    unfollowed: Annotated[Array[Annotated[Marker, If("group_delays")]], ById("producer_ids")]
    records: Annotated[Array[LoggedInputOffset], ByPosition("log_size")]
    loading: Annotated[OffsetsLoading, If("group_failovers")]
