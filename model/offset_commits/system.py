"""The whole system of committed offsets: a partition of the offsets topic, its coordinator, members, and clients."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, Count, Ids, If, Struct, clear, copy, remove
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.group_offsets import coordinator as offsets
from kafkacheck.impl.group_offsets import expiry
from kafkacheck.impl.group_offsets.constants import NO_MEMBER_EPOCH, NO_TIME, NOT_WRITTEN, OffsetError, OffsetGroupType
from kafkacheck.impl.group_offsets.records import (
    DeposedCoordinator,
    GroupId,
    GroupMemberEpoch,
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
from kafkacheck.impl.log.records import ProducerId

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
    room = bounds.log_writes - len(state.partition.log) - open_transactions(state)
    return offsets.can_serve(state.coordinator) and room > 0


def can_write_in_transaction(state: State, bounds: Bounds, producer_id: int) -> bool:
    """Whether a producer can write, and its marker has room."""
    room = bounds.log_writes - len(state.partition.log) - open_transactions(state)
    if not has_open_transaction(state, producer_id):
        room -= 1
    return offsets.can_serve(state.coordinator) and room > 0


def prepare(state: State, group_id: int) -> None:
    """Prepare a write."""
    state.draft.group_id = group_id
    state.draft.time = state.now


def client_commits(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: GroupId,
    named: PartitionSet,
    offset: CommittedValue,
) -> bool:
    """A client that is no member commits an offset for several partitions."""
    if not can_write(state, bounds) or named == Ids():
        return False
    prepare(state, group_id)
    error = offsets.commit_offsets(
        state.coordinator, state.partition, rules, state.draft, NO_MEMBER_EPOCH, named, Ids(), offset
    )
    note_commit(state, bounds, group_id, error, NO_MEMBER_EPOCH, False)
    return True


def note_commit(
    state: State, bounds: Bounds, group_id: int, error: OffsetError, member_epoch: int, is_transactional: bool
) -> None:
    """Note how a commit ended."""
    clear(state.last)
    if bounds.max_member_epoch > 0:
        state.last.group_id = group_id
        state.last.error = error
        state.last.is_commit = int(error == OffsetError.NONE)
        state.last.commit = member_epoch
        state.last.is_transactional = int(is_transactional)


def member_commits(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: GroupId,
    member_epoch: GroupMemberEpoch,
    named: PartitionSet,
    offset: CommittedValue,
) -> bool:
    """A consumer commits an offset for several partitions, with any epoch that it may have known."""
    if not can_write(state, bounds) or named == Ids():
        return False
    prepare(state, group_id)
    error = offsets.commit_offsets(
        state.coordinator, state.partition, rules, state.draft, member_epoch, named, Ids(), offset
    )
    note_commit(state, bounds, group_id, error, member_epoch, False)
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
    """A client commits, and metadata of some partitions is too large."""
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
    """A producer commits an offset for several partitions in its transaction, and names no member."""
    if not can_write_in_transaction(state, bounds, producer_id) or named == Ids():
        return False
    prepare(state, group_id)
    state.draft.producer_id = producer_id
    error = offsets.commit_offsets(
        state.coordinator, state.partition, rules, state.draft, NO_MEMBER_EPOCH, named, Ids(), offset
    )
    note_commit(state, bounds, group_id, error, NO_MEMBER_EPOCH, True)
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
    """A producer commits an offset for several partitions in its transaction, for a member of any epoch."""
    if not can_write_in_transaction(state, bounds, producer_id) or named == Ids():
        return False
    prepare(state, group_id)
    state.draft.producer_id = producer_id
    error = offsets.commit_offsets(
        state.coordinator, state.partition, rules, state.draft, member_epoch, named, Ids(), offset
    )
    note_commit(state, bounds, group_id, error, member_epoch, True)
    return True


def transaction_ends(state: State, rules: GroupOffsetsRules, producer_id: ProducerId, commits: bool) -> bool:
    """A transaction that has offsets ends."""
    if not offsets.can_serve(state.coordinator) or not has_open_transaction(state, producer_id):
        return False
    clear(state.last)
    marker = Marker.COMMIT if commits else Marker.ABORT
    offsets.end_offsets_transaction(state.coordinator, state.partition, rules, state.draft, producer_id, marker)
    return True


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


def offsets_are_deleted(
    state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId, named: PartitionSet
) -> bool:
    """An admin client deletes offsets."""
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
    """A topic is deleted, of which a group has the offset."""
    if not can_write(state, bounds):
        return False
    prepare(state, group_id)
    if not offsets.delete_offsets_of_topic(state.coordinator, state.partition, rules, state.draft, partition_id):
        return False
    clear(state.last)
    return True


def group_is_deleted(state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId) -> bool:
    """An admin client deletes a group."""
    if not can_write(state, bounds):
        return False
    prepare(state, group_id)
    if not offsets.delete_group_with_offsets(state.coordinator, state.partition, rules, state.draft):
        return False
    clear(state.last)
    return True


def offsets_expire(state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId) -> bool:
    """The coordinator removes the offsets of a group whose retention is over."""
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
    """The coordinator learns that its next write is committed, and answers who waits for it."""
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


def knows_its_group(state: State, group_id: int) -> bool:
    """Whether the member was told all that the coordinator has written of it."""
    return state.members[group_id].group == state.coordinator.written.groups[group_id].group


def prepare_group(state: State, group_id: int) -> None:
    """Prepare a write of a group, which is to change."""
    clear(state.last)
    prepare(state, group_id)
    state.draft.has_group = True
    copy(state.draft.group, state.coordinator.written.groups[group_id].group)


def member_joins(
    state: State,
    rules: GroupOffsetsRules,
    bounds: Bounds,
    group_id: GroupId,
    is_classic: bool,
    subscribed: PartitionSet,
) -> bool:
    """The member of a group joins.

    Who: the coordinator.
    When: the group has no member, and no other protocol with another member before.
    Effect: it has, with the next epoch. The member knows when it is told.
    Source: GroupMetadataManager.consumerGroupHeartbeat, classicGroupJoin and classicGroupSync.
    """
    group = state.coordinator.written.groups[group_id].group
    if not can_write(state, bounds) or group.has_member or group.epoch == bounds.max_member_epoch:
        return False
    wished = OffsetGroupType.CLASSIC if is_classic else OffsetGroupType.CONSUMER
    if group.type == OffsetGroupType.CLASSIC and not is_classic:
        return False
    if group.type == OffsetGroupType.CONSUMER and is_classic:
        return False
    prepare_group(state, group_id)
    joined = state.draft.group
    joined.type = wished
    joined.has_member = True
    joined.epoch += 1
    joined.owned_since = joined.epoch
    joined.subscribed = subscribed
    joined.wanted = subscribed
    joined.empty_since = NO_TIME
    offsets.append_write(state.coordinator, state.partition, rules, state.draft)
    return True


def member_subscribes(
    state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId, subscribed: PartitionSet
) -> bool:
    """The member subscribes to other topics.

    Who: the coordinator.
    When: it has a member, which knows its group.
    Effect: a group of the new protocol has the subscription at once, a classic one when its rebalance ends.
    Source: GroupMetadataManager.consumerGroupHeartbeat, classicGroupJoin.
    """
    group = state.coordinator.written.groups[group_id].group
    if not can_write(state, bounds) or not group.has_member or not knows_its_group(state, group_id):
        return False
    if group.is_rebalancing or subscribed == group.wanted or group.epoch == bounds.max_member_epoch:
        return False
    prepare_group(state, group_id)
    state.draft.group.wanted = subscribed
    if group.type == OffsetGroupType.CLASSIC:
        state.draft.group.is_rebalancing = True
    else:
        state.draft.group.epoch += 1
        state.draft.group.subscribed = subscribed
    member = state.members[group_id].group
    member.wanted = member.wanted & subscribed
    offsets.append_write(state.coordinator, state.partition, rules, state.draft)
    return True


def rebalance_ends(state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId) -> bool:
    """The rebalance of a classic group ends.

    Who: the coordinator.
    When: it goes on.
    Effect: the group has the next generation, and its member's subscription.
    Source: ClassicGroup.initNextGeneration.
    """
    group = state.coordinator.written.groups[group_id].group
    if not can_write(state, bounds) or not group.is_rebalancing or group.epoch == bounds.max_member_epoch:
        return False
    prepare_group(state, group_id)
    state.draft.group.is_rebalancing = False
    state.draft.group.epoch += 1
    state.draft.group.owned_since = state.draft.group.epoch
    state.draft.group.subscribed = group.wanted
    offsets.append_write(state.coordinator, state.partition, rules, state.draft)
    return True


def member_leaves(state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId) -> bool:
    """The member leaves, or its session ends.

    Who: the coordinator.
    When: it has a member, which knows its group.
    Effect: the group is empty, from now on.
    Source: GroupMetadataManager.consumerGroupLeave, classicGroupLeave.
    """
    group = state.coordinator.written.groups[group_id].group
    if not can_write(state, bounds) or not group.has_member or not knows_its_group(state, group_id):
        return False
    prepare_group(state, group_id)
    left = state.draft.group
    left.has_member = False
    left.is_rebalancing = False
    left.subscribed = Ids()
    left.wanted = Ids()
    left.empty_since = state.now
    state.members[group_id].left_at = state.now
    state.members[group_id].group.has_member = False
    offsets.append_write(state.coordinator, state.partition, rules, state.draft)
    return True


CHARGES = {coordinator_moves: "coordinator_moves", client_commits_too_much: "refusals", log_is_cleaned: "cleanings"}
