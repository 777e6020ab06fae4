"""Does a group coordinator answer arbitrary heartbeats of the new protocol as Kafka's does?

A component: one group, the records of which are committed at once, with the functions of `impl/`. No consumer is
modelled: any heartbeat that Kafka's checks let through may come at any time, with any epoch and any partitions. Members
are fenced, partitions are created, and new coordinators read the log.

Bounds: with `instances` at 1 every other member is a static one, and all of these have one instance id; each member
keeps the one that it has. With `deferrals` at 0 the assignor never waits. `max_group_epoch` only ends behaviours.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Ids, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.consumer_group.assignment import NO_MEMBER, known_partitions
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_INSTANCE,
    MemberState,
)
from kafkacheck.impl.consumer_group.coordinator import (
    consumer_group_heartbeat,
    may_defer_assignment,
    may_time_out,
    remove_member,
    static_member,
    watch_members,
)
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules
from kafkacheck.impl.ids import PartitionId, PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import HeartbeatRequest, HeartbeatResponse, MemberId, TopicSet

KnownEpoch = Annotated[int, Count("max_group_epoch", lowest=1)]


class State(Struct):
    """A group and its coordinator.

    existing: the partitions that exist.
    group: the group in the coordinator's memory, and in its log.
    asked: blank between steps; the request of this step.
    answer: the response of the last step; blank if there was none.
    """

    existing: PartitionSet
    group: ConsumerGroup
    asked: HeartbeatRequest
    answer: HeartbeatResponse


def start(state: State, bounds: Bounds) -> bool:
    """The cluster has the first partition of each topic, and nobody is in the group."""
    state.existing = Ids(range(bounds.partitions - bounds.creations))
    for partition_id in range(bounds.partitions):
        state.group.partition_epochs[partition_id] = -1
    return True


def instance_of(bounds: Bounds, member_id: int) -> int:
    """The instance id of a member, if it is a static one."""
    return 0 if bounds.instances > 0 and member_id % 2 == 0 else NO_INSTANCE


def may_raise_beyond(state: State, bounds: Bounds, member_id: int, subscribed: Ids) -> bool:
    """Whether a heartbeat could raise the group epoch beyond the last one of the model."""
    if state.group.group_epoch < bounds.max_group_epoch:
        return False
    owner = static_member(state.group, instance_of(bounds, member_id))
    member = state.group.members[member_id if owner == NO_MEMBER else owner]
    if member.state == MemberState.NOT_A_MEMBER or (subscribed != Ids() and subscribed != member.subscribed):
        return True
    return state.group.known != known_partitions(state.group, bounds.topics, state.existing)


def may_wait(state: State, rules: ConsumerGroupRules, bounds: Bounds) -> bool:
    """Whether the assignor may wait."""
    return bounds.deferrals > 0 and may_defer_assignment(state.group, rules)


def ask(state: State, rules: ConsumerGroupRules, bounds: Bounds, assigns: bool) -> None:
    """Handle the heartbeat."""
    clear(state.answer)
    state.asked.instance_id = instance_of(bounds, state.asked.member_id)
    consumer_group_heartbeat(state.group, rules, bounds.topics, state.asked, state.answer, state.existing, assigns)
    clear(state.asked)


def member_joins(
    state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId, subscribed: TopicSet, assigns: bool
) -> bool:
    """A member joins, for the first time or anew."""
    if subscribed == Ids() or may_raise_beyond(state, bounds, member_id, subscribed):
        return False
    if not assigns and not may_wait(state, rules, bounds):
        return False
    state.asked.member_id = member_id
    state.asked.member_epoch = JOIN_GROUP_MEMBER_EPOCH
    state.asked.names_timeout = True
    state.asked.names_topics = True
    state.asked.subscribed = subscribed
    state.asked.names_owned = True
    ask(state, rules, bounds, assigns)
    return True


def member_heartbeats(
    state: State,
    rules: ConsumerGroupRules,
    bounds: Bounds,
    member_id: MemberId,
    member_epoch: KnownEpoch,
    names_timeout: bool,
    names_topics: bool,
    subscribed: TopicSet,
    names_owned: bool,
    owned: PartitionSet,
    assigns: bool,
) -> bool:
    """A member, or a consumer that takes itself for one, sends a heartbeat."""
    if names_topics == (subscribed == Ids()) or (not names_owned and owned != Ids()):
        return False
    if may_raise_beyond(state, bounds, member_id, subscribed):
        return False
    if not assigns and not may_wait(state, rules, bounds):
        return False
    state.asked.member_id = member_id
    state.asked.member_epoch = member_epoch
    state.asked.names_timeout = names_timeout
    state.asked.names_topics = names_topics
    state.asked.subscribed = subscribed
    state.asked.names_owned = names_owned
    state.asked.owned = owned
    ask(state, rules, bounds, assigns)
    return True


def member_leaves(
    state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId, is_temporary: bool
) -> bool:
    """A member leaves for good, or a static one for a while."""
    if not is_temporary and state.group.group_epoch == bounds.max_group_epoch:
        return False
    if is_temporary and instance_of(bounds, member_id) == NO_INSTANCE:
        return False
    state.asked.member_id = member_id
    state.asked.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    if bounds.instances > 0:
        state.asked.is_temporary = is_temporary
    ask(state, rules, bounds, True)
    return True


def session_ends(state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator has not heard of a member for too long."""
    is_last = state.group.group_epoch == bounds.max_group_epoch
    if is_last or state.group.members[member_id].state == MemberState.NOT_A_MEMBER:
        return False
    clear(state.answer)
    remove_member(state.group, rules, bounds.topics, member_id, state.existing)
    return True


def rebalance_times_out(state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A member takes too long to give partitions up."""
    if not may_time_out(state.group.members[member_id]):
        return False
    return session_ends(state, rules, bounds, member_id)


def partition_is_created(state: State, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A topic has one more partition; its partitions are created in their order."""
    if partition_id in state.existing:
        return False
    if partition_id >= bounds.topics and partition_id - bounds.topics not in state.existing:
        return False
    clear(state.answer)
    state.existing |= {partition_id}
    return True


def coordinator_is_replaced(state: State, is_compacted: bool) -> bool:
    """Another broker reads the group from the log, of which old records may have been compacted away."""
    clear(state.answer)
    watch_members(state.group)
    return is_compacted or True


MODEL = Model(
    name="consumer_group",
    question=__doc__,
    state=State,
    rules=ConsumerGroupRules(),
    initial=start,
    actions=[
        member_joins,
        member_heartbeats,
        member_leaves,
        session_ends,
        rebalance_times_out,
        partition_is_created,
        coordinator_is_replaced,
    ],
    stuttering=[member_joins, member_heartbeats, member_leaves, coordinator_is_replaced],
    always=[],
    bounds={
        "members": 2,
        "instances": 0,
        "classic_consumers": 0,
        "topics": 1,
        "partitions": 2,
        "max_group_epoch": 3,
        "creations": 0,
        "deferrals": 0,
    },
    check_deadlock=False,
)
