"""What the members of groups do whose offsets are committed."""

from kafkacheck.checker.schema import Ids, clear, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.group_offsets import coordinator as offsets
from kafkacheck.impl.group_offsets.constants import NO_TIME, OffsetGroupType
from kafkacheck.impl.group_offsets.records import GroupId, GroupOffsetsRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.model.offset_commits.system import State, can_write, prepare


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
    Effect: the group has the member, under the next epoch. The member knows that once it has the answer.
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
    offsets.append_offsets_write(state.coordinator, state.partition, rules, state.draft)
    return True


def member_subscribes(
    state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId, subscribed: PartitionSet
) -> bool:
    """The member subscribes to other topics.

    Who: the coordinator.
    When: the group has a member, which knows its group.
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
    offsets.append_offsets_write(state.coordinator, state.partition, rules, state.draft)
    return True


def rebalance_ends(state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId) -> bool:
    """The rebalance of a classic group ends.

    Who: the coordinator.
    When: the rebalance is under way.
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
    offsets.append_offsets_write(state.coordinator, state.partition, rules, state.draft)
    return True


def member_leaves(state: State, rules: GroupOffsetsRules, bounds: Bounds, group_id: GroupId) -> bool:
    """The member leaves, or its session ends.

    Who: the coordinator.
    When: the group has a member, which knows its group.
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
    offsets.append_offsets_write(state.coordinator, state.partition, rules, state.draft)
    return True
