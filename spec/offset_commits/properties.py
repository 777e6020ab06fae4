"""Clients learn of committed offsets what they knew before, or newer ones; and memory is what the log says.

Part of Kafka judged: `impl/group_offsets`, by the log and by what clients were told.
Source: KIP-98, KIP-447, KIP-496; the issues named at each property.
Left out, and why that is sound: answers of a deposed coordinator to plain fetches.
"""

from kafkacheck.impl.group_offsets.constants import NO_COMMIT, NOT_WRITTEN, OffsetGroupType
from kafkacheck.impl.group_offsets.records import OffsetsCache, OffsetsPartition
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.model.offset_commits.system import State


def has_record(partition: OffsetsPartition, position: int, group_id: int, partition_id: int) -> bool:
    """Whether a write has a record of a group's partition."""
    write = partition.log[position]
    if write.marker != Marker.NONE or write.group_id != group_id:
        return False
    return write.offsets[partition_id] != NOT_WRITTEN


def is_deleted_between(partition: OffsetsPartition, first: int, end: int, group_id: int, partition_id: int) -> bool:
    """Whether a tombstone of the offset is in a range of the log."""
    return any(
        has_record(partition, position, group_id, partition_id)
        and partition.log[position].offsets[partition_id] == NO_COMMIT
        for position in range(first, end)
    )


def end_of_transaction(partition: OffsetsPartition, position: int, end: int) -> int:
    """The position of the marker of a write's transaction, below `end`; `NO_OFFSET` if there is none."""
    found = NO_OFFSET
    for later in range(position + 1, end):
        write = partition.log[later]
        if found == NO_OFFSET and write.marker != Marker.NONE:
            if write.producer_id == partition.log[position].producer_id:
                found = later
    return found


def counts_in_log(partition: OffsetsPartition, position: int, end: int, group_id: int, partition_id: int) -> bool:
    """Whether a write, of which there is a record, decides about the offset by what is below `end`."""
    if partition.log[position].producer_id == NO_PRODUCER_ID:
        return True
    marker = end_of_transaction(partition, position, end)
    if marker == NO_OFFSET or partition.log[marker].marker == Marker.ABORT:
        return False
    return not is_deleted_between(partition, position, marker, group_id, partition_id)


def offset_in_log(partition: OffsetsPartition, end: int, group_id: int, partition_id: int) -> int:
    """The offset that the log says is committed, by what is below `end`."""
    found = NO_COMMIT
    for position in range(end):
        if has_record(partition, position, group_id, partition_id):
            if counts_in_log(partition, position, end, group_id, partition_id):
                found = partition.log[position].offsets[partition_id]
    return found


def pending_in_log(partition: OffsetsPartition, producer_id: int, group_id: int, partition_id: int) -> int:
    """The offset that the log has in a producer's open transaction."""
    end = len(partition.log)
    found = NO_COMMIT
    for position in range(end):
        if has_record(partition, position, group_id, partition_id):
            if partition.log[position].producer_id == producer_id:
                if end_of_transaction(partition, position, end) == NO_OFFSET:
                    found = partition.log[position].offsets[partition_id]
            elif partition.log[position].offsets[partition_id] == NO_COMMIT:
                found = NO_COMMIT
        elif partition.log[position].producer_id == producer_id and partition.log[position].marker != Marker.NONE:
            found = NO_COMMIT
    return found


def cache_matches(partition: OffsetsPartition, cache: OffsetsCache, end: int) -> bool:
    """Whether the committed offsets in memory are those of the log below `end`."""
    return all(
        stored.offset == offset_in_log(partition, end, group_id, partition_id)
        for group_id, cached in enumerate(cache.groups)
        for partition_id, stored in enumerate(cached.offsets)
    )


def offsets_match_log(state: State) -> bool:
    """A coordinator that serves has in memory what the log says; and so it is with what it knows to be committed.

    Lost to users: records are processed again, or not at all.
    Source: OffsetMetadataManager.replay, KAFKA-5247.
    """
    if state.coordinator.is_loading > 0:
        return True
    partition = state.partition
    return cache_matches(partition, state.coordinator.written, len(partition.log)) and cache_matches(
        partition, state.coordinator.committed, state.coordinator.committed_to
    )


def pending_offsets_match_log(state: State) -> bool:
    """A coordinator that serves has pending what the log has in open transactions.

    Lost to users: a consumer waits for ever for a stable offset, or gets one that is not stable.
    Source: OffsetMetadataManager.replay, KIP-447, KAFKA-14505.
    """
    if state.coordinator.is_loading > 0:
        return True
    return all(
        stored.offset == pending_in_log(state.partition, producer_id, group_id, partition_id)
        for group_id, cached in enumerate(state.coordinator.written.groups)
        for producer_id, pending in enumerate(cached.pending)
        for partition_id, stored in enumerate(pending.offsets)
    )


def told_offsets_survive(state: State) -> bool:
    """What a client was told is in the log: a commit that was answered, a deletion, the answer to a fetch.

    Lost to users: records are processed again, or not at all.
    Source: KIP-98; GroupCoordinatorService.commitOffsets.
    """
    return all(
        told.position == NO_OFFSET
        or (
            told.position < len(state.partition.log)
            and offset_in_log(state.partition, told.position + 1, group_id, partition_id) == told.offset
        )
        for group_id, by_partition in enumerate(state.told)
        for partition_id, told in enumerate(by_partition)
    )


def fetches_tell_the_log(state: State) -> bool:
    """A fetch tells the offset that the log has there.

    Lost to users: records are processed again, or not at all.
    Source: OffsetMetadataManager.fetchOffsets.
    """
    last = state.last
    if not last.is_fetch:
        return True
    return last.offset == offset_in_log(state.partition, last.position, last.group_id, last.partition_id)


def waiting_offsets_are_pending(state: State) -> bool:
    """A group waits for a transaction only if an offset of it is pending in the transaction.

    Lost if it fails: the group is never deleted, and its id never free.
    Source: KAFKA-19164.
    """
    return all(
        not pending.is_open or any(stored.offset != NO_COMMIT for stored in pending.offsets)
        for cached in state.coordinator.written.groups
        for pending in cached.pending
    )


def offsets_have_a_group(state: State) -> bool:
    """An offset that is committed or pending is of a group that the coordinator has.

    Lost to users: no fetch returns the offset, and it never expires.
    Source: KAFKA-19163; OffsetMetadataManager.validateOffsetFetch, GroupCoordinatorShard.cleanupGroupMetadata.
    """
    return all(
        cached.group.type != OffsetGroupType.NONE
        or not (
            any(stored.offset != NO_COMMIT for stored in cached.offsets)
            or any(stored.offset != NO_COMMIT for pending in cached.pending for stored in pending.offsets)
        )
        for cached in state.coordinator.written.groups
    )


def is_asked_for_offset(state: State) -> bool:
    """A fetch of a stable offset waits."""
    return state.fetch.is_held


def has_answered_fetches(state: State) -> bool:
    """No fetch waits."""
    return not state.fetch.is_held


def offset_is_pending(state: State) -> bool:
    """An offset is pending in a transaction, so that no stable offset can be fetched."""
    return any(pending.is_open for cached in state.coordinator.written.groups for pending in cached.pending)


def no_offset_is_pending(state: State) -> bool:
    """No offset is pending."""
    return not offset_is_pending(state)


def two_groups_have_offsets(state: State) -> bool:
    """Both groups have a committed offset that a client was told of."""
    return all(any(told.offset != NO_COMMIT for told in by_partition) for by_partition in state.told)


def plain_commit_overtakes(state: State) -> bool:
    """An offset is committed that is later in the log than one of a transaction that is open."""
    return any(
        pending.offsets[partition_id].offset != NO_COMMIT and stored.position > pending.offsets[partition_id].position
        for cached in state.coordinator.written.groups
        for pending in cached.pending
        for partition_id, stored in enumerate(cached.offsets)
    )


def offset_is_expired(state: State) -> bool:
    """An offset has expired in the last step."""
    return len(state.last.expired) > 0
