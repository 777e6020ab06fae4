"""A coordinator that reads a group from the log, record by record, while the log may be compacted.

Part of Kafka modelled: `GroupMetadataManager.replay`; `ConsumerGroup` (`updateMember`, `removePartitionEpochs`,
`addPartitionEpochs`); `CoordinatorLoaderImpl`; the keys of `GroupCoordinatorRecordHelpers`.
Source: the classes of 4.0.0 to 4.4.0; KAFKA-17306, KAFKA-19862, KAFKA-21117.
Left out, and why that is sound: offsets, whose records have keys of their own. A tombstone whose delete horizon is
over: `delete.retention.ms` is longer than the coordinator takes to read the log.

The log is kept as the group after each write: a write has a record of a key if it changes the value of that. The
cleaner removes a record if a later one of its key is before the offset to which it has got. It may get there while the
coordinator reads the log, which then has read some records that are superseded, and misses others.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, AtMost, Count, Ids, IdSet, Queue, Since, Struct, clear
from kafkacheck.impl.classic_group.constants import GroupState
from kafkacheck.impl.classic_group.records import ClassicGroup
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_PARTITION_EPOCH,
    GroupType,
    MemberState,
)
from kafkacheck.impl.consumer_group.migration import Group, MigrationRules, is_empty
from kafkacheck.impl.consumer_group.reconciliation import update_partition_epochs
from kafkacheck.impl.consumer_group.records import ConsumerGroup, GroupMember

LogPosition = Annotated[int, Count("log_writes + 1")]


class GroupKey(IntEnum):
    """The keys of the records of a group; the last three are of a member."""

    CLASSIC_GROUP = 0
    """A classic group with its members and their assignments (`GroupMetadata`)."""

    GROUP_EPOCH = 1
    """The group epoch of a group of the new protocol (`ConsumerGroupMetadata`)."""

    TOPICS = 2
    """The partitions of its topics (`ConsumerGroupPartitionMetadata`)."""

    TARGET_EPOCH = 3
    """The epoch of its target assignment (`ConsumerGroupTargetAssignmentMetadata`)."""

    MEMBER = 4
    """A member and its subscription (`ConsumerGroupMemberMetadata`)."""

    TARGET = 5
    """A member's target (`ConsumerGroupTargetAssignmentMember`)."""

    ASSIGNMENT = 6
    """A member's epochs and what it owns (`ConsumerGroupCurrentMemberAssignment`)."""


class GroupLogRules(NamedTuple):
    """The switches of a coordinator that reads its log.

    groups: those of the groups themselves.
    topics_are_in_group_epoch: the partitions of the group's topics are in the record of its epoch, as a hash. Before,
        they had a record of their own, of which only the tombstone is written since, when the group ends.
    unknown_tombstones_are_ignored: the coordinator ignores the tombstone of a group or member that it does not know,
        because its other records may have been removed (KAFKA-17306).
    older_owner_may_remain: a member may own a partition that the coordinator takes for one of another member, whose
        record that gives it up was removed; the newer epoch counts (KAFKA-19862).
    member_records_leave_owners: a record of a member's subscription does not note anew what the member owns (no
        release; finding F21, which this mends in part).
    owners_are_found_last: the coordinator finds the owner of each partition after it has read records, so that it needs
        no epochs, which begin anew in a group that was deleted (no release; finding F21).
    classic_group_may_remain: the coordinator ignores tombstones of the new protocol's records if it takes the group for
        a classic one, because the tombstone of that was removed (no release up to 4.4: KAFKA-21117 is open).
    """

    groups: MigrationRules = MigrationRules()
    topics_are_in_group_epoch: Annotated[bool, Since("4.1")] = True
    unknown_tombstones_are_ignored: Annotated[bool, Since("3.9", begun="3.7")] = True
    older_owner_may_remain: Annotated[bool, Since("4.0.2", begun="4.0"), Since("4.1.2", begun="4.1")] = True
    member_records_leave_owners: Annotated[bool, Since(EVERY)] = False
    owners_are_found_last: Annotated[bool, Since(EVERY)] = False
    classic_group_may_remain: Annotated[bool, Since(EVERY)] = False


class GroupLog(Struct):
    """The log of a group.

    groups: the group after each write; the first one is blank.
    cleaned_to: the write before which the cleaner has removed what is superseded before it.
    """

    groups: Annotated[Queue[Group], AtMost("log_writes + 1")]
    cleaned_to: LogPosition


class GroupLoader(Struct):
    """A coordinator that reads the log.

    next_write: the write that it reads next; 0 if it does not read.
    has_failed: whether a record contradicts those before, so that no group of the log can be had from the coordinator.
    group: what it has read. A member that it has read nothing else of than a tombstone has the epoch -1.
    targets: the members that have a target.
    target_is_deleted: whether the last record of the target assignment's epoch was a tombstone.
    """

    next_write: LogPosition
    has_failed: bool
    group: Group
    targets: Annotated[Ids, IdSet("members")]
    target_is_deleted: bool


def is_logged_as_classic(group: Group) -> bool:
    """Whether there is a classic group, of which there is a record."""
    return group.type == GroupType.CLASSIC and group.classic.generation > 0


def is_consumer_group(group: Group) -> bool:
    """Whether there is a group of the new protocol."""
    return group.type == GroupType.CONSUMER


def has_value(group: Group, rules: GroupLogRules, key: GroupKey, member_id: int) -> bool:
    """Whether a key has a value."""
    if key == GroupKey.CLASSIC_GROUP:
        return is_logged_as_classic(group)
    if key == GroupKey.TOPICS:
        return is_consumer_group(group) and not rules.topics_are_in_group_epoch
    if key == GroupKey.GROUP_EPOCH or key == GroupKey.TARGET_EPOCH:
        return is_consumer_group(group)
    return is_consumer_group(group) and group.consumer.members[member_id].state != MemberState.NOT_A_MEMBER


def has_same_assignment(one: GroupMember, other: GroupMember) -> bool:
    """Whether two members have the same epochs, and own the same."""
    if one.member_epoch != other.member_epoch or one.previous_member_epoch != other.previous_member_epoch:
        return False
    if one.state != other.state or one.assigned != other.assigned:
        return False
    return one.pending_revocation == other.pending_revocation


def has_same_value(one: Group, other: Group, key: GroupKey, member_id: int) -> bool:
    """Whether a key that has a value in both has the same one."""
    if key == GroupKey.CLASSIC_GROUP:
        return one.classic.generation == other.classic.generation
    if key == GroupKey.GROUP_EPOCH:
        return one.consumer.group_epoch == other.consumer.group_epoch
    if key == GroupKey.TOPICS:
        return one.consumer.known == other.consumer.known
    if key == GroupKey.TARGET_EPOCH:
        return one.consumer.assignment_epoch == other.consumer.assignment_epoch
    member = one.consumer.members[member_id]
    other_member = other.consumer.members[member_id]
    if key == GroupKey.TARGET:
        return member.target == other_member.target
    if key == GroupKey.ASSIGNMENT:
        return has_same_assignment(member, other_member)
    if member.uses_classic != other_member.uses_classic or member.named != other_member.named:
        return False
    return member.subscribed == other_member.subscribed


def is_written(log: GroupLog, rules: GroupLogRules, key: GroupKey, member_id: int, position: int) -> bool:
    """Whether a write has a record of a key: a value that is another one than before, or a tombstone."""
    before = log.groups[position - 1]
    after = log.groups[position]
    if key == GroupKey.TOPICS and is_consumer_group(before) and not is_consumer_group(after):
        return True
    if has_value(before, rules, key, member_id) != has_value(after, rules, key, member_id):
        return True
    return has_value(after, rules, key, member_id) and not has_same_value(before, after, key, member_id)


def remains(log: GroupLog, rules: GroupLogRules, key: GroupKey, member_id: int, position: int) -> bool:
    """Whether a write has a record of a key that the cleaner has not removed."""
    if not is_written(log, rules, key, member_id, position):
        return False
    return not any(is_written(log, rules, key, member_id, later) for later in range(position + 1, log.cleaned_to))


def begin_reading(loader: GroupLoader) -> None:
    """Begin to read the log. The write at position 0 is no write, but the blank group."""
    clear(loader)
    loader.next_write = 1


def forget_owner(loader: GroupLoader, rules: GroupLogRules, member: GroupMember) -> None:
    """Forget that a member owns what it has, unless another one does by now.

    Source: ConsumerGroup.removePartitionEpochs.
    """
    epochs = loader.group.consumer.partition_epochs
    for partition_id in member.assigned | member.pending_revocation:
        if epochs[partition_id] == member.member_epoch:
            epochs[partition_id] = NO_PARTITION_EPOCH
        elif not rules.older_owner_may_remain and not rules.owners_are_found_last:
            loader.has_failed = True


def note_owned(loader: GroupLoader, rules: GroupLogRules, member: GroupMember) -> None:
    """Note that a member owns what it has, in the place of one of an earlier epoch.

    Source: ConsumerGroup.addPartitionEpochs.
    """
    epochs = loader.group.consumer.partition_epochs
    for partition_id in member.assigned | member.pending_revocation:
        is_newer = rules.older_owner_may_remain and epochs[partition_id] < member.member_epoch
        if epochs[partition_id] == NO_PARTITION_EPOCH or is_newer or rules.owners_are_found_last:
            epochs[partition_id] = member.member_epoch
        else:
            loader.has_failed = True


def know_member(member: GroupMember) -> None:
    """Create a member, unless it is known."""
    if member.state == MemberState.NOT_A_MEMBER:
        member.state = MemberState.STABLE
        member.member_epoch = JOIN_GROUP_MEMBER_EPOCH


def replay_value(loader: GroupLoader, rules: GroupLogRules, key: GroupKey, member_id: int, written: Group) -> None:
    """Take the value of a key from the log; a classic group replaces any other.

    Source: GroupMetadataManager.replay, getOrMaybeCreatePersistedConsumerGroup.
    """
    if key == GroupKey.CLASSIC_GROUP:
        delete_loaded(loader)
        replay_classic_group(loader.group.classic, written.classic)
        return
    if is_logged_as_classic(loader.group):
        loader.has_failed = True
        return
    loader.group.type = GroupType.CONSUMER
    group = loader.group.consumer
    if key == GroupKey.GROUP_EPOCH:
        group.group_epoch = written.consumer.group_epoch
        if rules.topics_are_in_group_epoch:
            group.known = written.consumer.known
    elif key == GroupKey.TOPICS:
        group.known = written.consumer.known
    elif key == GroupKey.TARGET_EPOCH:
        group.assignment_epoch = written.consumer.assignment_epoch
        loader.target_is_deleted = False
    else:
        replay_member(loader, rules, key, member_id, written.consumer.members[member_id])


def replay_classic_group(group: ClassicGroup, written: ClassicGroup) -> None:
    """Take a classic group from the log: a rebalance that was under way is forgotten."""
    group.generation = written.generation
    group.leader = written.leader
    for member_id, member in enumerate(group.members):
        if written.members[member_id].is_member:
            group.state = GroupState.STABLE
            member.is_member = True
            member.instance_id = written.members[member_id].instance_id
            member.owned = written.members[member_id].owned
            member.assigned = written.members[member_id].assigned


def replay_member(
    loader: GroupLoader, rules: GroupLogRules, key: GroupKey, member_id: int, written: GroupMember
) -> None:
    """Take the value of a member's key from the log; after any record of a member, what it owns is noted again.

    Source: GroupMetadataManager.replay, ConsumerGroup.updateMember.
    """
    member = loader.group.consumer.members[member_id]
    if key == GroupKey.TARGET:
        member.target = written.target
        loader.targets |= {member_id}
        return
    know_member(member)
    if key == GroupKey.MEMBER:
        member.instance_id = written.instance_id
        member.uses_classic = written.uses_classic
        member.named = written.named
        member.subscribed = written.subscribed
        if rules.member_records_leave_owners:
            return
    forget_owner(loader, rules, member)
    if key == GroupKey.ASSIGNMENT:
        member.state = written.state
        member.member_epoch = written.member_epoch
        member.previous_member_epoch = written.previous_member_epoch
        member.assigned = written.assigned
        member.pending_revocation = written.pending_revocation
    note_owned(loader, rules, member)


def replay_tombstone(loader: GroupLoader, rules: GroupLogRules, key: GroupKey, member_id: int) -> None:
    """Take a tombstone of a key from the log; that of a classic group removes any other, too.

    Source: GroupMetadataManager.replay, getOrMaybeCreatePersistedConsumerGroup.
    """
    group = loader.group
    if key == GroupKey.CLASSIC_GROUP:
        delete_loaded(loader)
    elif is_logged_as_classic(group):
        if not rules.classic_group_may_remain:
            loader.has_failed = True
    elif not is_consumer_group(group):
        if not rules.unknown_tombstones_are_ignored:
            loader.has_failed = True
    elif key == GroupKey.GROUP_EPOCH:
        if not is_empty(group.consumer) or loader.targets != Ids() or not loader.target_is_deleted:
            loader.has_failed = True
        delete_loaded(loader)
    elif key == GroupKey.TOPICS:
        if not rules.topics_are_in_group_epoch:
            group.consumer.known = Ids()
    elif key == GroupKey.TARGET_EPOCH:
        if loader.targets != Ids():
            loader.has_failed = True
        loader.target_is_deleted = True
        group.consumer.assignment_epoch = 0
    elif key == GroupKey.TARGET:
        loader.targets -= {member_id}
        group.consumer.members[member_id].target = Ids()
    else:
        replay_member_tombstone(loader, rules, key, member_id)


def delete_loaded(loader: GroupLoader) -> None:
    """Delete the group that was read so far."""
    clear(loader.group)
    loader.targets = Ids()
    loader.target_is_deleted = False


def replay_member_tombstone(loader: GroupLoader, rules: GroupLogRules, key: GroupKey, member_id: int) -> None:
    """Take the tombstone of a member, or of its assignment, from the log.

    Source: GroupMetadataManager.replay.
    """
    member = loader.group.consumer.members[member_id]
    if member.state == MemberState.NOT_A_MEMBER:
        if not rules.unknown_tombstones_are_ignored:
            loader.has_failed = True
    elif key == GroupKey.ASSIGNMENT:
        forget_owner(loader, rules, member)
        member.state = MemberState.STABLE
        member.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
        member.previous_member_epoch = LEAVE_GROUP_MEMBER_EPOCH
        member.assigned = Ids()
        member.pending_revocation = Ids()
    else:
        if member.member_epoch != LEAVE_GROUP_MEMBER_EPOCH or member_id in loader.targets:
            loader.has_failed = True
        clear(member)


def replay_record(
    loader: GroupLoader, rules: GroupLogRules, log: GroupLog, key: GroupKey, member_id: int, is_value: bool
) -> None:
    """Take the record of a key from the write that is read, if it has one, still, and of that kind."""
    written = log.groups[loader.next_write]
    if has_value(written, rules, key, member_id) == is_value and remains(log, rules, key, member_id, loader.next_write):
        if is_value:
            replay_value(loader, rules, key, member_id, written)
        else:
            replay_tombstone(loader, rules, key, member_id)


def find_owners(group: ConsumerGroup) -> None:
    """Find the owner of each partition."""
    for partition_id in range(len(group.partition_epochs)):
        group.partition_epochs[partition_id] = NO_PARTITION_EPOCH
    for member in group.members:
        update_partition_epochs(group, Ids(), member)


def read_write(loader: GroupLoader, rules: GroupLogRules, log: GroupLog) -> None:
    """Read what is left of the next write: first the tombstones, then the values, in Kafka's order.

    Source: CoordinatorLoaderImpl; GroupMetadataManager.removeMember, convertToClassicGroup, consumerGroupHeartbeat.
    """
    members = len(loader.group.consumer.members)
    replay_record(loader, rules, log, GroupKey.CLASSIC_GROUP, 0, False)
    for member_id in range(members):
        replay_record(loader, rules, log, GroupKey.ASSIGNMENT, member_id, False)
        replay_record(loader, rules, log, GroupKey.TARGET, member_id, False)
        replay_record(loader, rules, log, GroupKey.MEMBER, member_id, False)
    replay_record(loader, rules, log, GroupKey.TARGET_EPOCH, 0, False)
    replay_record(loader, rules, log, GroupKey.TOPICS, 0, False)
    replay_record(loader, rules, log, GroupKey.GROUP_EPOCH, 0, False)
    for member_id in range(members):
        replay_record(loader, rules, log, GroupKey.MEMBER, member_id, True)
    replay_record(loader, rules, log, GroupKey.TOPICS, 0, True)
    replay_record(loader, rules, log, GroupKey.GROUP_EPOCH, 0, True)
    for member_id in range(members):
        replay_record(loader, rules, log, GroupKey.TARGET, member_id, True)
    replay_record(loader, rules, log, GroupKey.TARGET_EPOCH, 0, True)
    for member_id in range(members):
        replay_record(loader, rules, log, GroupKey.ASSIGNMENT, member_id, True)
    replay_record(loader, rules, log, GroupKey.CLASSIC_GROUP, 0, True)
    loader.next_write += 1
    if rules.owners_are_found_last:
        find_owners(loader.group.consumer)
