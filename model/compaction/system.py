"""The whole system of the compaction models: a compacted partition, its writers and its reader."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Count, Offset, Struct
from kafkacheck.impl.compaction.records import CompactedReplica, ReplicaSet, TableReader, Write
from kafkacheck.impl.log.records import BatchOffset, OptionalBatchId, Sequence
from kafkacheck.impl.replication.records import ReplicaId


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here.

    lags: followers that fall out of the ISR.
    failovers: changes of the leader.
    retries: writes that are sent again.
    reloads: replicas that rebuild their producer state from the log alone.
    """

    lags: Annotated[int, Allowance("lags")]
    failovers: Annotated[int, Allowance("failovers")]
    retries: Annotated[int, Allowance("retries")]
    reloads: Annotated[int, Allowance("reloads")]


class State(Struct):
    """The whole system.

    leader: the leader.
    isr: the replicas in sync.
    high_watermark: the end of the records that all replicas in sync have.
    replicas: by broker.
    reader: the consumer.
    is_transactional: 1 if producers write in transactions: constant.
    next_sequences: by producer, the sequence of its next write.
    next_write: the number of writes so far.
    writes: the writes so far.
    stored: by offset below the high watermark, the write that was stored there; `NO_BATCH` for a marker. Only `spec/`
        reads it.
    budget: the disturbances that are left.
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
