"""A compacted partition: its replicas, what applications wrote, and a consumer that keeps the last value of each key.

Part of Kafka modelled: `UnifiedLog` with `cleanup.policy=compact`; the records inside `RecordBatch`; a consumer that
builds a table, as `GroupMetadataManager`, `TransactionStateManager` and Kafka Streams do.
Source: apache/kafka (commit 1eb7644349); KIP-534.
Left out, and why that is sound: batches of several records: each record is kept or removed by itself, and the batch
goes with its last one. Values, because every write is another one. Leader epochs and what replication needs to keep its
promise, which `impl/broker` has: here a log agrees with its leader's when it follows it.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Count, Id, IdSet, Offset, Struct
from kafkacheck.impl.producer.constants import NO_BATCH, Marker
from kafkacheck.impl.producer.records import (
    BatchOffset,
    OptionalBatchId,
    OptionalBatchOffset,
    OptionalProducerId,
    OptionalSequence,
    PartitionLog,
    Sequence,
)
from kafkacheck.impl.replication.records import ReplicaId

NO_KEY = -1
"""Nothing is written yet."""

NOTHING = NO_BATCH
"""The key has no value."""

Key = Annotated[int, Id("keys")]
OptionalKey = Annotated[int, Id("keys", none=NO_KEY)]
OffsetSet = Annotated[int, IdSet("log_size")]
CleaningEnd = Annotated[int, Count("log_size", lowest=1)]
ReplicaSet = Annotated[int, IdSet("replicas")]


class Write(Struct):
    """A record that an application has written; blank where it has not yet.

    producer_id: by which producer.
    sequence: with which sequence.
    key: its key. The keys 0 and 1 have the same bytes as the keys of ABORT and COMMIT markers.
    is_tombstone: whether it says that the key has no value any more.
    outcome: how its transaction was ended, COMMIT without one; `NONE` while that is open. Only `spec/` reads it.
    ended_at: where the marker lies that ended it; `NO_OFFSET` while there is none. Only `spec/` reads it.
    """

    producer_id: OptionalProducerId
    sequence: OptionalSequence
    key: OptionalKey
    is_tombstone: bool
    outcome: Marker
    ended_at: OptionalBatchOffset


class CompactedReplica(Struct):
    """One broker's replica.

    log: its batches, and its producer state. A batch whose record is gone is empty.
    kept: the offsets whose batch has its record.
    stamped: the offsets of tombstones and markers with a delete horizon, which a pass of the cleaner has set.
    owed: the offsets of those which it has not fetched, although it has something from before.
    """

    log: PartitionLog
    kept: OffsetSet
    stamped: OffsetSet
    owed: OffsetSet


class TableReader(Struct):
    """A read_committed consumer that keeps the last value of each key.

    position: the offset that it reads next.
    owed: as of `CompactedReplica`, of what it has not read.
    values: by key, the write that it has; `NO_BATCH` where the key has no value.
    """

    position: BatchOffset
    owed: OffsetSet
    values: Annotated[Array[OptionalBatchId], ById("keys")]


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here.

    lags: followers that fall out of the ISR.
    failovers: changes of the leader.
    retries: writes that are sent again.
    reloads: replicas that make their producer state from the log alone.
    """

    lags: Annotated[int, Allowance("lags")]
    failovers: Annotated[int, Allowance("failovers")]
    retries: Annotated[int, Allowance("retries")]
    reloads: Annotated[int, Allowance("reloads")]


class State(Struct):
    """The whole system.

    leader: who leads.
    isr: the replicas in sync.
    high_watermark: the end of what all of them have.
    replicas: by broker.
    reader: the consumer.
    is_transactional: 1 if producers write in transactions: constant.
    next_sequences: by producer, the sequence of its next write.
    next_write: how many writes there are.
    writes: what was written.
    stored: by offset below the high watermark, the write that was stored there; `NO_BATCH` for a marker. Only `spec/`
        reads it.
    budget: what the environment may still do.
    """

    leader: ReplicaId
    isr: ReplicaSet
    high_watermark: BatchOffset
    replicas: Annotated[Array[CompactedReplica], ById("replicas")]
    reader: TableReader
    is_transactional: Annotated[int, Count("transactional", lowest="transactional")]
    next_sequences: Annotated[Array[Sequence], ById("producer_ids")]
    next_write: Annotated[int, Offset("batches")]
    writes: Annotated[Array[Write], ById("batches")]
    stored: Annotated[Array[OptionalBatchId], ByPosition("log_size")]
    budget: Budget
