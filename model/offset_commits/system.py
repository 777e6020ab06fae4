"""The whole system of committed offsets: a partition of the offsets topic, its coordinator, members, and clients."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, Count, If, Struct, clear, copy, remove
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.group_offsets import coordinator as offsets
from kafkacheck.impl.group_offsets.constants import NOT_WRITTEN, OffsetError
from kafkacheck.impl.group_offsets.records import (
    DeposedCoordinator,
    GroupId,
    GroupOffsetsRules,
    LoggedPosition,
    LoggedWrite,
    OffsetGroup,
    OffsetsCoordinator,
    OffsetsPartition,
    OptionalMemberEpoch,
    OptionalPosition,
    OptionalTime,
    StoredOffset,
    Time,
)
from kafkacheck.impl.group_offsets.replay import is_pending
from kafkacheck.impl.ids import PartitionId, PartitionSet
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker

CommittedValue = Annotated[int, Count("offsets", lowest=1)]


class Told(Struct):
    """The newest offset of a partition that a client was told of, by any answer. Only properties read it.

    offset: the offset; `NO_COMMIT` for none.
    position: the write that it is from, or a later one at which it was the same; `NO_OFFSET` before the first answer.
    """

    offset: StoredOffset
    position: OptionalPosition


class Membership(Struct):
    """What the member of a group knows of itself. Only members' steps and properties read it.

    group: the group as the member was told.
    left_at: when it left last; `NO_TIME` if it never did.
    """

    group: OffsetGroup
    left_at: OptionalTime


class HeldFetch(Struct):
    """A fetch of a stable offset that waits until all before it is committed; blank if there is none.

    is_held: whether there is one.
    group_id: the group.
    partition_id: the partition.
    offset: the offset that is the answer.
    position: the end of the log when it came.
    """

    is_held: bool
    group_id: GroupId
    partition_id: PartitionId
    offset: StoredOffset
    position: LoggedPosition


class LastStep(Struct):
    """What the last step was about; blank after a step that is none of these. Only properties read it.

    group_id: the group.
    is_fetch: whether a fetch was answered, or began to be held.
    partition_id: its partition.
    offset: the offset that it tells.
    position: the end of what it knows of the log.
    refused: partitions of a commit that were refused.
    expired: partitions whose offsets have expired.
    error: how a commit ended, in models with members.
    commit: the epoch that a commit names; `NO_MEMBER_EPOCH` if it names none.
    is_commit: whether a commit was accepted; only in models with members.
    is_transactional: whether it was in a transaction.
    """

    group_id: GroupId
    is_fetch: bool
    partition_id: PartitionId
    offset: StoredOffset
    position: LoggedPosition
    refused: PartitionSet
    expired: PartitionSet
    error: OffsetError
    commit: OptionalMemberEpoch
    is_commit: Annotated[int, Count("max_member_epoch")]
    is_transactional: Annotated[int, Count("max_member_epoch")]


class Budget(Struct):
    """How many disturbances are left. Only the environment changes it.

    coordinator_moves: elections.
    refusals: commits with too large metadata.
    cleanings: cleanings of the log.
    late_high_watermarks: new leaders that know less to be committed than the former one.
    """

    coordinator_moves: Annotated[int, Allowance("coordinator_moves")]
    refusals: Annotated[int, Allowance("refusals")]
    cleanings: Annotated[int, Allowance("cleanings")]
    late_high_watermarks: Annotated[int, Allowance("late_high_watermarks")]


class State(Struct):
    """The whole system.

    coordinator: the coordinator.
    partition: the partition of the offsets topic.
    deposed: the coordinator before this one.
    members: by group, what its member knows.
    now: the time; one tick is the retention.
    fetch: the fetch that waits.
    told: by group and partition, what clients were told.
    draft: the write that a step prepares. It is blank in each state.
    last: what the last step was about.
    budget: the disturbances that are left.
    """

    coordinator: OffsetsCoordinator
    partition: OffsetsPartition
    deposed: Annotated[DeposedCoordinator, If("deposed_coordinators")]
    members: Annotated[Array[Membership], ById("groups")]
    now: Time
    fetch: Annotated[HeldFetch, If("fetches")]
    told: Annotated[Array[Annotated[Array[Told], ById("partitions")]], ById("groups")]
    draft: LoggedWrite
    last: LastStep
    budget: Budget


def has_open_transaction(state: State, producer_id: int) -> bool:
    """Whether the log has a write of a producer behind the last marker."""
    is_open = False
    for write in state.partition.log:
        if write.producer_id == producer_id:
            is_open = write.marker == Marker.NONE
    return is_open


def open_transactions(state: State) -> int:
    """How many producers have an open transaction."""
    producers = len(state.coordinator.written.groups[0].pending)
    return sum(1 for producer_id in range(producers) if has_open_transaction(state, producer_id))


def can_write(state: State, bounds: Bounds) -> bool:
    """Whether the coordinator serves, and the log has room, also for the markers of open transactions."""
    return offsets.can_serve(state.coordinator) and room_for_writes(state, bounds) > 0


def room_for_writes(state: State, bounds: Bounds) -> int:
    """For how many writes the log has room beside the markers of open transactions."""
    return bounds.log_writes - len(state.partition.log) - open_transactions(state)


def can_write_in_transaction(state: State, bounds: Bounds, producer_id: int) -> bool:
    """Whether a producer can write, and its marker has room."""
    if not has_open_transaction(state, producer_id) and room_for_writes(state, bounds) == 1:
        return False
    return can_write(state, bounds)


def prepare(state: State, group_id: int) -> None:
    """Prepare a write."""
    state.draft.group_id = group_id
    state.draft.time = state.now


def client_fetches(state: State, group_id: GroupId, partition_id: PartitionId) -> bool:
    """A client fetches a committed offset, without asking for a stable one.

    Who: the coordinator.
    When: it serves.
    Effect: the answer is what it knows to be committed.
    Source: GroupCoordinatorService.fetchOffsets, OffsetMetadataManager.fetchOffsets.
    """
    if not offsets.can_serve(state.coordinator):
        return False
    offset = offsets.fetched_offset(state.coordinator.committed.groups[group_id], partition_id)
    tell_fetch(state, group_id, partition_id, offset, state.coordinator.committed_to)
    note_told(state, group_id, partition_id, offset, state.coordinator.committed_to - 1)
    return True


def tell_fetch(state: State, group_id: int, partition_id: int, offset: int, position: int) -> None:
    """Note what a fetch tells."""
    clear(state.last)
    state.last.group_id = group_id
    state.last.is_fetch = True
    state.last.partition_id = partition_id
    state.last.offset = offset
    state.last.position = position


def note_told(state: State, group_id: int, partition_id: int, offset: int, position: int) -> None:
    """Note that a client was told an offset."""
    told = state.told[group_id][partition_id]
    if position > told.position:
        told.offset = offset
        told.position = position


def client_fetches_stable(state: State, group_id: GroupId, partition_id: PartitionId) -> bool:
    """A client fetches an offset that no transaction may change.

    Who: the coordinator.
    When: it serves, and no such transaction is open; otherwise the client asks again (UNSTABLE_OFFSET_COMMIT).
    Effect: the answer is the newest offset. It waits until all before it is committed.
    Source: GroupCoordinatorService.fetchOffsets (a write without records), KIP-447.
    """
    cached = state.coordinator.written.groups[group_id]
    if not offsets.can_serve(state.coordinator) or state.fetch.is_held or is_pending(cached, partition_id):
        return False
    offset = offsets.fetched_offset(cached, partition_id)
    tell_fetch(state, group_id, partition_id, offset, len(state.partition.log))
    state.fetch.is_held = True
    state.fetch.group_id = group_id
    state.fetch.partition_id = partition_id
    state.fetch.offset = offset
    state.fetch.position = len(state.partition.log)
    return True


def coordinator_answers_fetch(state: State) -> bool:
    """The fetch that waits is answered.

    Who: the coordinator.
    When: all that was written before it is committed.
    Effect: a client has the offset.
    Source: CoordinatorRuntime (DeferredEventQueue).
    """
    fetch = state.fetch
    if not fetch.is_held or state.coordinator.committed_to < fetch.position:
        return False
    clear(state.last)
    note_told(state, fetch.group_id, fetch.partition_id, fetch.offset, fetch.position - 1)
    clear(fetch)
    return True


def record_is_replicated(state: State, rules: GroupOffsetsRules) -> bool:
    """The leader learns that the in-sync replicas have its next write.

    Who: the leader.
    When: they have it.
    Effect: the high watermark is behind the write.
    Source: Partition.maybeIncrementLeaderHW.
    """
    partition = state.partition
    if partition.high_watermark == len(partition.log):
        return False
    clear(state.last)
    offsets.raise_high_watermark(state.coordinator, partition, rules)
    partition.replicated = max(partition.replicated, partition.high_watermark)
    return True


def coordinator_learns_high_watermark(state: State, rules: GroupOffsetsRules) -> bool:
    """The coordinator learns that its next write is committed, and answers who waits for it.

    Who: the coordinator.
    When: as `learn_high_watermark` says.
    Effect: the clients whose writes wait learn that these are committed.
    Source: CoordinatorRuntime.HighWatermarkListener.
    """
    position = state.coordinator.committed_to
    if not offsets.learn_high_watermark(state.coordinator, state.partition, rules):
        return False
    clear(state.last)
    write = state.partition.log[position]
    if write.term != state.partition.leader_epoch or write.marker != Marker.NONE:
        return True
    note_answered(state, write, position)
    if write.has_group:
        copy(state.members[write.group_id].group, write.group)
    return True


def note_answered(state: State, write: LoggedWrite, position: int) -> None:
    """Note that the clients of a write are told that it is committed."""
    if write.producer_id == NO_PRODUCER_ID and write.marker == Marker.NONE:
        for partition_id, offset in enumerate(write.offsets):
            if offset != NOT_WRITTEN:
                note_told(state, write.group_id, partition_id, offset, position)


def deposed_coordinator_ends_write(state: State, rules: GroupOffsetsRules) -> bool:
    """A deposed coordinator answers a write that was lost: with an error, when it is unloaded.

    Who: the deposed coordinator.
    When: it has such a write.
    Effect: the client knows that the write may be lost. If the coordinator takes it for committed, so does the client.
    Source: CoordinatorRuntime.scheduleUnloadOperation; KAFKA-20634.
    """
    if not state.deposed.is_waiting:
        return False
    clear(state.last)
    if offsets.answers_lost_write(state.deposed, state.partition, rules):
        note_answered(state, state.deposed.write, state.deposed.position)
    clear(state.deposed)
    return True


def coordinator_moves(state: State, bounds: Bounds, kept: LoggedPosition) -> bool:
    """Another replica becomes the leader, and so the coordinator.

    Who: the controller.
    When: at any time.
    Effect: it has all writes that are committed, and perhaps others.
    Source: CoordinatorRuntime.scheduleLoadOperation; KIP-279.
    """
    partition = state.partition
    if kept < partition.replicated or kept > len(partition.log):
        return False
    clear(state.last)
    clear(state.fetch)
    if bounds.deposed_coordinators > 0:
        offsets.depose_coordinator(state.deposed, partition, kept)
    for _ in range(len(partition.log) - kept):
        remove(partition.log, len(partition.log) - 1)
    partition.high_watermark = partition.replicated
    partition.leader_epoch += 1
    offsets.begin_term_of_offsets(state.coordinator)
    return True


def coordinator_reads_write(state: State, rules: GroupOffsetsRules) -> bool:
    """A new coordinator reads the next write."""
    if not offsets.read_write_of_offsets(state.coordinator, state.partition, rules, state.draft):
        return False
    clear(state.last)
    return True


def coordinator_ends_loading(state: State, rules: GroupOffsetsRules) -> bool:
    """A new coordinator has read its log."""
    if not offsets.end_loading_offsets(state.coordinator, state.partition, rules):
        return False
    clear(state.last)
    return True
