"""A compacted partition's replicas: appending, fetching, the high watermark; and the consumer's reads.

Part of Kafka modelled: `Partition`, `UnifiedLog` (`append`, `truncateTo`, `fetchLastStableOffsetMetadata`),
`ReplicaFetcherThread`; `CompletedFetch`.
Source: apache/kafka (commit 1eb7644349); KIP-98.
Left out, and why that is sound: fetches under way; a gap that cleaning has left is passed offset by offset.
"""

from kafkacheck.checker.schema import clear, contains, excluding, including
from kafkacheck.impl.compaction.records import NOTHING, CompactedReplica, Write
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.append import append_batch, append_error, append_marker, learn_of
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_ID, Marker, Origin, ProduceError
from kafkacheck.impl.log.producer_state import duplicate_offset, has_open_transaction
from kafkacheck.impl.log.records import Batch, PartitionLog, ProducerId
from kafkacheck.impl.log.reload import forget_producers
from kafkacheck.impl.log.transactions import first_open_transaction_offset
from kafkacheck.impl.log.verification import NO_GUARD
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.model.compaction.system import State


def is_data(batch: Batch) -> bool:
    """Whether the slot has a batch that is no marker."""
    return batch.producer_id != NO_PRODUCER_ID and batch.marker == Marker.NONE


def marker_behind(log: PartitionLog, offset: int) -> int:
    """The offset of the producer's first marker after the batch; `NO_OFFSET` if there is none."""
    for later in range(offset + 1, log.end_offset):
        batch = log.records[later]
        if batch.marker != Marker.NONE and batch.producer_id == log.records[offset].producer_id:
            return later
    return NO_OFFSET


def outcome_in(log: PartitionLog, offset: int) -> Marker:
    """How the batch's transaction ended in this log, `NONE` while it is open; COMMIT without a transaction."""
    if log.records[offset].is_transactional == 0:
        return Marker.COMMIT
    marker_offset = marker_behind(log, offset)
    if marker_offset == NO_OFFSET:
        return Marker.NONE
    return log.records[marker_offset].marker


def first_undecided_offset(log: PartitionLog, high_watermark: int) -> int:
    """The first offset of a transaction that is open or whose marker is not replicated; the log's end without one."""
    first = first_open_transaction_offset(log)
    for offset in range(log.end_offset):
        if is_data(log.records[offset]) and marker_behind(log, offset) >= high_watermark:
            first = min(first, offset)
    return first


def known_high_watermark(state: State, replica: CompactedReplica) -> int:
    """The high watermark, but at most the end of the replica's log."""
    return min(state.high_watermark, replica.log.end_offset)


def raise_high_watermark(state: State) -> None:
    """Raise the high watermark to the lowest end offset in the ISR, and note the writes that are stored for good."""
    leader = state.replicas[state.leader]
    end_offset = leader.log.end_offset
    for replica_id in range(len(state.replicas)):
        if contains(state.isr, replica_id):
            end_offset = min(end_offset, state.replicas[replica_id].log.end_offset)
    for offset in range(state.high_watermark, end_offset):
        state.stored[offset] = leader.log.records[offset].id
    state.high_watermark = max(state.high_watermark, end_offset)


def write_batch(batch: Batch, write_id: int, write: Write, is_transactional: int) -> None:
    """Fill in the batch with the write's record."""
    batch.id = write_id
    batch.producer_id = write.producer_id
    batch.producer_epoch = 0
    batch.base_sequence = write.sequence
    batch.record_count = 1
    batch.is_transactional = is_transactional
    batch.marker = Marker.NONE


def append_write(state: State, rules: CompactionRules, write_id: int) -> bool:
    """Append the write to the leader's log if it is no duplicate and has no error; whether that was done.

    The slot at the log's end serves as the request, and is blank again if the write is refused.
    """
    replica = state.replicas[state.leader]
    log = replica.log
    if is_full(log):
        return False
    write = state.writes[write_id]
    batch = log.records[log.end_offset]
    write_batch(batch, write_id, write, state.is_transactional)
    is_stored = duplicate_offset(log.producers[write.producer_id], batch, log.max_sequence) != NO_OFFSET
    if is_stored or append_error(log, rules, batch, NO_GUARD, Origin.CLIENT) != ProduceError.NONE:
        clear(batch)
        return False
    replica.kept = including(replica.kept, log.end_offset)
    append_batch(log, rules, batch)
    raise_high_watermark(state)
    return True


def note_outcome(state: State, producer_id: int, marker: Marker, offset: int) -> None:
    """Record the marker that ended the producer's open writes, and its offset."""
    for write_id in range(state.next_write):
        write = state.writes[write_id]
        if write.producer_id == producer_id and write.outcome == Marker.NONE:
            write.outcome = marker
            write.ended_at = offset


def forget_lost_outcomes(state: State, end_offset: int) -> None:
    """Reopen the transactions whose marker was truncated; their coordinator sends it again."""
    for write_id in range(state.next_write):
        write = state.writes[write_id]
        if write.ended_at >= end_offset:
            write.outcome = Marker.NONE
            write.ended_at = NO_OFFSET


def leader_ends_transaction(state: State, producer_id: ProducerId, commits: bool) -> bool:
    """The leader stores a transaction marker: the coordinator has ended the producer's transaction.

    Who: the leader.
    When: the transaction has written to this partition; there is room.
    Effect: the transaction is committed or aborted.
    Source: ProducerAppendInfo.appendEndTxnMarker.
    Left out: the coordinator, which `impl/transactions` has; epochs that a marker raises.
    """
    replica = state.replicas[state.leader]
    log = replica.log
    if is_full(log) or not has_open_transaction(log.producers[producer_id]):
        return False
    marker = Marker.COMMIT if commits else Marker.ABORT
    note_outcome(state, producer_id, marker, log.end_offset)
    replica.kept = including(replica.kept, log.end_offset)
    append_marker(log, producer_id, 0, 0, marker)
    raise_high_watermark(state)
    return True


def follower_fetches(state: State, rules: CompactionRules, replica_id: ReplicaId) -> bool:
    """A follower copies its leader's next offset, which has a batch, an empty batch, or nothing.

    Who: a follower.
    When: its log is shorter than its leader's.
    Effect: its log grows by one offset; it is in sync again when its log reaches the high watermark.
    Source: ReplicaFetcherThread.processPartitionData; Partition.maybeExpandIsr.
    """
    leader = state.replicas[state.leader]
    replica = state.replicas[replica_id]
    offset = replica.log.end_offset
    if offset >= leader.log.end_offset:
        return False
    if leader.log.records[offset].producer_id == NO_PRODUCER_ID:
        replica.log.end_offset += 1
    else:
        append_batch(replica.log, rules, leader.log.records[offset])
    if contains(leader.kept, offset):
        replica.kept = including(replica.kept, offset)
    if contains(leader.stamped, offset):
        replica.stamped = including(replica.stamped, offset)
    replica.owed = excluding(replica.owed, offset)
    if replica.log.end_offset >= state.high_watermark:
        state.isr = including(state.isr, replica_id)
    raise_high_watermark(state)
    return True


def rebuild_producers(replica: CompactedReplica, rules: CompactionRules) -> None:
    """Rebuild the producer state from the log alone; an empty batch tells as much as one with its record."""
    log = replica.log
    forget_producers(log)
    for offset in range(log.end_offset):
        if log.records[offset].producer_id != NO_PRODUCER_ID:
            learn_of(log, rules, offset)


def truncate_replica(replica: CompactedReplica, rules: CompactionRules, end_offset: int) -> None:
    """Truncate a replica's log."""
    for offset in range(end_offset, replica.log.end_offset):
        clear(replica.log.records[offset])
        replica.kept = excluding(replica.kept, offset)
        replica.stamped = excluding(replica.stamped, offset)
    replica.log.end_offset = min(replica.log.end_offset, end_offset)
    rebuild_producers(replica, rules)


def consumer_reads(state: State) -> bool:
    """A read_committed consumer reads the new records up to the last stable offset, and updates its table.

    Who: the consumer.
    When: its position is below the last stable offset.
    Effect: each key that it reads has the last value, or none after a tombstone.
    Source: KIP-98 (`isolation.level`); UnifiedLog.read, CompletedFetch.
    """
    log = state.replicas[state.leader].log
    reader = state.reader
    limit = min(first_undecided_offset(log, state.high_watermark), state.high_watermark)
    if reader.position >= limit:
        return False
    for offset in range(reader.position, limit):
        write_id = log.records[offset].id
        is_there = write_id != NO_BATCH and contains(state.replicas[state.leader].kept, offset)
        if is_there and outcome_in(log, offset) == Marker.COMMIT:
            write = state.writes[write_id]
            reader.values[write.key] = NOTHING if write.is_tombstone else write_id
        reader.owed = excluding(reader.owed, offset)
    reader.position = limit
    return True
