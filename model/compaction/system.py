"""The whole system of the compaction models: a compacted partition, its writers and its reader.

Replication and the passing of time are stand-ins: the high watermark rises at once to the lowest end offset in the ISR,
and a delete horizon is over only when every follower and consumer that was before it has passed it.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Offset, Struct
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.compaction.cleaner import clean
from kafkacheck.impl.compaction.records import CleaningEnd, CompactedReplica, TableReader, Write
from kafkacheck.impl.compaction.replica import append_write, follow, read_committed, store_marker
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.ids import LogOffset, ReplicaId, ReplicaSet
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.reading import end_of, id_at
from kafkacheck.impl.log.records import OptionalBatchId, ProducerId, Sequence


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
    next_sequences: by producer, the sequence of its next write.
    next_write: the number of writes so far.
    writes: the writes so far.
    stored: by offset below the high watermark, the write that was stored there; `NO_BATCH` for a marker. Only `spec/`
        reads it.
    budget: the disturbances that are left.
    """

    leader: ReplicaId
    isr: ReplicaSet
    high_watermark: LogOffset
    replicas: Annotated[Array[CompactedReplica], ById("replicas")]
    reader: TableReader
    next_sequences: Annotated[Array[Sequence], ById("producer_ids")]
    next_write: Annotated[int, Offset("batches")]
    writes: Annotated[Array[Write], ById("batches")]
    stored: Annotated[Array[OptionalBatchId], ByPosition("log_size")]
    budget: Budget


def raise_high_watermark(state: State) -> None:
    """Raise the high watermark to the lowest end offset in the ISR, and note the writes that are stored for good."""
    leader = state.replicas[state.leader]
    end_offset = end_of(leader.log)
    for replica_id in state.isr:
        end_offset = min(end_offset, end_of(state.replicas[replica_id].log))
    for offset in range(state.high_watermark, end_offset):
        state.stored[offset] = id_at(leader.log, offset)
    state.high_watermark = max(state.high_watermark, end_offset)


def leader_stores_write(state: State, rules: CompactionRules, bounds: Bounds, write_id: int) -> bool:
    """Let the leader append the write if the rules allow that; return whether it did."""
    leader = state.replicas[state.leader]
    if not append_write(leader, rules, write_id, state.writes[write_id], bounds.transactional):
        return False
    raise_high_watermark(state)
    return True


def leader_ends_transaction(state: State, rules: CompactionRules, producer_id: ProducerId, commits: bool) -> bool:
    """The leader stores a transaction marker: the coordinator has ended the producer's transaction.

    Who: the leader.
    When: the transaction has written to this partition; there is room.
    Effect: the transaction is committed or aborted.
    Source: ProducerAppendInfo.appendEndTxnMarker.
    Left out: the coordinator, which `impl/coordinator` has; epochs that a marker raises.
    """
    leader = state.replicas[state.leader]
    marker = Marker.COMMIT if commits else Marker.ABORT
    offset = end_of(leader.log)
    if not store_marker(leader, rules, producer_id, marker):
        return False
    for write_id in range(state.next_write):
        write = state.writes[write_id]
        if write.producer_id == producer_id and write.outcome == Marker.NONE:
            write.outcome = marker
            write.ended_at = offset
    raise_high_watermark(state)
    return True


def follower_fetches(state: State, rules: CompactionRules, replica_id: ReplicaId) -> bool:
    """A follower copies what its leader has at the next offset: a batch, an empty batch, or nothing.

    Who: a follower.
    When: its log is shorter than its leader's.
    Effect: its log grows by one offset; it is in sync again when its log reaches the high watermark.
    Source: ReplicaFetcherThread.processPartitionData; Partition.maybeExpandIsr.
    """
    replica = state.replicas[replica_id]
    if not follow(replica, rules, state.replicas[state.leader]):
        return False
    if end_of(replica.log) >= state.high_watermark:
        state.isr |= {replica_id}
    raise_high_watermark(state)
    return True


def consumer_reads(state: State) -> bool:
    """A read_committed consumer reads the new records up to the last stable offset, and updates its table."""
    return read_committed(state.reader, state.replicas[state.leader], state.writes, state.high_watermark)


def stamp(state: State, replica_id: int, offset: int) -> None:
    """Note that the delete horizon of the offset awaits every follower and consumer that is now before the offset."""
    for other_id, other in enumerate(state.replicas):
        if other_id != replica_id and end_of(other.log) > 0 and end_of(other.log) <= offset:
            other.owed |= {offset}
    if state.reader.position > 0 and state.reader.position <= offset:
        state.reader.owed |= {offset}


def cleaner_cleans(
    state: State, rules: CompactionRules, replica_id: ReplicaId, end: CleaningEnd, is_late: bool
) -> bool:
    """The cleaner makes one pass over a replica's log, up to `end`.

    Who: the cleaner of that broker.
    When: `end` is at most `cleanable_offset`, and the pass changes something. A pass with `is_late` treats a delete
        horizon as over if no reader is still before it.
    Effect: aborted and superseded records are removed. Tombstones and markers are removed if their delete horizon is
        over; the others get a horizon. A batch is removed with its record, unless it is its producer's last.
    Source: LogCleaner.doClean, `cleanInto`; KIP-534.
    """
    replica = state.replicas[replica_id]
    owed = state.reader.owed
    for other in state.replicas:
        owed |= other.owed
    stamped = replica.stamped
    if not clean(replica, rules, state.writes, state.high_watermark, owed, end, is_late):
        return False
    for offset in replica.stamped - stamped:
        stamp(state, replica_id, offset)
    return True
