"""What a write changes in memory, when it is appended and when it is read.

Part of Kafka modelled: `OffsetMetadataManager` (`replay`, `replayEndTransactionMarker`), `GroupMetadataManager.replay`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KAFKA-5247, KAFKA-14505, KAFKA-19164.
Left out, and why that is sound: which records a group's own state has, which `impl/consumer_group/loading.py` has.
"""

from kafkacheck.checker.schema import clear, copy
from kafkacheck.impl.group_offsets.constants import NO_COMMIT, NOT_WRITTEN, OffsetGroupType
from kafkacheck.impl.group_offsets.records import (
    CachedGroup,
    GroupOffsetsRules,
    LoggedWrite,
    OffsetsCache,
    PendingOffsets,
    StoredCommit,
)
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker


def has_pending(pending: PendingOffsets) -> bool:
    """Whether an offset is pending in a producer's transaction."""
    return any(each.offset != NO_COMMIT for each in pending.offsets)


def is_pending(cached: CachedGroup, partition_id: int) -> bool:
    """Whether a transaction that is open may change the offset of a partition.

    Source: OffsetMetadataManager.hasPendingTransactionalOffsets.
    """
    return any(pending.offsets[partition_id].offset != NO_COMMIT for pending in cached.pending)


def awaits_transaction(cached: CachedGroup) -> bool:
    """Whether the group waits for a transaction to end."""
    return any(pending.is_open for pending in cached.pending)


def replay_value_of(stored: StoredCommit, write: LoggedWrite, position: int, partition_id: int) -> None:
    """Take an offset from a write."""
    stored.offset = write.offsets[partition_id]
    stored.position = position
    stored.time = write.time


def replay_offset_tombstone(cached: CachedGroup, rules: GroupOffsetsRules, partition_id: int) -> None:
    """Forget an offset, and what transactions may make of it.

    Source: OffsetMetadataManager.replay.
    """
    clear(cached.offsets[partition_id])
    for pending in cached.pending:
        clear(pending.offsets[partition_id])
        if rules.tombstone_ends_pending and not has_pending(pending):
            pending.is_open = False


def replay_offset(
    cached: CachedGroup, rules: GroupOffsetsRules, write: LoggedWrite, position: int, partition_id: int
) -> None:
    """Take what a write says of a partition: a commit, one in a transaction, or a tombstone.

    Source: OffsetMetadataManager.replay.
    """
    if write.offsets[partition_id] == NOT_WRITTEN:
        return
    if write.offsets[partition_id] == NO_COMMIT:
        replay_offset_tombstone(cached, rules, partition_id)
        return
    if cached.group.type == OffsetGroupType.NONE:
        cached.group.type = OffsetGroupType.SIMPLE
    if write.producer_id == NO_PRODUCER_ID:
        replay_value_of(cached.offsets[partition_id], write, position, partition_id)
    else:
        pending = cached.pending[write.producer_id]
        pending.is_open = True
        replay_value_of(pending.offsets[partition_id], write, position, partition_id)


def end_transaction_of(cached: CachedGroup, rules: GroupOffsetsRules, producer_id: int, marker: Marker) -> None:
    """Commit or drop what is pending in a producer's transaction; it replaces no commit that is later in the log.

    Source: OffsetMetadataManager.replayEndTransactionMarker.
    """
    pending = cached.pending[producer_id]
    if rules.tombstone_ends_pending or has_pending(pending):
        pending.is_open = False
    for partition_id, each in enumerate(pending.offsets):
        if each.offset != NO_COMMIT and marker == Marker.COMMIT:
            stored = cached.offsets[partition_id]
            if each.position > stored.position:
                copy(stored, each)
        clear(each)


def replay_write(cache: OffsetsCache, rules: GroupOffsetsRules, write: LoggedWrite, position: int) -> None:
    """Take a write: the marker of a transaction, or records of a group and of its offsets.

    Source: OffsetMetadataManager.replay, replayEndTransactionMarker; GroupMetadataManager.replay.
    """
    if write.marker != Marker.NONE:
        for cached in cache.groups:
            end_transaction_of(cached, rules, write.producer_id, write.marker)
        return
    cached = cache.groups[write.group_id]
    for partition_id in range(len(write.offsets)):
        replay_offset(cached, rules, write, position, partition_id)
    if write.has_group:
        copy(cached.group, write.group)
