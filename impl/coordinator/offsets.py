"""The offsets of a group: its coordinator commits, expires and loads them, inside and outside transactions.

Part of Kafka modelled: the offsets of `GroupMetadata` and `GroupMetadataManager` (`validateOffsetCommit`, pending
transactional offsets, `requireStable`, `doLoadGroupsAndOffsets`); `OffsetMetadataManager` (`cleanupExpiredOffsets`,
`hasPendingTransactionalOffsets`, the replay of tombstones); `GroupMetadata.removeExpiredOffsets` before.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-211, KIP-447, KAFKA-5247, KAFKA-5600, KAFKA-14505, KAFKA-15449,
KAFKA-19163.
Left out, and why that is sound: members, whose ids carry no more information than the generation. A new coordinator
knows the generation: it is in the same log, and is written before a member learns of it. `offsets.retention.minutes`,
which may be over at any time: Kafka keeps offsets for longer if there are members, which is expiry at another time. The
time until the coordinator applies a late marker: a transaction that ends meanwhile already ends by that marker, and the
offset that is committed after both are applied is the same.

The broker that leads the offsets partition is the group's coordinator, so its functions take both records.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator import runtime
from kafkacheck.impl.coordinator.records import Group, OffsetsLoading
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log import is_full, restart_at
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker, ProduceError
from kafkacheck.impl.log.reading import end_of, marker_at, producer_id_at
from kafkacheck.impl.log.records import PartitionLog
from kafkacheck.impl.log.transactions import is_data, marker_behind
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.transactions.constants import NO_INPUT
from kafkacheck.impl.transactions.partition import append_produce, maybe_replicate
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.impl.transactions.rules import TransactionRules


def is_loading_offsets(group: Group) -> bool:
    """Whether the group's coordinator is new and is still reading the log (COORDINATOR_LOAD_IN_PROGRESS)."""
    return runtime.is_loading(group.loading)


def has_pending_offset(group: Group) -> bool:
    """Whether an open transaction may change the committed offset."""
    return any(pending != NO_INPUT for pending in group.pending)


def can_fetch_offset(group: Group, rules: TransactionRules, requires_stable: bool) -> bool:
    """Whether the coordinator returns the committed offset, which an open transaction may change."""
    if is_loading_offsets(group):
        return False
    return not (requires_stable and rules.offset_fetch_requires_stable and has_pending_offset(group))


def is_effective_commit(log: PartitionLog, offset: int, end_offset: int) -> bool:
    """Whether the record commits an offset outside transactions, or in one with a COMMIT marker below `end_offset`."""
    if producer_id_at(log, offset) == NO_PRODUCER_ID:
        return True
    ended = marker_behind(log, offset)
    if not is_data(log, offset) or ended == NO_OFFSET or ended >= end_offset:
        return False
    return marker_at(log, ended) == Marker.COMMIT


def is_overtaken_by_commit(log: PartitionLog, producer_id: int, end_offset: int) -> bool:
    """Whether an effective commit below `end_offset` follows the producer's last offset commit."""
    overtaken = False
    for offset in range(end_offset):
        if is_data(log, offset) and producer_id_at(log, offset) == producer_id:
            overtaken = False
        elif is_effective_commit(log, offset, end_offset):
            overtaken = True
    return overtaken


def note_offset(group: Group, bounds: Bounds, offset: int, input_offset: int) -> None:
    """Keep the offset that a record in the offsets partition commits, if a new coordinator may read it."""
    if bounds.group_failovers > 0:
        group.records[offset] = input_offset


def append_offset(
    group: Group, partition: Partition, rules: TransactionRules, bounds: Bounds, input_offset: int
) -> None:
    """Append a record that commits an offset outside transactions; a tombstone has 0. The log must not be full."""
    note_offset(group, bounds, end_of(partition.log), input_offset)
    restart_at(partition.log, end_of(partition.log) + 1)
    maybe_replicate(partition, rules)


def commit_in_transaction(
    group: Group, partition: Partition, rules: TransactionRules, bounds: Bounds, produce: Produce
) -> ProduceError:
    """Append the offset of a TxnOffsetCommit, unless the group has a newer generation (ILLEGAL_GENERATION, KIP-447).

    That refusal stands for others, such as OFFSET_METADATA_TOO_LARGE.
    """
    if rules.offset_commit_names_generation and produce.generation != group.generation:
        if not rules.refused_offset_is_not_pending:
            group.pending[produce.batch.producer_id] = produce.input_offset
        return ProduceError.INVALID_TXN_STATE
    error = append_produce(partition, rules, produce)
    if error == ProduceError.NONE:
        note_offset(group, bounds, end_of(partition.log) - 1, produce.input_offset)
        group.pending[produce.batch.producer_id] = produce.input_offset
    return error


def commit_offset(
    group: Group, partition: Partition, rules: TransactionRules, bounds: Bounds, input_offset: int
) -> bool:
    """Commit an offset outside transactions (OffsetCommit), if the coordinator can; return whether it could."""
    if is_full(partition.log) or is_loading_offsets(group):
        return False
    append_offset(group, partition, rules, bounds, input_offset)
    group.committed = input_offset
    return True


def complete_pending_offset(
    group: Group, rules: TransactionRules, log: PartitionLog, producer_id: int, marker: Marker
) -> None:
    """End a producer's transaction in the offsets partition.

    A coordinator that is loading has no pending offset yet: it will read the marker.
    """
    if not is_loading_offsets(group):
        replay_marker(group, rules, log, end_of(log), producer_id, marker)


def replay_marker(
    offsets: Group | OffsetsLoading,
    rules: TransactionRules,
    log: PartitionLog,
    end_offset: int,
    producer_id: int,
    marker: Marker,
) -> None:
    """Commit or drop a producer's pending offset; it replaces no commit that is later in the log below `end_offset`."""
    is_newest = not rules.offsets_go_by_record or not is_overtaken_by_commit(log, producer_id, end_offset)
    if offsets.pending[producer_id] != NO_INPUT and marker == Marker.COMMIT and is_newest:
        offsets.committed = offsets.pending[producer_id]
    offsets.pending[producer_id] = NO_INPUT


def begin_loading_offsets(group: Group) -> None:
    """Begin the term of a new coordinator, which has nothing in memory."""
    for producer_id in range(len(group.pending)):
        group.pending[producer_id] = NO_INPUT
        group.unfollowed[producer_id] = Marker.NONE
    clear(group.loading)
    runtime.begin_loading(group.loading)


def load_record(group: Group, rules: TransactionRules, log: PartitionLog, offset: int) -> None:
    """Load a record of the log: a committed offset, a pending one, or a marker that ends a producer's transaction."""
    if producer_id_at(log, offset) == NO_PRODUCER_ID:
        group.loading.committed = group.records[offset]
    elif marker_at(log, offset) == Marker.NONE:
        group.loading.pending[producer_id_at(log, offset)] = group.records[offset]
    else:
        replay_marker(group.loading, rules, log, offset, producer_id_at(log, offset), marker_at(log, offset))


def is_cached(group: Group, end_offset: int) -> bool:
    """Whether a record below `end_offset` belongs to the group."""
    return any(group.records[offset] != NO_INPUT for offset in range(end_offset))


def read_record(group: Group, rules: TransactionRules, log: PartitionLog) -> bool:
    """Read the next record of the log, as a new coordinator of the group.

    Who: the group's coordinator.
    When: it is loading, and has not read the whole log, which still receives markers.
    Effect: it knows a committed offset, a pending one, or the outcome of a transaction. Before KAFKA-5600 the group
        entered the cache after the first read that had a record of it, and later records did not change it.
    Source: GroupMetadataManager.doLoadGroupsAndOffsets, loadGroup; KAFKA-5600.
    Left out: several records in one read; a read may end after any record.
    """
    loading = group.loading
    if not is_loading_offsets(group) or runtime.has_loaded(loading, end_of(log)):
        return False
    if rules.offsets_are_loaded_whole or not is_cached(group, loading.next_offset):
        load_record(group, rules, log, loading.next_offset)
    loading.next_offset += 1
    return True


def end_loading(group: Group, rules: TransactionRules, log: PartitionLog) -> bool:
    """Begin to answer, as a new coordinator that has read its whole log.

    Who: the group's coordinator.
    When: it has read the whole log.
    Effect: it has the committed offset and the pending ones.
    Source: GroupMetadataManager.loadGroup, GroupMetadata.initializeOffsets.
    """
    if not is_loading_offsets(group):
        return False
    if rules.loading_ends_at_log_end and not runtime.has_loaded(group.loading, end_of(log)):
        return False
    group.committed = group.loading.committed
    for producer_id, pending in enumerate(group.loading.pending):
        group.pending[producer_id] = pending
    clear(group.loading)
    return True


def expire_offset(group: Group, partition: Partition, rules: TransactionRules, bounds: Bounds) -> bool:
    """Expire the group's offset: append a tombstone, and forget all offsets; return whether this was possible.

    A tombstone also removes a pending offset: the offset is before the tombstone in the log, and only its transaction's
    marker comes after. So nothing may expire while an offset is pending.
    """
    if (rules.expiry_awaits_loading and is_loading_offsets(group)) or is_full(partition.log):
        return False
    if has_pending_offset(group):
        if rules.pending_offset_keeps_group:
            return False
    elif group.committed == 0:
        return False
    append_offset(group, partition, rules, bounds, 0)
    group.committed = 0
    for producer_id in range(len(group.pending)):
        group.pending[producer_id] = NO_INPUT
    return True
