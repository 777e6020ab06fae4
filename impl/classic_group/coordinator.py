"""The coordinator of a classic group: it handles requests, and goes from one generation to the next.

Part of Kafka modelled: `GroupMetadataManager` (`classicGroupJoin`, `classicGroupSync`, `classicGroupHeartbeat`,
`classicGroupLeave`, `completeClassicGroupJoin`).
Source: apache/kafka (commit 1eb7644349); KIP-62, KIP-345, KIP-394.
Left out, and why that is sound: the time of sessions, joins and the first delay, which end at once, later or never;
the end of the time to sync, which removes several members as the ends of their sessions do; and the order of Kafka's
hash map of members, in place of which the lowest member id comes first: only which member leads depends on it.
"""

from kafkacheck.checker.schema import Array, Ids, clear
from kafkacheck.impl.classic_group.constants import (
    NO_INSTANCE,
    NO_MEMBER_ID,
    GroupError,
    GroupState,
    RequestKind,
    Stage,
)
from kafkacheck.impl.classic_group.records import ClassicGroup, ClassicGroupRules, ClassicMember
from kafkacheck.impl.messages.classic_group import Connection, GroupRequest


def has_members(group: ClassicGroup) -> bool:
    """Whether the group has any member."""
    return any(member.is_member for member in group.members)


def all_have_joined(group: ClassicGroup) -> bool:
    """Whether every member waits for the new generation, and nobody is still to come with a new member id."""
    return group.pending == Ids() and all(member.awaits_join for member in group.members if member.is_member)


def member_of_instance(group: ClassicGroup, instance_id: int) -> int:
    """The static member that has an instance id; `NO_MEMBER_ID` if there is none."""
    found = NO_MEMBER_ID
    for member_id, member in enumerate(group.members):
        if member.is_member and instance_id != NO_INSTANCE and member.instance_id == instance_id:
            found = member_id
    return found


def member_error(group: ClassicGroup, rules: ClassicGroupRules, request: GroupRequest) -> GroupError:
    """The error due to a request because of its member and instance ids, or `NONE`.

    Before KAFKA-8225 the instance id alone decided, so that two consumers could use it.
    """
    if request.instance_id != NO_INSTANCE:
        current = member_of_instance(group, request.instance_id)
        if current == NO_MEMBER_ID:
            return GroupError.UNKNOWN_MEMBER_ID
        if current != request.member_id and rules.instance_is_checked:
            return GroupError.FENCED_INSTANCE_ID
        return GroupError.NONE
    if request.member_id == NO_MEMBER_ID or not group.members[request.member_id].is_member:
        return GroupError.UNKNOWN_MEMBER_ID
    return GroupError.NONE


def generation_error(group: ClassicGroup, rules: ClassicGroupRules, request: GroupRequest) -> GroupError:
    """The error due to a request of a member in some generation, or `NONE`: also that of a commit."""
    if group.state == GroupState.EMPTY:
        return GroupError.UNKNOWN_MEMBER_ID
    error = member_error(group, rules, request)
    if error != GroupError.NONE:
        return error
    if request.generation != group.generation:
        return GroupError.ILLEGAL_GENERATION
    return GroupError.NONE


def answer_request(connection: Connection, error: GroupError, member_id: int) -> None:
    """Answer the request of a consumer, without more than an error and its member id."""
    clear(connection.request)
    connection.stage = Stage.ANSWERED
    connection.response.error = error
    connection.response.member_id = member_id


def answer_join(group: ClassicGroup, connection: Connection, member_id: int, computes_assignments: bool) -> None:
    """Answer a request to join with the generation; tell a leader that computes the assignments of all members."""
    answer_request(connection, GroupError.NONE, member_id)
    connection.response.generation = group.generation
    if computes_assignments and member_id == group.leader:
        for other_id, other in enumerate(group.members):
            if other.is_member:
                connection.response.members |= {other_id}
                connection.response.owned[other_id] = other.owned


def answer_parked(connections: Array[Connection], kind: RequestKind, member_id: int, error: GroupError) -> None:
    """Answer the parked request of a member with an error, if there is one of that kind."""
    for connection in connections:
        if connection.stage == Stage.PARKED and connection.request.kind == kind:
            if connection.request.member_id == member_id:
                answer_request(connection, error, member_id)


def park(connection: Connection, member_id: int) -> None:
    """Keep a request until it can be answered."""
    connection.stage = Stage.PARKED
    connection.request.member_id = member_id


def first_member(group: ClassicGroup, awaits_join: bool) -> int:
    """The first member, of those only that wait for the new generation if that is asked; else `NO_MEMBER_ID`."""
    found = NO_MEMBER_ID
    for member_id, member in enumerate(group.members):
        if found == NO_MEMBER_ID and member.is_member and (member.awaits_join or not awaits_join):
            found = member_id
    return found


def drop_member(group: ClassicGroup, member_id: int) -> None:
    """Forget a member. If it was the leader, the first one that is left leads.

    Source: ClassicGroup.remove.
    """
    clear(group.members[member_id])
    if group.leader == member_id:
        group.leader = first_member(group, False)


def complete_join(group: ClassicGroup, connections: Array[Connection]) -> None:
    """Begin the next generation with the members that have joined.

    Dynamic members that have not are removed. Static ones stay until their sessions end. If nobody has joined, the
    group waits on.
    Source: GroupMetadataManager.completeClassicGroupJoin.
    """
    for member_id, member in enumerate(group.members):
        if member.is_member and not member.awaits_join and member.instance_id == NO_INSTANCE:
            drop_member(group, member_id)
    first = first_member(group, True)
    if first == NO_MEMBER_ID and has_members(group):
        return
    if group.leader == NO_MEMBER_ID or not group.members[group.leader].awaits_join:
        group.leader = first
    group.is_delayed = False
    group.generation += 1
    group.state = GroupState.EMPTY if first == NO_MEMBER_ID else GroupState.COMPLETING_REBALANCE
    for connection in connections:
        if connection.stage == Stage.PARKED and connection.request.kind == RequestKind.JOIN:
            answer_join(group, connection, connection.request.member_id, True)
    for member in group.members:
        member.awaits_join = False
        member.is_new = False


def maybe_complete_join(group: ClassicGroup, connections: Array[Connection]) -> None:
    """Begin the next generation if everybody has joined."""
    if group.state == GroupState.PREPARING_REBALANCE and not group.is_delayed and all_have_joined(group):
        complete_join(group, connections)


def rebalance(group: ClassicGroup, connections: Array[Connection]) -> None:
    """Wait until the members have joined anew; a group that was empty waits for more members as well.

    Source: GroupMetadataManager.prepareRebalance, maybeCompleteJoinElseSchedule.
    """
    if group.state == GroupState.COMPLETING_REBALANCE:
        for member_id, member in enumerate(group.members):
            member.assigned = Ids()
            if member.awaits_sync:
                answer_parked(connections, RequestKind.SYNC, member_id, GroupError.REBALANCE_IN_PROGRESS)
            member.awaits_sync = False
    if group.state == GroupState.EMPTY:
        group.is_delayed = True
    group.state = GroupState.PREPARING_REBALANCE
    maybe_complete_join(group, connections)


def rebalance_without(group: ClassicGroup, connections: Array[Connection]) -> None:
    """Go on after somebody has left: rebalance unless that is under way, or nobody is left to rebalance."""
    if group.state == GroupState.PREPARING_REBALANCE:
        maybe_complete_join(group, connections)
    elif group.state != GroupState.EMPTY:
        rebalance(group, connections)


def remove_classic_member(group: ClassicGroup, connections: Array[Connection], member_id: int) -> None:
    """Remove a member that leaves, or whose session has ended. A request to sync that it has parked is not answered.

    Source: GroupMetadataManager.removeCurrentMemberFromClassicGroup.
    """
    answer_parked(connections, RequestKind.JOIN, member_id, GroupError.UNKNOWN_MEMBER_ID)
    drop_member(group, member_id)


def expire_pending(group: ClassicGroup, connections: Array[Connection], member_id: int) -> None:
    """Forget a member id that a consumer was told, and has not joined with.

    Source: GroupMetadataManager.removePendingMemberAndUpdateClassicGroup.
    """
    group.pending -= {member_id}
    if group.state == GroupState.PREPARING_REBALANCE and all_have_joined(group):
        complete_join(group, connections)


def wait_for_join(group: ClassicGroup, connections: Array[Connection], consumer_id: int, member_id: int) -> None:
    """Let a member that joins wait for the others, and rebalance unless that is under way."""
    request = connections[consumer_id].request
    member = group.members[member_id]
    if not member.is_member:
        member.is_member = True
        member.is_new = True
        member.instance_id = request.instance_id
    member.awaits_join = True
    member.owned = request.owned
    park(connections[consumer_id], member_id)
    if group.leader == NO_MEMBER_ID:
        group.leader = member_id
    if group.state == GroupState.PREPARING_REBALANCE:
        maybe_complete_join(group, connections)
    else:
        rebalance(group, connections)


def replace_static_member(
    group: ClassicGroup,
    rules: ClassicGroupRules,
    connections: Array[Connection],
    consumer_id: int,
    old_id: int,
    new_id: int,
) -> None:
    """Let another consumer with the same instance id take the place of a static member.

    The former one is fenced. A stable group stays as it is, and the new member has the old one's assignment.
    Source: GroupMetadataManager.updateStaticMemberThenRebalanceOrCompleteJoin.
    """
    answer_parked(connections, RequestKind.JOIN, old_id, GroupError.FENCED_INSTANCE_ID)
    answer_parked(connections, RequestKind.SYNC, old_id, GroupError.FENCED_INSTANCE_ID)
    member = group.members[new_id]
    member.is_member = True
    member.instance_id = group.members[old_id].instance_id
    member.owned = connections[consumer_id].request.owned
    member.assigned = group.members[old_id].assigned
    clear(group.members[old_id])
    if group.leader == old_id:
        group.leader = new_id
    if group.state == GroupState.STABLE:
        answer_join(group, connections[consumer_id], new_id, False)
    elif group.state == GroupState.COMPLETING_REBALANCE and not rules.static_join_rebalances:
        answer_join(group, connections[consumer_id], new_id, False)
    else:
        wait_for_join(group, connections, consumer_id, new_id)


def join_without_member_id(
    group: ClassicGroup, rules: ClassicGroupRules, connections: Array[Connection], consumer_id: int
) -> None:
    """Give a consumer a member id. A static member joins with it at once, any other one has to ask again."""
    connection = connections[consumer_id]
    member_id = group.last_member_id + 1
    group.last_member_id = member_id
    old_id = member_of_instance(group, connection.request.instance_id)
    if old_id != NO_MEMBER_ID:
        replace_static_member(group, rules, connections, consumer_id, old_id, member_id)
    elif connection.request.instance_id == NO_INSTANCE and rules.member_id_is_required:
        group.pending |= {member_id}
        answer_request(connection, GroupError.MEMBER_ID_REQUIRED, member_id)
    else:
        wait_for_join(group, connections, consumer_id, member_id)


def classic_group_join(
    group: ClassicGroup, rules: ClassicGroupRules, connections: Array[Connection], consumer_id: int
) -> None:
    """Handle a request to join.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: a member waits for the others. A member that joins this generation again, with nothing changed, gets the
        generation at once.
    Source: GroupMetadataManager.classicGroupJoinToClassicGroup.
    """
    connection = connections[consumer_id]
    member_id = connection.request.member_id
    if member_id == NO_MEMBER_ID:
        join_without_member_id(group, rules, connections, consumer_id)
        return
    if member_id in group.pending:
        group.pending -= {member_id}
        wait_for_join(group, connections, consumer_id, member_id)
        return
    error = member_error(group, rules, connection.request)
    if error != GroupError.NONE:
        answer_request(connection, error, member_id)
        return
    has_same_partitions = connection.request.owned == group.members[member_id].owned
    if group.state == GroupState.COMPLETING_REBALANCE and has_same_partitions:
        answer_join(group, connection, member_id, True)
    elif group.state == GroupState.STABLE and has_same_partitions and member_id != group.leader:
        answer_join(group, connection, member_id, True)
    else:
        wait_for_join(group, connections, consumer_id, member_id)


def give_assignments(group: ClassicGroup, connections: Array[Connection], request: GroupRequest) -> None:
    """Take the assignments of the leader, and answer everybody who waits for them."""
    for member_id, member in enumerate(group.members):
        if member.is_member:
            member.assigned = request.assignments[member_id]
    group.state = GroupState.STABLE
    for connection in connections:
        if connection.stage == Stage.PARKED and connection.request.kind == RequestKind.SYNC:
            if group.members[connection.request.member_id].awaits_sync:
                answer_sync(group, connection)
    for member in group.members:
        member.awaits_sync = False


def answer_sync(group: ClassicGroup, connection: Connection) -> None:
    """Tell a member its assignment."""
    member_id = connection.request.member_id
    answer_request(connection, GroupError.NONE, member_id)
    connection.response.assigned = group.members[member_id].assigned


def classic_group_sync(
    group: ClassicGroup, rules: ClassicGroupRules, connections: Array[Connection], consumer_id: int
) -> None:
    """Handle a request for an assignment.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: it waits for the assignments, which that of the leader has.
    Source: GroupMetadataManager.classicGroupSync.
    """
    connection = connections[consumer_id]
    member_id = connection.request.member_id
    error = generation_error(group, rules, connection.request)
    if error != GroupError.NONE:
        answer_request(connection, error, member_id)
    elif group.state == GroupState.PREPARING_REBALANCE:
        answer_request(connection, GroupError.REBALANCE_IN_PROGRESS, member_id)
    elif group.state == GroupState.STABLE:
        answer_sync(group, connection)
    else:
        park(connection, member_id)
        group.members[member_id].awaits_sync = True
        if member_id == group.leader:
            give_assignments(group, connections, connection.request)


def classic_group_heartbeat(group: ClassicGroup, rules: ClassicGroupRules, connection: Connection) -> None:
    """Handle a heartbeat: the member learns of a rebalance by the answer.

    Source: GroupMetadataManager.classicGroupHeartbeat.
    """
    member_id = connection.request.member_id
    error = generation_error(group, rules, connection.request)
    if error == GroupError.NONE and group.state == GroupState.PREPARING_REBALANCE:
        error = GroupError.REBALANCE_IN_PROGRESS
    answer_request(connection, error, member_id)


def classic_group_leave(
    group: ClassicGroup, rules: ClassicGroupRules, connections: Array[Connection], consumer_id: int
) -> None:
    """Handle a request to leave. The group rebalances even if the one that leaves has not joined yet.

    Source: GroupMetadataManager.classicGroupLeave.
    """
    connection = connections[consumer_id]
    member_id = connection.request.member_id
    error = member_error(group, rules, connection.request)
    if member_id in group.pending:
        group.pending -= {member_id}
        error = GroupError.NONE
    elif error == GroupError.NONE:
        remove_classic_member(group, connections, member_id)
    if error == GroupError.NONE:
        rebalance_without(group, connections)
    answer_request(connection, error, member_id)


def expire_member(group: ClassicGroup, connections: Array[Connection], member: ClassicMember, member_id: int) -> bool:
    """The session of a member ends; False if it waits for the coordinator, unless it has been in no generation yet.

    If all others have joined, the next generation begins, even if the group, which was empty, waits for more members.
    Source: GroupMetadataManager.expireClassicGroupMemberHeartbeat, ClassicGroupMember.hasSatisfiedHeartbeat.
    """
    if not member.is_member or (not member.is_new and (member.awaits_join or member.awaits_sync)):
        return False
    remove_classic_member(group, connections, member_id)
    if group.state != GroupState.PREPARING_REBALANCE:
        rebalance(group, connections)
    elif all_have_joined(group):
        complete_join(group, connections)
    return True
