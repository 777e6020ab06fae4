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

from kafkacheck.checker.schema import Array, Ids
from kafkacheck.impl.compaction.records import CompactedReplica, Write
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.log import clear_records
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.reading import end_of, id_at, marker_at, producer_id_at, remembered_offset
from kafkacheck.impl.log.records import PartitionLog
from kafkacheck.impl.log.transactions import first_undecided_offset, has_data, is_data, outcome_in


def cleanable_offset(rules: CompactionRules, replica: CompactedReplica, high_watermark: int) -> int:
    """The highest end offset of a pass.

    Before KAFKA-13194 it was the log's end while no transaction was open.
    """
    known = min(high_watermark, end_of(replica.log))
    undecided = first_undecided_offset(replica.log, known)
    return min(undecided, known) if rules.cleaning_ends_at_high_watermark else undecided


def key_of_marker(marker: Marker) -> int:
    """The data key with the same bytes as the key of such a marker, which is the type of its control record."""
    return 0 if marker == Marker.ABORT else 1


def has_later_value(replica: CompactedReplica, writes: Array[Write], key: int, offset: int, end: int) -> bool:
    """Whether the offset map has the key at a later offset, which needs a committed record with the key there."""
    for later in range(offset + 1, end):
        if is_data(replica.log, later) and later in replica.kept:
            has_key = writes[id_at(replica.log, later)].key == key
            if has_key and outcome_in(replica.log, later) == Marker.COMMIT:
                return True
    return False


def is_last_of_producer(log: PartitionLog, offset: int) -> bool:
    """Whether the batch is its producer's last one with a sequence, which tells the producer's last sequence."""
    return remembered_offset(log, producer_id_at(log, offset), 0) == offset


def is_over(rules: CompactionRules, replica: CompactedReplica, owed: Ids, offset: int, is_late: bool) -> bool:
    """Whether a record that waits only for its delete horizon may go; by the old rule there was no horizon."""
    if not rules.delete_horizon_is_awaited:
        return True
    return is_late and offset in replica.stamped and offset not in owed


def is_due(rules: CompactionRules, replica: CompactedReplica, writes: Array[Write], offset: int, end: int) -> bool:
    """Whether no reader needs the record: it is aborted or superseded, or it is a marker that a key supersedes."""
    if not is_data(replica.log, offset):
        key = key_of_marker(marker_at(replica.log, offset))
        return not rules.markers_have_no_key and has_later_value(replica, writes, key, offset, end)
    if outcome_in(replica.log, offset) == Marker.ABORT:
        return True
    return has_later_value(replica, writes, writes[id_at(replica.log, offset)].key, offset, end)


def awaits_horizon(replica: CompactedReplica, writes: Array[Write], offset: int) -> bool:
    """Whether the record must wait for a delete horizon: a tombstone, or a marker of a transaction without data."""
    if is_data(replica.log, offset):
        return offset in replica.kept and writes[id_at(replica.log, offset)].is_tombstone
    return not has_data(replica.log, 0, offset)


def is_removable(
    rules: CompactionRules,
    replica: CompactedReplica,
    writes: Array[Write],
    owed: Ids,
    offset: int,
    end: int,
    is_late: bool,
) -> bool:
    """Whether the pass that ends at `end` removes the record at the offset; its batch may stay empty.

    Before KAFKA-5490 a producer's last batch stayed with its record, even after the superseding tombstone was removed.
    """
    is_kept_whole = not rules.last_batch_is_emptied and is_last_of_producer(replica.log, offset)
    if is_kept_whole and is_data(replica.log, offset):
        return False
    if is_due(rules, replica, writes, offset, end) or offset not in replica.kept:
        return True
    return awaits_horizon(replica, writes, offset) and is_over(rules, replica, owed, offset, is_late)


def remove(replica: CompactedReplica, rules: CompactionRules, offset: int) -> None:
    """Remove a record, and also its batch unless that is the last of its producer."""
    keeps_batch = rules.last_batch_is_kept and is_data(replica.log, offset) and is_last_of_producer(replica.log, offset)
    replica.kept -= {offset}
    replica.stamped -= {offset}
    if not keeps_batch:
        clear_records(replica.log, offset, offset + 1)


def clean(
    replica: CompactedReplica,
    rules: CompactionRules,
    writes: Array[Write],
    high_watermark: int,
    owed: Ids,
    end: int,
    is_late: bool,
) -> bool:
    """Make one pass over a log, up to `end`; return whether it changed something.

    `owed`: the offsets that a consumer or a follower must still read, so that their delete horizon cannot be over.
    """
    if end > cleanable_offset(rules, replica, high_watermark):
        return False
    removed = Ids()
    stamped = Ids()
    for offset in range(end):
        if producer_id_at(replica.log, offset) != NO_PRODUCER_ID:
            if is_removable(rules, replica, writes, owed, offset, end, is_late):
                removed |= {offset}
            elif awaits_horizon(replica, writes, offset) and offset not in replica.stamped:
                stamped |= {offset}
    has_cleaned = stamped != Ids()
    for offset in removed:
        if offset in replica.kept or not is_last_of_producer(replica.log, offset):
            has_cleaned = True
        remove(replica, rules, offset)
    replica.stamped |= stamped
    return has_cleaned
