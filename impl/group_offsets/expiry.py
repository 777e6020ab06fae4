"""Which offsets of a group expire, and when the group goes with them.

Part of Kafka modelled: `OffsetMetadataManager.cleanupExpiredOffsets`, `OffsetExpirationConditionImpl`,
`ClassicGroup.offsetExpirationCondition`, `ConsumerGroup.offsetExpirationCondition`,
`GroupMetadataManager.maybeDeleteGroup`; `GroupMetadata.removeExpiredOffsets` before.
Source: apache/kafka (commit 1eb7644349, and the classes of 4.4.0); KIP-211, KAFKA-4682, KAFKA-13636, KAFKA-19163.
Left out, and why that is sound: the retention that a commit of versions 2 to 4 names itself; a group of another
protocol type than "consumer", which keeps all offsets while it has members.
"""

from kafkacheck.impl.group_offsets.constants import NO_COMMIT, NO_TIME, OffsetGroupType
from kafkacheck.impl.group_offsets.coordinator import append_if_any, knows_subscription
from kafkacheck.impl.group_offsets.records import (
    CachedGroup,
    GroupOffsetsRules,
    LoggedWrite,
    OffsetGroup,
    OffsetsCoordinator,
    OffsetsPartition,
    StoredCommit,
)
from kafkacheck.impl.group_offsets.replay import awaits_transaction, is_pending


def retention_begins(group: OffsetGroup, rules: GroupOffsetsRules, stored: StoredCommit) -> int:
    """When the retention of an offset begins.

    Source: ClassicGroup.offsetExpirationCondition, ConsumerGroup.offsetExpirationCondition.
    """
    if not rules.members_keep_offsets or group.has_member or group.empty_since == NO_TIME:
        return stored.time
    if group.type == OffsetGroupType.CONSUMER:
        return max(stored.time, group.empty_since) if rules.consumer_group_keeps_offsets else stored.time
    return max(stored.time, group.empty_since) if rules.late_commit_keeps_offset else group.empty_since


def may_expire(group: OffsetGroup, rules: GroupOffsetsRules) -> bool:
    """Whether offsets of the group may expire at all.

    Source: ClassicGroup.offsetExpirationCondition.
    """
    return not rules.members_keep_offsets or not group.is_rebalancing or not rules.rebalance_keeps_offsets


def is_expired(cached: CachedGroup, rules: GroupOffsetsRules, partition_id: int, now: int) -> bool:
    """Whether the committed offset of a partition goes.

    Source: OffsetMetadataManager.cleanupExpiredOffsets.
    """
    if rules.members_keep_offsets and knows_subscription(cached, partition_id):
        return False
    if now <= retention_begins(cached.group, rules, cached.offsets[partition_id]):
        return False
    return not is_pending(cached, partition_id) and partition_id not in cached.being_written


def is_deleted_with_offsets(cached: CachedGroup, rules: GroupOffsetsRules, draft: LoggedWrite) -> bool:
    """Whether the group goes, because its last offset expires, or because it has none.

    Source: OffsetMetadataManager.cleanupExpiredOffsets, GroupMetadataManager.maybeDeleteGroup.
    """
    if cached.group.type == OffsetGroupType.NONE or cached.group.has_member or len(cached.being_written) > 0:
        return False
    is_without = not any(stored.offset != NO_COMMIT for stored in cached.offsets)
    if awaits_transaction(cached) and (rules.pending_offset_keeps_group or not is_without):
        return False
    return not any(
        stored.offset != NO_COMMIT and draft.offsets[partition_id] != NO_COMMIT
        for partition_id, stored in enumerate(cached.offsets)
    )


def expire_offsets(
    coordinator: OffsetsCoordinator, partition: OffsetsPartition, rules: GroupOffsetsRules, draft: LoggedWrite
) -> bool:
    """Remove the offsets of a group whose retention is over, and the group if none is left.

    Who: the coordinator, every `offsets.retention.check.interval.ms`.
    When: there is the group. The draft names it, and has the time.
    Effect: they are gone. False if there is nothing to write.
    Source: GroupCoordinatorShard.cleanupGroupMetadata, OffsetMetadataManager.cleanupExpiredOffsets.
    Left out: Kafka has one write for all groups; here each group has its own.
    """
    cached = coordinator.written.groups[draft.group_id]
    if cached.group.type != OffsetGroupType.NONE and may_expire(cached.group, rules):
        for partition_id, stored in enumerate(cached.offsets):
            if stored.offset != NO_COMMIT and is_expired(cached, rules, partition_id, draft.time):
                draft.offsets[partition_id] = NO_COMMIT
    draft.has_group = is_deleted_with_offsets(cached, rules, draft)
    return append_if_any(coordinator, partition, rules, draft)
