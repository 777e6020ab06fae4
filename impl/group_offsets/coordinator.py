"""The coordinator of the offsets of several groups: requests, writes, answers, and how it loads its log.

Part of Kafka modelled: `OffsetMetadataManager` (`commitOffset`, `commitTransactionalOffset`, `fetchOffsets`,
`deleteOffsets`, `deleteAllOffsets`, `onPartitionsDeleted`), `CoordinatorRuntime`, `CoordinatorLoaderImpl`; for the
switches of before 4.0 `GroupMetadata` and `GroupMetadataManager` in Scala.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-447, KIP-496.
Left out, and why that is sound: the time between a step of the coordinator and its append, because a write that fails
is taken back before anything depends on it; several coordinators at once: no answer of a deposed one to a write counts,
and its answers to plain fetches are **not covered**.
"""

from kafkacheck.checker.schema import Ids, add, clear, copy
from kafkacheck.impl.coordinator.runtime import begin_loading, has_loaded, is_loading
from kafkacheck.impl.group_offsets.constants import NO_COMMIT, NOT_WRITTEN, OffsetError, OffsetGroupType
from kafkacheck.impl.group_offsets.records import (
    CachedGroup,
    DeposedCoordinator,
    GroupOffsetsRules,
    LoggedWrite,
    OffsetsCoordinator,
    OffsetsPartition,
)
from kafkacheck.impl.group_offsets.replay import is_pending, replay_write
from kafkacheck.impl.group_offsets.validation import validate_commit
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker


def has_records(draft: LoggedWrite) -> bool:
    """Whether a write that is prepared has a record."""
    return draft.has_group or any(each != NOT_WRITTEN for each in draft.offsets)


def append_offsets_write(
    coordinator: OffsetsCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules, draft: LoggedWrite
) -> None:
    """Append a write that is prepared to the log, which has room, and take it into memory.

    Source: CoordinatorRuntime.CoordinatorContext.append.
    """
    draft.term = partition.leader_epoch
    add(partition.log, draft)
    replay_write(coordinator.written, rules, draft, len(partition.log) - 1)
    clear(draft)


def write_commits(
    cached: CachedGroup, rules: GroupOffsetsRules, draft: LoggedWrite, named: Ids, too_large: Ids, offset: int
) -> None:
    """Prepare records for the partitions that are named, without those whose metadata is too large.

    Source: OffsetMetadataManager.commitOffset; GroupMetadataManager.storeOffsets before.
    """
    for partition_id in named:
        if partition_id not in too_large:
            draft.offsets[partition_id] = offset
        elif draft.producer_id == NO_PRODUCER_ID and not rules.refused_commit_is_not_pending:
            cached.being_written |= {partition_id}


def know_group(cached: CachedGroup) -> None:
    """Have a group without a protocol, if there is none, even if all partitions of the commit are refused.

    Source: OffsetMetadataManager.validateOffsetCommit (getOrMaybeCreateClassicGroup).
    """
    if cached.group.type == OffsetGroupType.NONE:
        cached.group.type = OffsetGroupType.SIMPLE


def commit_offsets(
    coordinator: OffsetsCoordinator,
    partition: OffsetsPartition,
    rules: GroupOffsetsRules,
    draft: LoggedWrite,
    member_epoch: int,
    named: Ids,
    too_large: Ids,
    offset: int,
) -> OffsetError:
    """Commit an offset for several partitions, in a transaction if the draft names a producer.

    Who: the coordinator.
    When: it serves, and the log has room. The draft has the group, the producer and the time.
    Effect: if the group accepts it, the commit is written; it is answered when it is committed.
    Source: OffsetMetadataManager.commitOffset, commitTransactionalOffset.
    """
    cached = coordinator.written.groups[draft.group_id]
    error = validate_commit(cached.group, rules, member_epoch, draft.producer_id != NO_PRODUCER_ID)
    if error == OffsetError.NONE:
        know_group(cached)
        write_commits(cached, rules, draft, named, too_large, offset)
    if has_records(draft):
        append_offsets_write(coordinator, partition, rules, draft)
    else:
        clear(draft)
    return error


def end_offsets_transaction(
    coordinator: OffsetsCoordinator,
    partition: OffsetsPartition,
    rules: GroupOffsetsRules,
    draft: LoggedWrite,
    producer_id: int,
    marker: Marker,
) -> None:
    """Write the marker of a transaction.

    Who: the coordinator.
    When: the coordinator of the transaction asks for it.
    Effect: what is pending in the transaction is committed, or dropped.
    Source: GroupCoordinatorService.completeTransaction.
    """
    draft.producer_id = producer_id
    draft.marker = marker
    append_offsets_write(coordinator, partition, rules, draft)


def write_tombstone(cached: CachedGroup, draft: LoggedWrite, partition_id: int) -> None:
    """Prepare the tombstone of an offset, if one is committed or pending."""
    if cached.offsets[partition_id].offset != NO_COMMIT or is_pending(cached, partition_id):
        draft.offsets[partition_id] = NO_COMMIT


def knows_subscription(cached: CachedGroup, partition_id: int) -> bool:
    """Whether the group knows that its member subscribes to a topic.

    Source: ClassicGroup.isSubscribedToTopic, ConsumerGroup.isSubscribedToTopic.
    """
    return partition_id in cached.group.subscribed


def delete_offsets(
    coordinator: OffsetsCoordinator,
    partition: OffsetsPartition,
    rules: GroupOffsetsRules,
    draft: LoggedWrite,
    named: Ids,
) -> bool:
    """Delete offsets of topics to which the group does not subscribe.

    Who: the coordinator, which an admin client asks.
    When: there is such a group.
    Effect: they are gone, and what transactions would make of them. False if there is nothing to write.
    Source: OffsetMetadataManager.deleteOffsets; KIP-496.
    """
    cached = coordinator.written.groups[draft.group_id]
    for partition_id in named:
        if not knows_subscription(cached, partition_id):
            write_tombstone(cached, draft, partition_id)
    return append_if_any(coordinator, partition, rules, draft)


def append_if_any(
    coordinator: OffsetsCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules, draft: LoggedWrite
) -> bool:
    """Append the write that is prepared, if it has a record; whether it has."""
    if not has_records(draft):
        clear(draft)
        return False
    append_offsets_write(coordinator, partition, rules, draft)
    return True


def delete_offsets_of_topic(
    coordinator: OffsetsCoordinator,
    partition: OffsetsPartition,
    rules: GroupOffsetsRules,
    draft: LoggedWrite,
    partition_id: int,
) -> bool:
    """Delete the offset of a topic that is deleted, also if the group subscribes to it.

    Who: the coordinator, which hears of the deletion.
    When: the offset is committed or pending.
    Effect: it is gone.
    Source: OffsetMetadataManager.onPartitionsDeleted.
    Left out: Kafka has one write for all groups; here each group has its own.
    """
    write_tombstone(coordinator.written.groups[draft.group_id], draft, partition_id)
    return append_if_any(coordinator, partition, rules, draft)


def delete_group_with_offsets(
    coordinator: OffsetsCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules, draft: LoggedWrite
) -> bool:
    """Delete a group without members, with its offsets.

    Who: the coordinator, which an admin client asks.
    When: the group is there, and has no member.
    Effect: group and offsets are gone, and what transactions would make of them.
    Source: GroupCoordinatorShard.deleteGroups, OffsetMetadataManager.deleteAllOffsets.
    """
    cached = coordinator.written.groups[draft.group_id]
    if cached.group.type == OffsetGroupType.NONE or cached.group.has_member:
        clear(draft)
        return False
    for partition_id in range(len(draft.offsets)):
        write_tombstone(cached, draft, partition_id)
    draft.has_group = True
    append_offsets_write(coordinator, partition, rules, draft)
    return True


def fetched_offset(cached: CachedGroup, partition_id: int) -> int:
    """The offset that a fetch returns: that of the group, if there is one.

    Source: OffsetMetadataManager.fetchOffsets, validateOffsetFetch.
    """
    if cached.group.type == OffsetGroupType.NONE:
        return NO_COMMIT
    return cached.offsets[partition_id].offset


def can_serve(coordinator: OffsetsCoordinator) -> bool:
    """Whether the coordinator has read its log."""
    return not is_loading(coordinator)


def raise_high_watermark(
    coordinator: OffsetsCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules
) -> None:
    """Raise the high watermark by a write. A coordinator that serves hears of that.

    Source: CoordinatorContext.transitionTo (it registers `HighWatermarkListener` when it has loaded).
    """
    partition.high_watermark += 1
    if can_serve(coordinator) or rules.loading_coordinator_hears_high_watermark:
        coordinator.high_watermark = partition.high_watermark


def learn_high_watermark(
    coordinator: OffsetsCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules
) -> bool:
    """Learn that the next write is committed, and so answer those who wait for it.

    Who: the coordinator.
    When: it has the write in memory, and has heard of a high watermark beyond it.
    Effect: what a plain fetch returns has the write.
    Source: CoordinatorRuntime.HighWatermarkListener; CoordinatorContext.updateLastCommittedOffset.
    """
    if coordinator.committed_to >= coordinator.high_watermark:
        return False
    if is_loading(coordinator) and coordinator.committed_to >= coordinator.next_offset:
        return False
    position = coordinator.committed_to
    replay_write(coordinator.committed, rules, partition.log[position], position)
    coordinator.committed_to = position + 1
    return True


def depose_coordinator(deposed: DeposedCoordinator, partition: OffsetsPartition, kept: int) -> None:
    """Keep the first write of the coordinator of now that the next leader lacks, and that clients wait for."""
    clear(deposed)
    if kept < len(partition.log) and partition.log[kept].term == partition.leader_epoch:
        deposed.is_waiting = True
        deposed.position = kept
        copy(deposed.write, partition.log[kept])


def answers_lost_write(deposed: DeposedCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules) -> bool:
    """Whether a deposed coordinator takes a write for committed: the high watermark has got beyond its position.

    Source: CoordinatorPartitionWriter.ListenerAdapter; KAFKA-20634.
    """
    return partition.high_watermark > deposed.position and not rules.deposed_coordinator_hears_nothing


def begin_term_of_offsets(coordinator: OffsetsCoordinator) -> None:
    """Begin to read the log as a new coordinator, which knows nothing.

    Source: CoordinatorRuntime.scheduleLoadOperation.
    """
    clear(coordinator)
    begin_loading(coordinator)


def is_kept(partition: OffsetsPartition, position: int, partition_id: int) -> bool:
    """Whether the cleaner has left the record of a partition in a write.

    A later record of the key before `cleaned_to` removes it. Those are of transactions that have ended: the cleaner
    stays below the first open one.
    """
    group_id = partition.log[position].group_id
    for later in range(position + 1, partition.cleaned_to):
        write = partition.log[later]
        if write.marker == Marker.NONE and write.group_id == group_id and write.offsets[partition_id] != NOT_WRITTEN:
            if not is_aborted_write(partition, later):
                return False
    return True


def ending_of(partition: OffsetsPartition, position: int, end: int) -> Marker:
    """How the transaction ended in which a write is, by what is below `end`; `NONE` if it is open."""
    producer_id = partition.log[position].producer_id
    for later in range(position + 1, end):
        if partition.log[later].producer_id == producer_id and partition.log[later].marker != Marker.NONE:
            return partition.log[later].marker
    return Marker.NONE


def is_aborted_write(partition: OffsetsPartition, position: int) -> bool:
    """Whether a write is in a transaction that was aborted."""
    if partition.log[position].producer_id == NO_PRODUCER_ID:
        return False
    return ending_of(partition, position, len(partition.log)) == Marker.ABORT


def read_write_of_offsets(
    coordinator: OffsetsCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules, draft: LoggedWrite
) -> bool:
    """Read the next write, of which the cleaner may have removed records.

    Who: a new coordinator.
    When: it is loading.
    Effect: it knows what the write says, and the high watermark of now.
    Source: CoordinatorLoaderImpl.
    """
    position = coordinator.next_offset
    if not is_loading(coordinator) or has_loaded(coordinator, len(partition.log)):
        return False
    copy(draft, partition.log[position])
    for partition_id in range(len(draft.offsets)):
        if not is_kept(partition, position, partition_id):
            draft.offsets[partition_id] = NOT_WRITTEN
    replay_write(coordinator.written, rules, draft, position)
    clear(draft)
    coordinator.next_offset = position + 1
    coordinator.high_watermark = partition.high_watermark
    return True


def end_loading_offsets(coordinator: OffsetsCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules) -> bool:
    """Begin to serve.

    Who: a new coordinator.
    When: it has read the whole log.
    Effect: it answers requests.
    Source: CoordinatorRuntime.CoordinatorContext.transitionTo.
    """
    if not is_loading(coordinator) or not has_loaded(coordinator, len(partition.log)):
        return False
    if coordinator.committed_to < coordinator.high_watermark:
        return False
    if rules.new_coordinator_awaits_high_watermark and coordinator.committed_to < len(partition.log):
        return False
    coordinator.is_loading = 0
    coordinator.next_offset = 0
    return True
