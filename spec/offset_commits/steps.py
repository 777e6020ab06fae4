"""What single steps of the coordinator may do to offsets.

Part of Kafka judged: `impl/group_offsets`, by what clients were told and what members know.
Source: KIP-211, KIP-447, KIP-496, KAFKA-4682, KAFKA-13636, KAFKA-16371.
Left out, and why that is sound: nothing.
"""

from kafkacheck.impl.group_offsets.constants import NO_COMMIT, OffsetError, OffsetGroupType
from kafkacheck.impl.group_offsets.records import CachedGroup, OffsetGroup
from kafkacheck.impl.log.constants import Marker
from kafkacheck.model.offset_commits.system import LastStep, State


def fetches_know_what_was_told(before: State, after: State) -> bool:
    """What a fetch tells is not older than what a client was told before the fetch began.

    Lost to users: a consumer goes back, or on behind records that a reset has put before it.
    Source: KIP-98; GroupCoordinatorService.fetchOffsets.
    """
    last = after.last
    if not last.is_fetch:
        return True
    return last.position > before.told[last.group_id][last.partition_id].position


def refused_partitions_are_as_before(before: State, after: State) -> bool:
    """A commit that is refused for a partition changes nothing of the partition.

    Lost if it fails: the offset and the group stay for ever.
    Source: KAFKA-16371.
    """
    cached = before.coordinator.written.groups[after.last.group_id]
    changed = after.coordinator.written.groups[after.last.group_id]
    return all(
        cached.offsets[partition_id] == changed.offsets[partition_id]
        and (partition_id in cached.being_written) == (partition_id in changed.being_written)
        for partition_id in after.last.refused
    )


def refused_requests_write_nothing(before: State, after: State) -> bool:
    """A commit that is refused as a whole writes nothing.

    Lost to users: a member that has lost its partitions overwrites the offsets of the next owner.
    Source: OffsetMetadataManager.commitOffset.
    """
    return after.last.error == OffsetError.NONE or len(after.partition.log) == len(before.partition.log)


def is_of_owner(group: OffsetGroup, last: LastStep) -> bool:
    """Whether a commit is of the member that has the partitions, since it has them, or of others while there is none.

    A producer need not say for which member it commits.
    """
    if last.commit < 0:
        return not group.has_member or last.is_transactional == 1
    if not group.has_member:
        return False
    has_owned = group.type == OffsetGroupType.CONSUMER and group.owned_since <= last.commit < group.epoch
    return has_owned or last.commit == group.epoch


def commits_are_of_members(before: State, after: State) -> bool:
    """A commit is accepted only of the member that has the partitions, since it has them; or of others while none has.

    Lost to users: a member that has lost its partitions overwrites the offsets of the next owner.
    Source: KIP-447, KIP-848, KIP-1251.
    """
    group = before.coordinator.written.groups[after.last.group_id].group
    return after.last.is_commit == 0 or is_of_owner(group, after.last)


def members_can_commit(before: State, after: State) -> bool:
    """A commit of the member, with the epoch that it was told and has its partitions since, is not refused.

    Lost to users: a consumer cannot commit, and its records are processed again.
    Source: KAFKA-18060, KIP-1251.
    """
    group = before.coordinator.written.groups[after.last.group_id].group
    return after.last.error == OffsetError.NONE or not is_of_owner(group, after.last)


def expiry_spares_members(before: State, after: State) -> bool:
    """No offset expires of a topic to which a member subscribes, as the member was told.

    Lost to users: a consumer begins anew, or misses records.
    Source: KAFKA-4682, KIP-211, KAFKA-13636.
    """
    member = before.members[after.last.group_id].group
    return not member.has_member or len(after.last.expired & member.wanted) == 0


def expiry_spares_recent_commits(before: State, after: State) -> bool:
    """No offset expires before the retention has passed since its commit.

    Lost to users: a consumer begins anew, or misses records.
    Source: `offsets.retention.minutes`.
    """
    cached = before.coordinator.written.groups[after.last.group_id]
    return all(cached.offsets[partition_id].time < before.now for partition_id in after.last.expired)


def expiry_spares_groups_that_were_alive(before: State, after: State) -> bool:
    """No offset of a group without members expires before the retention has passed since the last one left.

    Lost to users: a consumer that restarts begins anew, or misses records.
    Source: KIP-211; `offsets.retention.minutes`.
    """
    if before.coordinator.written.groups[after.last.group_id].group.has_member:
        return True
    return len(after.last.expired) == 0 or before.members[after.last.group_id].left_at < before.now


def is_pending_offset(cached: CachedGroup, partition_id: int) -> bool:
    """Whether the offset is pending in a transaction."""
    return any(pending.offsets[partition_id].offset != NO_COMMIT for pending in cached.pending)


def has_any_offset(cached: CachedGroup) -> bool:
    """Whether an offset of the group is committed or pending."""
    return any(
        stored.offset != NO_COMMIT or is_pending_offset(cached, partition_id)
        for partition_id, stored in enumerate(cached.offsets)
    )


def stable_fetches_tell_nothing_pending(before: State, after: State) -> bool:
    """No fetch of a stable offset tells one that a transaction may change.

    Lost to users: a record is processed twice in transactions.
    Source: KIP-447.
    """
    if before.fetch.is_held or not after.fetch.is_held:
        return True
    cached = before.coordinator.written.groups[after.fetch.group_id]
    return not is_pending_offset(cached, after.fetch.partition_id)


def expiry_spares_pending_offsets(before: State, after: State) -> bool:
    """No offset expires that a transaction may change: the tombstone would remove what is pending.

    Lost to users: a consumer begins anew, or misses records.
    Source: KAFKA-14505; OffsetMetadataManager.cleanupExpiredOffsets.
    """
    cached = before.coordinator.written.groups[after.last.group_id]
    return not any(is_pending_offset(cached, partition_id) for partition_id in after.last.expired)


def is_new_write(before: State, after: State) -> bool:
    """Whether the step has written."""
    return len(after.partition.log) > len(before.partition.log)


def expiry_ends_groups(before: State, after: State) -> bool:
    """A group without members goes with its last offset.

    Lost if it fails: groups are never deleted.
    Source: GroupMetadataManager.maybeDeleteGroup.
    """
    cached = after.coordinator.written.groups[after.last.group_id]
    if not is_new_write(before, after) or len(after.last.expired) == 0:
        return True
    if cached.group.has_member or has_any_offset(cached):
        return True
    return cached.group.type == OffsetGroupType.NONE


def deleted_groups_have_no_member(before: State, after: State) -> bool:
    """A group is deleted only if it is there, and has no member.

    Lost to users: a consumer is thrown out of its group.
    Source: ClassicGroup.validateDeleteGroup, ConsumerGroup.validateDeleteGroup.
    """
    if not is_new_write(before, after):
        return True
    write = after.partition.log[len(after.partition.log) - 1]
    if not write.has_group or write.group.type != OffsetGroupType.NONE:
        return True
    group = before.coordinator.written.groups[write.group_id].group
    return group.type != OffsetGroupType.NONE and not group.has_member


def tombstones_are_of_offsets(before: State, after: State) -> bool:
    """A tombstone is written only for an offset that is committed or pending; and no write is empty.

    Lost if it fails: the log of the coordinator grows for nothing.
    Source: OffsetMetadataManager.deleteOffsets.
    """
    if not is_new_write(before, after):
        return True
    write = after.partition.log[len(after.partition.log) - 1]
    if write.marker != Marker.NONE:
        return True
    cached = before.coordinator.written.groups[write.group_id]
    if not write.has_group and not any(each >= NO_COMMIT for each in write.offsets):
        return False
    return all(
        each != NO_COMMIT or cached.offsets[partition_id].offset != NO_COMMIT or is_pending_offset(cached, partition_id)
        for partition_id, each in enumerate(write.offsets)
    )


def groups_keep_their_kind(before: State, after: State) -> bool:
    """A group that is there becomes one of another kind only if it had no protocol, and accepted commits make it.

    Lost to users: members of the group are unknown.
    Source: GroupMetadataManager.getOrMaybeCreateClassicGroup.
    """
    if after.coordinator.is_loading > 0 or before.coordinator.is_loading > 0:
        return True
    return all(
        cached.group.type == after.coordinator.written.groups[group_id].group.type
        or cached.group.type == OffsetGroupType.NONE
        or cached.group.type == OffsetGroupType.SIMPLE
        or after.coordinator.written.groups[group_id].group.type == OffsetGroupType.NONE
        for group_id, cached in enumerate(before.coordinator.written.groups)
    )
