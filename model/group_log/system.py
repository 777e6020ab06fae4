"""The whole system of a group's log: the group in the coordinator's memory, the log, and who reads it later."""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, Ids, Struct, add, clear, is_full
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.consumer_group import loading, migration
from kafkacheck.impl.consumer_group.constants import JOIN_GROUP_MEMBER_EPOCH, LEAVE_GROUP_MEMBER_EPOCH, GroupType
from kafkacheck.impl.consumer_group.loading import GroupLoader, GroupLog, GroupLogRules, LogPosition
from kafkacheck.impl.consumer_group.migration import Group
from kafkacheck.impl.messages.classic_group import Connection
from kafkacheck.impl.messages.consumer_group_heartbeat import Heartbeat, MemberId


class State(Struct):
    """The whole system.

    group: the group in the memory of the coordinator that writes the log.
    log: the log. All of it is committed.
    loader: the coordinator that reads the log, after the other one has written the last time.
    heartbeat: the one that is handled, during a step. It is blank in each state.
    connections: those of the classic protocol, which only the coordinator's functions need. They are blank.
    """

    group: Group
    log: GroupLog
    loader: GroupLoader
    heartbeat: Heartbeat
    connections: Annotated[Array[Connection], ById("members")]


def existing(bounds: Bounds) -> Ids:
    """The partitions of all topics."""
    return Ids(range(bounds.partitions))


def can_write(state: State) -> bool:
    """Whether the first coordinator still serves, and the log has room."""
    return state.loader.next_write == 0 and not is_full(state.log.groups)


def write(state: State) -> bool:
    """Write to the log what a step has changed; False if that is nothing."""
    if state.log.groups[len(state.log.groups) - 1] == state.group:
        return False
    add(state.log.groups, state.group)
    return True


def handle_heartbeat(state: State, rules: GroupLogRules, bounds: Bounds) -> bool:
    """Handle a heartbeat, and write."""
    migration.handle_group_heartbeat(
        state.group,
        rules.groups,
        bounds.topics,
        state.heartbeat.request,
        state.heartbeat.response,
        state.connections,
        existing(bounds),
    )
    clear(state.heartbeat)
    return write(state)


def consumer_joins(state: State, rules: GroupLogRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer of the new protocol joins the group, or joins it again.

    Who: a consumer, and the coordinator.
    When: it is no member; a member of the classic protocol has another id.
    Effect: it is one, and a classic group is one of the new protocol (`handle_group_heartbeat`).
    Source: GroupMetadataManager.consumerGroupHeartbeat.
    """
    if not can_write(state) or migration.has_member(state.group, member_id):
        return False
    request = state.heartbeat.request
    request.member_id = member_id
    request.member_epoch = JOIN_GROUP_MEMBER_EPOCH
    request.names_topics = True
    request.subscribed = Ids(range(bounds.topics))
    request.names_timeout = True
    request.names_owned = True
    return handle_heartbeat(state, rules, bounds)


def consumer_acknowledges(state: State, rules: GroupLogRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer of the new protocol tells that it owns what it is assigned, and nothing else.

    Who: a consumer, and the coordinator.
    When: the group is one of the new protocol.
    Effect: if it is a member, the member has given up what it must, and gets what is free.
    Source: GroupMetadataManager.consumerGroupHeartbeat.
    """
    if not can_write(state) or state.group.type != GroupType.CONSUMER:
        return False
    member = state.group.consumer.members[member_id]
    request = state.heartbeat.request
    request.member_id = member_id
    request.member_epoch = member.member_epoch
    request.names_owned = True
    request.owned = member.assigned
    return handle_heartbeat(state, rules, bounds)


def consumer_leaves(state: State, rules: GroupLogRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer of the new protocol leaves.

    Who: a consumer, and the coordinator.
    When: the group is one of the new protocol.
    Effect: it is no member any more. If it was the last one of the new protocol, the group is a classic one.
    Source: GroupMetadataManager.consumerGroupLeave.
    """
    if not can_write(state) or state.group.type != GroupType.CONSUMER:
        return False
    state.heartbeat.request.member_id = member_id
    state.heartbeat.request.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    return handle_heartbeat(state, rules, bounds)


def session_ends(state: State, rules: GroupLogRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The session of a member ends, in a group of the new protocol.

    Who: the coordinator.
    When: it has not heard of the member for too long.
    Effect: it is no member any more.
    Source: GroupMetadataManager.consumerGroupFenceMemberOperation.
    """
    if not can_write(state) or state.group.type != GroupType.CONSUMER:
        return False
    migration.expire_session(state.group, rules.groups, bounds.topics, state.connections, member_id, existing(bounds))
    return write(state)


def group_is_deleted(state: State) -> bool:
    """A group without members is deleted.

    Who: an operator; or the coordinator, after the group's last offset has expired.
    When: it has no members.
    Effect: there is no group. The next one with its id begins with the first epoch.
    Source: GroupMetadataManager.createGroupTombstoneRecords, maybeDeleteGroup.
    """
    if not can_write(state) or state.group.type != GroupType.CONSUMER or not migration.is_empty(state.group.consumer):
        return False
    clear(state.group)
    return write(state)


def log_is_cleaned(state: State, end: LogPosition) -> bool:
    """The cleaner removes what is superseded before an offset.

    Who: the log cleaner of the broker.
    When: it has not got so far.
    Effect: of each key only the last record before that offset is left.
    Source: LogCleaner.
    """
    if end <= state.log.cleaned_to or end > len(state.log.groups):
        return False
    state.log.cleaned_to = end
    return True


def coordinator_changes(state: State) -> bool:
    """Another broker becomes the group's coordinator, and begins to read the log.

    Who: the cluster.
    When: at any time.
    Effect: nobody writes the log.
    Source: CoordinatorRuntime.scheduleLoadOperation.
    """
    if state.loader.next_write != 0:
        return False
    loading.begin_reading(state.loader)
    return True


def coordinator_reads_write(state: State, rules: GroupLogRules) -> bool:
    """The new coordinator reads the records of a write.

    Who: the new coordinator.
    When: it has read those before, and none contradicted the others.
    Effect: as `read_write` says.
    Source: CoordinatorLoaderImpl.
    """
    if state.loader.next_write == 0 or state.loader.has_failed or state.loader.next_write >= len(state.log.groups):
        return False
    loading.read_write(state.loader, rules, state.log)
    return True
