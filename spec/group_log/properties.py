"""A coordinator can read the log of a group, however far it is compacted, and finds the group as it was.

Part of Kafka judged: `impl/consumer_group/loading.py`, by its records only.
Source: KAFKA-17306, KAFKA-19862, KAFKA-21117.
Left out, and why that is sound: the state of a classic group's rebalance, which is in no record.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.consumer_group.constants import NO_PARTITION_EPOCH, GroupType, MemberState
from kafkacheck.impl.consumer_group.migration import Group
from kafkacheck.model.group_log.system import State


def has_read_all(state: State) -> bool:
    """Whether the new coordinator has read the whole log."""
    return state.loader.next_write == len(state.log.groups) and not state.loader.has_failed


def is_same_classic_group(one: Group, other: Group) -> bool:
    """Whether the records of two classic groups would be the same."""
    return one.classic.generation == other.classic.generation and not any(
        member.is_member != other.classic.members[member_id].is_member
        or member.assigned != other.classic.members[member_id].assigned
        for member_id, member in enumerate(one.classic.members)
    )


def groups_can_be_read(state: State) -> bool:
    """No record contradicts those that were read before.

    Lost to users: all groups of that part of the offsets topic are without a coordinator, until its leader changes.
    Source: KAFKA-17306, KAFKA-19862; CoordinatorRuntime (a failed load).
    """
    return not state.loader.has_failed


def groups_are_read_as_they_were(state: State) -> bool:
    """What was read is the group that was written last: no member, epoch or assignment is lost, and none is left over.

    Lost to users: members are thrown out, or have to take an assignment that another member has, too.
    Source: GroupMetadataManager.replay.
    """
    if not has_read_all(state):
        return True
    read = state.loader.group
    written = state.log.groups[len(state.log.groups) - 1]
    if read.type != written.type:
        return False
    if read.type == GroupType.CLASSIC:
        return is_same_classic_group(read, written)
    return (
        read.consumer.group_epoch == written.consumer.group_epoch
        and read.consumer.assignment_epoch == written.consumer.assignment_epoch
        and read.consumer.known == written.consumer.known
        and read.consumer.members == written.consumer.members
    )


def owners_are_read_as_they_were(state: State) -> bool:
    """What was read has the epoch of each partition's owner.

    Lost to users: a partition is given to a second member, or to none.
    Source: ConsumerGroup.addPartitionEpochs.
    """
    if not has_read_all(state) or state.loader.group.type == GroupType.CLASSIC:
        return True
    return (
        state.loader.group.consumer.partition_epochs
        == state.log.groups[len(state.log.groups) - 1].consumer.partition_epochs
    )


def reading_has_begun(state: State) -> bool:
    """A coordinator reads the log."""
    return state.loader.next_write > 0


def reading_has_ended(state: State) -> bool:
    """It has read all of it."""
    return has_read_all(state)


def group_was_read(state: State, bounds: Bounds) -> bool:
    """A group with several members was read, of which one owns something."""
    group = state.loader.group.consumer
    return (
        has_read_all(state)
        and all(member.state != MemberState.NOT_A_MEMBER for member in group.members)
        and any(group.partition_epochs[partition_id] != NO_PARTITION_EPOCH for partition_id in range(bounds.partitions))
    )


def reading_has_missed_a_record(state: State) -> bool:
    """What was read so far is no group that ever was, because the log was compacted meanwhile."""
    if state.loader.next_write < 2:
        return False
    return state.loader.group.consumer != state.log.groups[state.loader.next_write - 1].consumer
