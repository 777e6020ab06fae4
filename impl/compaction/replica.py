"""A compacted partition's replica: appending and following; and a consumer's reads.

Part of Kafka modelled: `UnifiedLog` (`append`, `truncateTo`), `ReplicaFetcherThread`; `CompletedFetch`.
Source: apache/kafka (commit 1eb7644349); KIP-98.
Left out, and why that is sound: fetches under way; a gap that cleaning has left is passed offset by offset.
"""

from kafkacheck.checker.schema import Array, Ids
from kafkacheck.impl.compaction.records import NOTHING, CompactedReplica, TableReader, Write
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.log import is_full, truncate_to
from kafkacheck.impl.log.append import append_marker, append_record_of
from kafkacheck.impl.log.constants import NO_BATCH, Marker
from kafkacheck.impl.log.producer_state import has_open_transaction
from kafkacheck.impl.log.reading import end_of, id_at
from kafkacheck.impl.log.reload import rebuild_from_log
from kafkacheck.impl.log.replica import append_from_leader
from kafkacheck.impl.log.transactions import first_undecided_offset, outcome_in


def append_write(
    replica: CompactedReplica, rules: CompactionRules, write_id: int, write: Write, is_transactional: int
) -> bool:
    """Append the write to the leader's log if it is no duplicate and has no error; return whether that was done."""
    offset = end_of(replica.log)
    if not append_record_of(replica.log, rules.log, write_id, write.producer_id, write.sequence, is_transactional):
        return False
    replica.kept |= {offset}
    return True


def store_marker(replica: CompactedReplica, rules: CompactionRules, producer_id: int, marker: Marker) -> bool:
    """Store a marker if the log has room and the producer's transaction has written to this partition."""
    log = replica.log
    if is_full(log) or not has_open_transaction(log, producer_id):
        return False
    replica.kept |= {end_of(log)}
    append_marker(log, rules.log, producer_id, 0, 0, marker)
    return True


def follow(replica: CompactedReplica, rules: CompactionRules, leader: CompactedReplica) -> bool:
    """Copy the leader's next offset, which has a batch, an empty batch, or nothing; return whether there is one.

    The leader's replica stands for its response to a fetch.
    """
    offset = end_of(replica.log)
    if not append_from_leader(replica.log, rules.log, leader.log):
        return False
    replica.kept |= leader.kept & {offset}
    replica.stamped |= leader.stamped & {offset}
    replica.owed -= {offset}
    return True


def truncate_compacted(replica: CompactedReplica, rules: CompactionRules, end_offset: int) -> None:
    """Truncate a replica's log, and rebuild its producer state, for which an empty batch is as good as a full one."""
    replica.kept &= Ids(range(end_offset))
    replica.stamped &= Ids(range(end_offset))
    truncate_to(replica.log, end_offset)
    rebuild_from_log(replica.log, rules.log)


def read_committed(reader: TableReader, replica: CompactedReplica, writes: Array[Write], high_watermark: int) -> bool:
    """A read_committed consumer reads the new records up to the last stable offset, and updates its table.

    Who: the consumer.
    When: its position is below the last stable offset.
    Effect: each key that it reads has the last value, or none after a tombstone.
    Source: KIP-98 (`isolation.level`); UnifiedLog.read, CompletedFetch.
    """
    log = replica.log
    limit = min(first_undecided_offset(log, high_watermark), high_watermark)
    if reader.position >= limit:
        return False
    for offset in range(reader.position, limit):
        write_id = id_at(log, offset)
        if write_id != NO_BATCH and offset in replica.kept and outcome_in(log, offset) == Marker.COMMIT:
            reader.values[writes[write_id].key] = NOTHING if writes[write_id].is_tombstone else write_id
        reader.owed -= {offset}
    reader.position = limit
    return True
