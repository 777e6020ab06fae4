"""Does a coordinator of a group with patterns answer heartbeats, and resolve patterns, as Kafka's does?

A component: one group, the records of which are committed at once, with the functions of `impl/`. No consumer is
modelled: any heartbeat may come at any time, in the newest epoch, with any list of topics, pattern and owned
partitions. A member of the classic protocol may take the place of the static one. Topics are created and deleted;
executors are slow, or fail; new coordinators read the log.

Bounds: member 0 is a static one; with `classic_consumers` at 1 it is the one that uses the classic protocol, and takes
the place of member 1, which has the same instance id; then the others stay, so that the group is not a classic one.
`max_group_epoch` only ends behaviours.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Ids, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.consumer_group import patterns, resolution
from kafkacheck.impl.consumer_group.assignment import NO_MEMBER
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_INSTANCE,
    MemberState,
)
from kafkacheck.impl.consumer_group.coordinator import static_member
from kafkacheck.impl.consumer_group.pattern_records import PatternGroup, PatternRules, Waited
from kafkacheck.impl.ids import PartitionId, PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import HeartbeatResponse, MemberId, TopicSet
from kafkacheck.impl.messages.pattern_heartbeat import NO_PATTERN, OptionalPattern, PatternHeartbeat


class State(Struct):
    """A group and its coordinator.

    existing: the partitions that exist.
    group: the group in the coordinator's memory, and in its log.
    asked: blank between steps; the heartbeat of this step.
    answer: the response of the last step; blank if there was none.
    """

    existing: PartitionSet
    group: PatternGroup
    asked: PatternHeartbeat
    answer: HeartbeatResponse


def start(state: State, bounds: Bounds) -> bool:
    """The cluster has the first topics, and nobody is in the group."""
    state.existing = Ids(range(bounds.partitions - bounds.creations))
    state.group.must_refresh = True
    return True


def instance_of(bounds: Bounds, member_id: int) -> int:
    """The instance id of a member, if it is a static one."""
    return 0 if bounds.instances > 0 and member_id <= bounds.classic_consumers else NO_INSTANCE


def is_last(state: State, bounds: Bounds) -> bool:
    """Whether a step might lead beyond the last group epoch of the model; the first member leads to the second one."""
    return state.group.plain.group_epoch >= bounds.max_group_epoch - 1


def is_waiting_idle(state: State, waited: Waited) -> bool:
    """Whether it would be told how long ago patterns were resolved, and none is."""
    return waited != Waited.LONG and resolution.resolved_patterns(state.group) == Ids()


def ask(state: State, rules: PatternRules, bounds: Bounds, waited: Waited) -> None:
    """Handle the heartbeat."""
    clear(state.answer)
    state.asked.plain.request.instance_id = instance_of(bounds, state.asked.plain.request.member_id)
    patterns.heartbeat_with_pattern(state.group, rules, bounds.topics, state.asked, state.existing, True, waited)
    response = state.asked.plain.response
    state.answer.error = response.error
    state.answer.member_epoch = response.member_epoch
    state.answer.names_assignment = response.names_assignment
    state.answer.assigned = response.assigned
    clear(state.asked)


def member_joins(
    state: State,
    rules: PatternRules,
    bounds: Bounds,
    member_id: MemberId,
    subscribed: TopicSet,
    names_pattern: bool,
    pattern: OptionalPattern,
) -> bool:
    """A member joins, for the first time or anew."""
    if is_last(state, bounds) or member_id < bounds.classic_consumers or (not names_pattern and pattern != NO_PATTERN):
        return False
    request = state.asked.plain.request
    request.member_id = member_id
    request.member_epoch = JOIN_GROUP_MEMBER_EPOCH
    request.names_timeout = True
    request.names_topics = True
    request.subscribed = subscribed
    request.names_owned = True
    state.asked.names_pattern = names_pattern
    state.asked.pattern = pattern
    ask(state, rules, bounds, Waited.LONG)
    return True


def member_heartbeats(
    state: State,
    rules: PatternRules,
    bounds: Bounds,
    member_id: MemberId,
    subscribes: bool,
    subscribed: TopicSet,
    pattern: OptionalPattern,
    has_revoked: bool,
    waited: Waited,
) -> bool:
    """A member sends a heartbeat with its epoch, which may name its topics and its pattern."""
    if is_last(state, bounds) or (not subscribes and (subscribed != Ids() or pattern != NO_PATTERN)):
        return False
    member = state.group.plain.members[member_id]
    if member.state == MemberState.NOT_A_MEMBER or member.has_left or member_id < bounds.classic_consumers:
        return False
    if is_waiting_idle(state, waited) or (has_revoked and member.assigned == Ids()):
        return False
    request = state.asked.plain.request
    request.member_id = member_id
    request.member_epoch = member.member_epoch
    request.names_topics = subscribes
    request.subscribed = subscribed
    request.names_owned = True
    request.owned = Ids() if has_revoked else member.assigned | member.pending_revocation
    state.asked.names_pattern = subscribes
    state.asked.pattern = pattern
    ask(state, rules, bounds, waited)
    return True


def member_leaves(state: State, rules: PatternRules, bounds: Bounds, member_id: MemberId, is_temporary: bool) -> bool:
    """A member leaves for good, or a static one for a while."""
    if is_last(state, bounds) or (is_temporary and instance_of(bounds, member_id) == NO_INSTANCE):
        return False
    if member_id < bounds.classic_consumers or state.group.plain.group_epoch == 0:
        return False
    if bounds.classic_consumers > 0 and instance_of(bounds, member_id) == NO_INSTANCE:
        return False
    request = state.asked.plain.request
    request.member_id = member_id
    request.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    if bounds.instances > 0:
        request.is_temporary = is_temporary
    ask(state, rules, bounds, Waited.LONG)
    return True


def classic_member_joins(
    state: State, rules: PatternRules, bounds: Bounds, subscribed: TopicSet, has_revoked: bool
) -> bool:
    """A member of the classic protocol takes the place of the static one, or joins again; others keep the new one."""
    if bounds.classic_consumers == 0 or is_last(state, bounds):
        return False
    members = state.group.plain.members
    if static_member(state.group.plain, 0) == NO_MEMBER or not any(
        member.state != MemberState.NOT_A_MEMBER and member.instance_id == NO_INSTANCE for member in members
    ):
        return False
    if has_revoked and members[0].assigned == Ids():
        return False
    clear(state.answer)
    owned = Ids() if has_revoked else members[0].assigned | members[0].pending_revocation
    patterns.join_beside_patterns(
        state.group, rules, bounds.topics, 0, 0, subscribed, owned, state.existing, Waited.LONG
    )
    return True


def session_ends(state: State, rules: PatternRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator has not heard of a member for too long."""
    if is_last(state, bounds) or state.group.plain.members[member_id].state == MemberState.NOT_A_MEMBER:
        return False
    if bounds.classic_consumers > 0:
        return False
    clear(state.answer)
    patterns.remove_subscriber(state.group, rules, bounds.topics, member_id, state.existing)
    return True


def executor_resolves(state: State, bounds: Bounds) -> bool:
    """The executor looks for topics."""
    if not resolution.resolve_patterns(state.group, bounds.topics, state.existing):
        return False
    clear(state.answer)
    return True


def executor_fails(state: State) -> bool:
    """The executor fails."""
    if not resolution.fail_resolution(state.group):
        return False
    clear(state.answer)
    return True


def coordinator_takes_resolution(state: State, rules: PatternRules, bounds: Bounds) -> bool:
    """The coordinator takes the topics that the executor has found."""
    if is_last(state, bounds):
        return False
    if not resolution.take_resolution(state.group, rules, bounds.topics, state.existing):
        return False
    clear(state.answer)
    return True


def topic_is_created(state: State, rules: PatternRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A topic is created, which has one partition; those that exist at first are not created again."""
    if partition_id in state.existing or partition_id < bounds.partitions - bounds.creations:
        return False
    clear(state.answer)
    state.existing |= {partition_id}
    resolution.hear_of_topic(state.group, rules, partition_id % bounds.topics, True)
    return True


def topic_is_deleted(state: State, rules: PatternRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A topic is deleted; those that were created later stay."""
    if partition_id not in state.existing or partition_id >= bounds.partitions - bounds.creations:
        return False
    clear(state.answer)
    state.existing -= {partition_id}
    resolution.hear_of_topic(state.group, rules, partition_id % bounds.topics, False)
    return True


def coordinator_is_replaced(state: State, is_compacted: bool) -> bool:
    """Another broker reads the group from the log, of which old records may have been compacted away."""
    if state.group.plain.group_epoch == 0:
        return False
    clear(state.answer)
    resolution.begin_with_patterns(state.group)
    return is_compacted or True


MODEL = Model(
    name="patterns",
    question=__doc__,
    state=State,
    rules=PatternRules(),
    initial=start,
    actions=[
        member_joins,
        member_heartbeats,
        member_leaves,
        classic_member_joins,
        session_ends,
        executor_resolves,
        executor_fails,
        coordinator_takes_resolution,
        topic_is_created,
        topic_is_deleted,
        coordinator_is_replaced,
    ],
    stuttering=[member_joins, member_heartbeats, member_leaves, classic_member_joins, coordinator_is_replaced],
    always=[],
    bounds={
        "members": 1,
        "instances": 1,
        "classic_consumers": 0,
        "topics": 2,
        "partitions": 2,
        "patterns": 2,
        "max_group_epoch": 4,
        "creations": 1,
    },
    check_deadlock=False,
)
