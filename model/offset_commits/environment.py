"""What clients ask of the coordinator, what expires, and what the world does."""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.group_offsets import coordinator as offsets
from kafkacheck.impl.group_offsets import expiry
from kafkacheck.impl.group_offsets.constants import NO_MEMBER_EPOCH, NOT_WRITTEN, OffsetError
from kafkacheck.impl.group_offsets.records import GroupId, GroupMemberEpoch, GroupOffsetsRules, LoggedPosition
from kafkacheck.impl.ids import PartitionId, PartitionSet
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.records import ProducerId
from kafkacheck.model.offset_commits import system
from kafkacheck.model.offset_commits.system import (
    CommittedValue,
    State,
    can_write,
    can_write_in_transaction,
    has_open_transaction,
    prepare,
)


def commit(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: int,
    producer_id: int,
    member_epoch: int,
    named: Ids,
    offset: int,
) -> None:
    """Commit an offset for several partitions, in a transaction if there is a producer, and note how that ended."""
    prepare(state, group_id)
    state.draft.producer_id = producer_id
    error = offsets.commit_offsets(
        state.coordinator, state.partition, rules, state.draft, member_epoch, named, Ids(), offset
    )
    clear(state.last)
    if bounds.max_member_epoch > 0:
        state.last.group_id = group_id
        state.last.error = error
        state.last.is_commit = int(error == OffsetError.NONE)
        state.last.commit = member_epoch
        state.last.is_transactional = int(producer_id != NO_PRODUCER_ID)


def client_commits(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: GroupId,
    named: PartitionSet,
    offset: CommittedValue,
) -> bool:
    """A client that is no member commits an offset for several partitions.

    Who: a client, and the coordinator.
    When: the coordinator serves, and the log has room.
    Effect: as `commit_offsets` says.
    Source: OffsetMetadataManager.commitOffset.
    """
    if not can_write(state, bounds) or named == Ids():
        return False
    commit(state, rules, bounds, group_id, NO_PRODUCER_ID, NO_MEMBER_EPOCH, named, offset)
    return True


def member_commits(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: GroupId,
    member_epoch: GroupMemberEpoch,
    named: PartitionSet,
    offset: CommittedValue,
) -> bool:
    """A consumer commits an offset for several partitions, with any epoch that it may have known.

    Who: a client, and the coordinator.
    When: the coordinator serves, and the log has room.
    Effect: as `commit_offsets` says.
    Source: OffsetMetadataManager.commitOffset.
    """
    if not can_write(state, bounds) or named == Ids():
        return False
    commit(state, rules, bounds, group_id, NO_PRODUCER_ID, member_epoch, named, offset)
    return True


def client_commits_too_much(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: GroupId,
    named: PartitionSet,
    too_large: PartitionSet,
    offset: CommittedValue,
) -> bool:
    """A client commits, and metadata of some partitions is too large.

    Who: a client, and the coordinator.
    When: the coordinator serves, and the log has room.
    Effect: as `commit_offsets` says.
    Source: OffsetMetadataManager.commitOffset.
    """
    if not can_write(state, bounds) or too_large == Ids() or not too_large <= named:
        return False
    prepare(state, group_id)
    offsets.commit_offsets(
        state.coordinator, state.partition, rules, state.draft, NO_MEMBER_EPOCH, named, too_large, offset
    )
    clear(state.last)
    state.last.group_id = group_id
    state.last.refused = too_large
    return True


def producer_commits_offsets(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: GroupId,
    producer_id: ProducerId,
    named: PartitionSet,
    offset: CommittedValue,
) -> bool:
    """A producer commits an offset for several partitions in its transaction, and names no member.

    Who: a client, and the coordinator.
    When: the coordinator serves, and the log has room.
    Effect: as `commit_offsets` says.
    Source: OffsetMetadataManager.commitTransactionalOffset.
    """
    if not can_write_in_transaction(state, bounds, producer_id) or named == Ids():
        return False
    commit(state, rules, bounds, group_id, producer_id, NO_MEMBER_EPOCH, named, offset)
    return True


def member_commits_in_transaction(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: GroupId,
    producer_id: ProducerId,
    member_epoch: GroupMemberEpoch,
    named: PartitionSet,
    offset: CommittedValue,
) -> bool:
    """A producer commits an offset for several partitions in its transaction, for a member of any epoch.

    Who: a client, and the coordinator.
    When: the coordinator serves, and the log has room.
    Effect: as `commit_offsets` says.
    Source: OffsetMetadataManager.commitTransactionalOffset.
    """
    if not can_write_in_transaction(state, bounds, producer_id) or named == Ids():
        return False
    commit(state, rules, bounds, group_id, producer_id, member_epoch, named, offset)
    return True


def transaction_ends(state: State, rules: GroupOffsetsRules, producer_id: ProducerId, commits: bool) -> bool:
    """A transaction that has offsets ends.

    Who: the coordinator of the transaction, and this one.
    When: the coordinator serves, and the transaction is open.
    Effect: as `end_offsets_transaction` says.
    Source: GroupCoordinatorService.completeTransaction.
    """
    if not offsets.can_serve(state.coordinator) or not has_open_transaction(state, producer_id):
        return False
    clear(state.last)
    marker = Marker.COMMIT if commits else Marker.ABORT
    offsets.end_offsets_transaction(state.coordinator, state.partition, rules, state.draft, producer_id, marker)
    return True


def offsets_are_deleted(
    state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId, named: PartitionSet
) -> bool:
    """An admin client deletes offsets.

    Who: the coordinator.
    When: it serves, and the log has room.
    Effect: as `delete_offsets` says.
    Source: OffsetMetadataManager.deleteOffsets.
    """
    if not can_write(state, bounds):
        return False
    prepare(state, group_id)
    if not offsets.delete_offsets(state.coordinator, state.partition, rules, state.draft, named):
        return False
    clear(state.last)
    return True


def topic_is_deleted(
    state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId, partition_id: PartitionId
) -> bool:
    """A topic is deleted, of which a group has the offset.

    Who: the coordinator.
    When: it serves, and the log has room.
    Effect: as `delete_offsets_of_topic` says.
    Source: OffsetMetadataManager.onPartitionsDeleted.
    """
    if not can_write(state, bounds):
        return False
    prepare(state, group_id)
    if not offsets.delete_offsets_of_topic(state.coordinator, state.partition, rules, state.draft, partition_id):
        return False
    clear(state.last)
    return True


def group_is_deleted(state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId) -> bool:
    """An admin client deletes a group.

    Who: the coordinator.
    When: it serves, and the log has room.
    Effect: as `delete_group_with_offsets` says.
    Source: GroupCoordinatorShard.deleteGroups.
    """
    if not can_write(state, bounds):
        return False
    prepare(state, group_id)
    if not offsets.delete_group_with_offsets(state.coordinator, state.partition, rules, state.draft):
        return False
    clear(state.last)
    return True


def offsets_expire(state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId) -> bool:
    """The coordinator removes the offsets of a group whose retention is over.

    Who: the coordinator.
    When: it serves, and the log has room.
    Effect: as `expire_offsets` says.
    Source: GroupCoordinatorShard.cleanupGroupMetadata.
    """
    if not can_write(state, bounds):
        return False
    prepare(state, group_id)
    if not expiry.expire_offsets(state.coordinator, state.partition, rules, state.draft):
        return False
    clear(state.last)
    write = state.partition.log[len(state.partition.log) - 1]
    state.last.group_id = group_id
    for partition_id, each in enumerate(write.offsets):
        if each != NOT_WRITTEN:
            state.last.expired |= {partition_id}
    return True


def retention_passes(state: State, bounds: Bounds) -> bool:
    """The retention passes.

    When: time goes on that far in the model.
    Effect: what was committed before is old.
    Source: `offsets.retention.minutes`.
    """
    if state.now == bounds.max_time:
        return False
    clear(state.last)
    state.now += 1
    return True


def new_leader_knows_less(state: State, known: LoggedPosition) -> bool:
    """The new leader does not know all that is committed to be so.

    Who: the new leader.
    When: it has just begun. A follower learns the high watermark by its next fetch.
    Effect: its high watermark is lower than that of the former leader.
    Source: KIP-279; ReplicaFetcherThread.processPartitionData.
    """
    partition = state.partition
    if state.coordinator.is_loading == 0 or state.coordinator.next_offset > 0 or known >= partition.high_watermark:
        return False
    clear(state.last)
    partition.high_watermark = known
    return True


def log_is_cleaned(state: State, end: LoggedPosition) -> bool:
    """The cleaner removes what is superseded before a position.

    Who: the log cleaner.
    When: all before it is committed, and the markers of its transactions are.
    Effect: of each key only the last record is left.
    Source: LogCleanerManager.cleanableOffsets (the first unstable offset).
    """
    partition = state.partition
    if end <= partition.cleaned_to or end > partition.high_watermark:
        return False
    for position in range(end):
        write = partition.log[position]
        if write.producer_id != NO_PRODUCER_ID and write.marker == Marker.NONE:
            if offsets.ending_of(partition, position, partition.high_watermark) == Marker.NONE:
                return False
    clear(state.last)
    partition.cleaned_to = end
    return True


CHARGES = {
    system.coordinator_moves: "coordinator_moves",
    client_commits_too_much: "refusals",
    log_is_cleaned: "cleanings",
    new_leader_knows_less: "late_high_watermarks",
}
