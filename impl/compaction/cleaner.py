"""A pass of the log cleaner over a compacted log: the records it removes, the batches it empties, and the rest.

Part of Kafka modelled: `LogCleaner` (`buildOffsetMap`, `checkBatchRetention`, `shouldRetainRecord`);
`LogCleanerManager.cleanableOffsets`; `MemoryRecords.filterTo`.
Source: apache/kafka (commit 1eb7644349); KIP-534, KAFKA-5490, KAFKA-13194, KAFKA-14055.
Left out, and why that is sound: the active segment, and a full offset map: a pass may end at any offset that its bound
allows. The clean part of the log, whose records supersede each other no more. An empty batch that keeps the log's end
(KAFKA-17076), because ends are kept here. Time: `delete.retention.ms` is longer than any consumer or follower takes
from its position to the log's end; otherwise it may be over soon, later or never. Markers that raise the epoch, which
are their producer's last batch until it writes again.
"""

from kafkacheck.checker.schema import clear, contains, excluding, including
from kafkacheck.impl.compaction.records import CleaningEnd, CompactedReplica
from kafkacheck.impl.compaction.replica import first_undecided_offset, is_data, known_high_watermark, outcome_in
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.records import PartitionLog
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.transactions.cleaner import has_data
from kafkacheck.model.compaction.system import State


def cleanable_offset(state: State, rules: CompactionRules, replica: CompactedReplica) -> int:
    """The highest end offset of a pass.

    By the old rule the high watermark did not count while no transaction was open.
    """
    high_watermark = known_high_watermark(state, replica)
    first_unstable = first_undecided_offset(replica.log, high_watermark)
    return min(first_unstable, high_watermark) if rules.cleaning_ends_at_high_watermark else first_unstable


def key_of_marker(marker: Marker) -> int:
    """The key of data that has the same bytes as a marker's: the type of its control record."""
    return 0 if marker == Marker.ABORT else 1


def is_superseded(state: State, replica: CompactedReplica, key: int, offset: int, end: int) -> bool:
    """Whether the offset map has the key at a later offset, which needs a committed record with the key there."""
    for later in range(offset + 1, end):
        batch = replica.log.records[later]
        if is_data(batch) and contains(replica.kept, later) and state.writes[batch.id].key == key:
            if outcome_in(replica.log, later) == Marker.COMMIT:
                return True
    return False


def is_last_of_producer(log: PartitionLog, offset: int) -> bool:
    """Whether the batch is its producer's last one with a sequence, which tells the producer's last sequence."""
    return log.producers[log.records[offset].producer_id].batches[0].offset == offset


def is_owed(state: State, offset: int) -> bool:
    """Whether the consumer or a follower must still read the offset, so that its delete horizon cannot be over."""
    if contains(state.reader.owed, offset):
        return True
    for replica_id in range(len(state.replicas)):
        if contains(state.replicas[replica_id].owed, offset):
            return True
    return False


def is_over(state: State, rules: CompactionRules, replica: CompactedReplica, offset: int, is_late: bool) -> bool:
    """Whether a record that waits only for its delete horizon may go; by the old rule there was no horizon."""
    if not rules.delete_horizon_is_awaited:
        return True
    return is_late and contains(replica.stamped, offset) and not is_owed(state, offset)


def stamp(state: State, replica_id: int, offset: int) -> None:
    """Set a delete horizon, which is over only when every follower and consumer now before it has passed."""
    for other_id, other in enumerate(state.replicas):
        if other_id != replica_id and other.log.end_offset > 0 and other.log.end_offset <= offset:
            other.owed = including(other.owed, offset)
    if state.reader.position > 0 and state.reader.position <= offset:
        state.reader.owed = including(state.reader.owed, offset)
    state.replicas[replica_id].stamped = including(state.replicas[replica_id].stamped, offset)


def is_due(state: State, rules: CompactionRules, replica: CompactedReplica, offset: int, end: int) -> bool:
    """Whether no reader needs the record: it is aborted or superseded, or it is a marker that a key supersedes."""
    batch = replica.log.records[offset]
    if not is_data(batch):
        return not rules.markers_have_no_key and is_superseded(state, replica, key_of_marker(batch.marker), offset, end)
    if outcome_in(replica.log, offset) == Marker.ABORT:
        return True
    return is_superseded(state, replica, state.writes[batch.id].key, offset, end)


def awaits_horizon(state: State, replica: CompactedReplica, offset: int) -> bool:
    """Whether the record has to wait for a delete horizon: it is a tombstone, or a marker without data."""
    batch = replica.log.records[offset]
    if is_data(batch):
        return contains(replica.kept, offset) and state.writes[batch.id].is_tombstone
    return not has_data(replica.log, 0, offset)


def is_removable(
    state: State, rules: CompactionRules, replica: CompactedReplica, offset: int, end: int, is_late: bool
) -> bool:
    """Whether the pass that ends at `end` removes the record at the offset; its batch may stay empty.

    By the old rule a producer's last batch stayed with its record, even after the superseding tombstone was removed.
    """
    is_kept_whole = not rules.last_batch_is_emptied and is_last_of_producer(replica.log, offset)
    if is_kept_whole and is_data(replica.log.records[offset]):
        return False
    if is_due(state, rules, replica, offset, end) or not contains(replica.kept, offset):
        return True
    return awaits_horizon(state, replica, offset) and is_over(state, rules, replica, offset, is_late)


def remove(replica: CompactedReplica, rules: CompactionRules, offset: int) -> None:
    """Remove a record, and also its batch unless that is the last of its producer."""
    batch = replica.log.records[offset]
    keeps_batch = rules.last_batch_is_kept and is_data(batch) and is_last_of_producer(replica.log, offset)
    replica.kept = excluding(replica.kept, offset)
    replica.stamped = excluding(replica.stamped, offset)
    if not keeps_batch:
        clear(batch)


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
    if end > cleanable_offset(state, rules, replica):
        return False
    removed = 0
    stamped = 0
    for offset in range(end):
        if replica.log.records[offset].producer_id != NO_PRODUCER_ID:
            if is_removable(state, rules, replica, offset, end, is_late):
                removed = including(removed, offset)
            elif awaits_horizon(state, replica, offset) and not contains(replica.stamped, offset):
                stamped = including(stamped, offset)
    has_cleaned = stamped != 0
    for offset in range(end):
        if contains(removed, offset):
            if contains(replica.kept, offset) or not is_last_of_producer(replica.log, offset):
                has_cleaned = True
            remove(replica, rules, offset)
        if contains(stamped, offset):
            stamp(state, replica_id, offset)
    return has_cleaned
