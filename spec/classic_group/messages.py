"""What consumers and the coordinator of a classic group tell each other, and what each makes of it.

Part of Kafka judged: `impl/messages/classic_group.py`, `impl/classic_group/coordinator.py`,
`impl/classic_group/assignment.py` and `impl/client/classic_membership.py`, by their records only.
Source: KIP-62, KIP-345, KIP-394, KIP-429; apache/kafka `AbstractCoordinator`, `GroupMetadataManager`.
Left out, and why that is sound: that a request is handled in the end, which only liveness can say.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import (
    NO_GENERATION,
    NO_INSTANCE,
    NO_MEMBER_ID,
    ConsumerState,
    GroupError,
    GroupState,
    RequestKind,
    Stage,
)
from kafkacheck.impl.classic_group.records import ClassicGroup, ClassicGroupRules
from kafkacheck.impl.client.classic_membership import ClassicConsumer
from kafkacheck.impl.messages.classic_group import Connection, GroupRequest
from kafkacheck.model.classic_group.system import State


def is_sent(before: Connection, after: Connection) -> bool:
    """Whether a consumer has sent a request in this step."""
    return before.stage != Stage.REQUESTED and after.stage == Stage.REQUESTED


def kind_due(state: ConsumerState) -> RequestKind:
    """The request that a consumer in this state has under way."""
    if state == ConsumerState.PREPARING_REBALANCE:
        return RequestKind.JOIN
    if state == ConsumerState.COMPLETING_REBALANCE:
        return RequestKind.SYNC
    if state == ConsumerState.CLOSED:
        return RequestKind.LEAVE
    return RequestKind.HEARTBEAT


def says_who_sent_it(request: GroupRequest, sender: ClassicConsumer) -> bool:
    """Whether a request has the ids of its sender, and what else belongs to a request of its kind."""
    is_join = request.kind == RequestKind.JOIN
    return (
        request.member_id == sender.member_id
        and request.instance_id == sender.instance_id
        and request.generation == (NO_GENERATION if is_join else sender.generation)
        and request.owned == (sender.owned if is_join else Ids())
    )


def requests_are_true(before: State, after: State) -> bool:
    """A request says who the consumer is, in which generation, and what it owns.

    Lost if it fails: the coordinator takes the consumer for another member, or gives its partitions away.
    Source: `AbstractCoordinator.sendJoinGroupRequest`, `sendSyncGroupRequest`, `sendHeartbeatRequest`.
    """
    for consumer_id, consumer in enumerate(after.consumers):
        request = after.connections[consumer_id].request
        if is_sent(before.connections[consumer_id], after.connections[consumer_id]):
            if request.kind != kind_due(consumer.state):
                return False
            if consumer.state == ConsumerState.CLOSED:
                if not says_who_sent_it(request, before.consumers[consumer_id]):
                    return False
            elif not says_who_sent_it(request, consumer):
                return False
    return True


def joining_consumers_give_up_what_they_must(before: State, after: State, rules: ClassicGroupRules) -> bool:
    """A consumer that asks to join owns nothing, unless the protocol is cooperative and it is still a member.

    Lost to users: it processes a partition that the group gives to another member.
    Source: `ConsumerCoordinator.onJoinPrepare`.
    """
    return all(
        consumer.owned == Ids()
        or (rules.is_cooperative and before.consumers[consumer_id].generation != NO_GENERATION)
        or (rules.is_cooperative and before.consumers[consumer_id].owned == consumer.owned)
        for consumer_id, consumer in enumerate(after.consumers)
        if is_sent(before.connections[consumer_id], after.connections[consumer_id])
        and after.connections[consumer_id].request.kind == RequestKind.JOIN
    )


def instance_holder(group: ClassicGroup, instance_id: int) -> int:
    """The member that has an instance id; `NO_MEMBER_ID` if none has."""
    holder = NO_MEMBER_ID
    for member_id, member in enumerate(group.members):
        if member.is_member and member.instance_id == instance_id and instance_id != NO_INSTANCE:
            holder = member_id
    return holder


def membership_error(group: ClassicGroup, rules: ClassicGroupRules, request: GroupRequest) -> GroupError:
    """The error due to a request of a consumer that takes itself for a member."""
    if request.instance_id != NO_INSTANCE:
        holder = instance_holder(group, request.instance_id)
        if holder == NO_MEMBER_ID:
            return GroupError.UNKNOWN_MEMBER_ID
        is_fenced = holder != request.member_id and rules.instance_is_checked
        return GroupError.FENCED_INSTANCE_ID if is_fenced else GroupError.NONE
    if request.member_id != NO_MEMBER_ID and group.members[request.member_id].is_member:
        return GroupError.NONE
    return GroupError.UNKNOWN_MEMBER_ID


def due_error(group: ClassicGroup, rules: ClassicGroupRules, request: GroupRequest) -> GroupError:
    """The error due to a request in this state of the group."""
    error = membership_error(group, rules, request)
    if request.kind == RequestKind.JOIN or request.kind == RequestKind.LEAVE:
        if request.member_id == NO_MEMBER_ID:
            is_new = request.instance_id == NO_INSTANCE and rules.member_id_is_required
            return GroupError.MEMBER_ID_REQUIRED if is_new else GroupError.NONE
        return GroupError.NONE if request.member_id in group.pending else error
    if group.state == GroupState.EMPTY:
        return GroupError.UNKNOWN_MEMBER_ID
    if error == GroupError.NONE and request.generation != group.generation:
        return GroupError.ILLEGAL_GENERATION
    if error == GroupError.NONE and group.state == GroupState.PREPARING_REBALANCE:
        return GroupError.REBALANCE_IN_PROGRESS
    return error


def is_handled(before: State, after: State, consumer_id: int) -> bool:
    """Whether the coordinator has handled the request of a consumer that runs in this step."""
    stage = after.connections[consumer_id].stage
    if before.connections[consumer_id].stage != Stage.REQUESTED or before.budget.losses != after.budget.losses:
        return False
    return stage == Stage.PARKED or stage == Stage.ANSWERED


def requests_get_the_error_due(before: State, after: State, rules: ClassicGroupRules) -> bool:
    """A request is refused exactly if its member, instance or generation is wrong, or the group rebalances.

    Lost if it fails: a consumer that was replaced goes on, or one that does nothing wrong is thrown out.
    Source: `GroupMetadataManager.classicGroupJoin`, `classicGroupSync`, `classicGroupHeartbeat`, `classicGroupLeave`.
    """
    for consumer_id in range(len(before.consumers)):
        if is_handled(before, after, consumer_id):
            due = due_error(before.group, rules, before.connections[consumer_id].request)
            if after.connections[consumer_id].response.error != due:
                return False
            if due != GroupError.NONE and after.connections[consumer_id].stage == Stage.PARKED:
                return False
    return True


def refused_requests_change_nothing(before: State, after: State) -> bool:
    """A request that is refused leaves the group as it was; a member id that is given out is a pending one.

    Lost if it fails: a consumer that is no member changes who owns what.
    Source: as `requests_get_the_error_due`.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    for consumer_id, connection in enumerate(after.connections):
        if is_handled(before, after, consumer_id) and connection.response.error != GroupError.NONE:
            if connection.response.error == GroupError.MEMBER_ID_REQUIRED:
                if after.group.pending != before.group.pending | {connection.response.member_id}:
                    return False
                if after.group.members != before.group.members:
                    return False
            elif after.group != before.group:
                return False
    return True


def heartbeats_change_nothing(before: State, after: State) -> bool:
    """A heartbeat leaves the group as it was, and is answered at once.

    Lost if it fails: a member that only says that it lives changes who owns what.
    Source: `GroupMetadataManager.classicGroupHeartbeat`.
    """
    return all(
        after.group == before.group and after.connections[consumer_id].stage == Stage.ANSWERED
        for consumer_id, connection in enumerate(before.connections)
        if connection.request.kind == RequestKind.HEARTBEAT and is_handled(before, after, consumer_id)
    )


def new_generations_have_those_who_joined(before: State, after: State) -> bool:
    """A generation is the next one, and has the members that have joined, and static ones that may still come.

    Lost if it fails: a member is left out that has done nothing wrong, or one counts that nobody is.
    Source: `GroupMetadataManager.completeClassicGroupJoin`.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    if after.group.generation == before.group.generation:
        return True
    has_members = any(member.is_member for member in after.group.members)
    state = GroupState.COMPLETING_REBALANCE if has_members else GroupState.EMPTY
    if after.group.generation != before.group.generation + 1 or after.group.state != state:
        return False
    if has_members and not after.group.members[after.group.leader].is_member:
        return False
    return not after.group.is_delayed and all(
        not member.awaits_join and not member.awaits_sync for member in after.group.members
    )


def generations_do_not_leave_out_who_joined(before: State, after: State) -> bool:
    """A member that waits for the next generation is in it.

    Lost if it fails: a member that has done nothing wrong is left out.
    Source: `GroupMetadataManager.completeClassicGroupJoin`.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    return after.group.generation == before.group.generation or all(
        not member.awaits_join
        or after.group.members[member_id].is_member
        or before.budget.expirations != after.budget.expirations
        or not is_of_open_consumer(before, member_id)
        for member_id, member in enumerate(before.group.members)
    )


def is_of_open_consumer(state: State, member_id: int) -> bool:
    """Whether a consumer that takes part in the group has the member id, or is about to have it."""
    return any(
        consumer.member_id == member_id or state.connections[consumer_id].request.member_id == member_id
        for consumer_id, consumer in enumerate(state.consumers)
        if consumer.state != ConsumerState.CLOSED and consumer.state != ConsumerState.LEAVING
    )


def members_are_told_their_generation(before: State, after: State) -> bool:
    """The answer to a join has the generation. That to the leader also names all members and what they own.

    Lost if it fails: the leader assigns partitions to nobody, or forgets a member or what it owns.
    Source: `GroupMetadataManager.completeClassicGroupJoin`, `toJoinResponseMembers`.
    """
    for consumer_id, connection in enumerate(after.connections):
        was = before.connections[consumer_id]
        is_answer = connection.stage == Stage.ANSWERED and was.stage != Stage.ANSWERED
        if is_answer and was.request.kind == RequestKind.JOIN and connection.response.error == GroupError.NONE:
            if connection.response.generation != after.group.generation:
                return False
            is_told = connection.response.members != Ids()
            if is_told and connection.response.member_id != after.group.leader:
                return False
            if after.group.generation != before.group.generation:
                if is_told != (connection.response.member_id == after.group.leader):
                    return False
            for member_id, member in enumerate(after.group.members):
                if is_told and (member_id in connection.response.members) != member.is_member:
                    return False
                if is_told and member.is_member and connection.response.owned[member_id] != member.owned:
                    return False
    return True


def assigned_in(request: GroupRequest) -> Ids:
    """The partitions that a leader's request to sync assigns."""
    found = Ids()
    for assignment in request.assignments:
        found |= assignment
    return found


def leaders_assign_each_partition_once(before: State, after: State, rules: ClassicGroupRules, bounds: Bounds) -> bool:
    """A leader assigns each partition to one member; none that another member owns, if the protocol is cooperative.

    Lost to users: nobody processes a partition, or two members do.
    Source: `ConsumerCoordinator.onLeaderElected`; KIP-429.
    """
    for consumer_id, connection in enumerate(after.connections):
        response = before.connections[consumer_id].response
        if is_sent(before.connections[consumer_id], connection) and connection.request.kind == RequestKind.SYNC:
            given = sum(len(assignment) for assignment in connection.request.assignments)
            if response.members == Ids():
                if given > 0:
                    return False
            elif given != len(assigned_in(connection.request)):
                return False
            elif not rules.is_cooperative and given != bounds.partitions:
                return False
            if any(
                connection.request.assignments[member_id] & response.owned[other_id] != Ids()
                for member_id in response.members
                for other_id in response.members
                if rules.is_cooperative and member_id != other_id
            ):
                return False
    return True


def leaders_share_evenly(before: State, after: State, rules: ClassicGroupRules) -> bool:
    """If no partition is withheld, no member gets two partitions more than another one.

    Lost if it fails: a consumer has more to do than another one.
    Source: KIP-54 (sticky assignor).
    """
    return all(
        len(connection.request.assignments[one_id]) <= len(connection.request.assignments[other_id]) + 1
        for consumer_id, connection in enumerate(after.connections)
        if not rules.is_cooperative and is_sent(before.connections[consumer_id], connection)
        for one_id in before.connections[consumer_id].response.members
        for other_id in before.connections[consumer_id].response.members
    )


def syncs_tell_the_assignment(before: State, after: State) -> bool:
    """The answer to a sync has what the group has assigned to the member.

    Lost if it fails: two members own a partition.
    Source: `GroupMetadataManager.classicGroupSync`.
    """
    return all(
        connection.response.assigned == after.group.members[connection.response.member_id].assigned
        for consumer_id, connection in enumerate(after.connections)
        if connection.stage == Stage.ANSWERED and before.connections[consumer_id].stage != Stage.ANSWERED
        if before.connections[consumer_id].request.kind == RequestKind.SYNC
        if connection.response.error == GroupError.NONE
    )


def only_silent_members_are_removed(before: State, after: State) -> bool:
    """A member leaves the group only if it says so, is silent, is replaced, or by a disturbance.

    Lost to users: a consumer that does nothing wrong loses its partitions.
    Source: `GroupMetadataManager.removeCurrentMemberFromClassicGroup`.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    if before.budget.expirations != after.budget.expirations or before.budget.timeouts != after.budget.timeouts:
        return True
    return all(
        not is_of_open_consumer(before, member_id)
        or instance_holder(after.group, member.instance_id) != NO_MEMBER_ID
        or any(
            before.connections[consumer_id].request.kind == RequestKind.LEAVE
            and before.connections[consumer_id].request.member_id == member_id
            for consumer_id in range(len(before.consumers))
        )
        for member_id, member in enumerate(before.group.members)
        if member.is_member and not after.group.members[member_id].is_member
    )


def the_later_of_two_instances_stays(before: State, after: State) -> bool:
    """A static member is fenced only if a member that came later has its instance id.

    Lost to users: the consumer that was started last is thrown out, and the one that it replaced processes again.
    Source: KIP-345; KAFKA-10284.
    """
    return all(
        instance_holder(after.group, was.request.instance_id) > was.request.member_id
        for consumer_id, was in enumerate(before.connections)
        if was.stage == Stage.REQUESTED or was.stage == Stage.PARKED
        if after.connections[consumer_id].response.error == GroupError.FENCED_INSTANCE_ID
    )


def consumers_follow_responses(before: State, after: State, rules: ClassicGroupRules) -> bool:
    """After an error a consumer joins anew, with its member id unless that is unknown; after a sync it owns its share.

    Lost if it fails: a consumer that was thrown out goes on, or one that leaves comes back.
    Source: `AbstractCoordinator.JoinGroupResponseHandler`, `SyncGroupResponseHandler`, `HeartbeatResponseHandler`.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    for consumer_id, was in enumerate(before.consumers):
        now = after.consumers[consumer_id]
        response = before.connections[consumer_id].response
        is_gone = was.state == ConsumerState.CLOSED or was.state == ConsumerState.LEAVING
        is_received = before.connections[consumer_id].stage == Stage.ANSWERED and not is_gone
        is_disturbed = before.budget != after.budget
        if is_received and after.connections[consumer_id].stage != Stage.ANSWERED and not is_disturbed:
            if response.error == GroupError.FENCED_INSTANCE_ID:
                if now.state != ConsumerState.CLOSED or now.owned != Ids():
                    return False
            elif response.error != GroupError.NONE:
                if not now.needs_join or now.owned != was.owned:
                    return False
                is_unknown = response.error == GroupError.UNKNOWN_MEMBER_ID
                if is_unknown != (now.member_id == NO_MEMBER_ID):
                    return False
                if (is_unknown or response.error == GroupError.ILLEGAL_GENERATION) and now.generation != NO_GENERATION:
                    return False
            elif was.state == ConsumerState.PREPARING_REBALANCE:
                if now.generation != response.generation or now.member_id != response.member_id:
                    return False
            elif was.state == ConsumerState.COMPLETING_REBALANCE:
                gives_up = rules.is_cooperative and was.owned - response.assigned != Ids()
                if now.owned != response.assigned or now.needs_join != gives_up:
                    return False
            elif now != was:
                return False
    return True


def disturbances_of_classic_groups_are_real(before: State, after: State) -> bool:
    """Each disturbance that is charged to the budget has really happened.

    Lost if it fails: the models have fewer disturbances than their bounds say.
    Source: the budget of `model/classic_group/system.py`.
    """
    if before.budget.losses != after.budget.losses:
        return before.connections != after.connections
    if before.budget.expirations != after.budget.expirations:
        return before.group.members != after.group.members
    if before.budget.timeouts != after.budget.timeouts:
        is_waiting = before.group.state == GroupState.PREPARING_REBALANCE and not before.group.is_delayed
        return (
            is_waiting
            and before.group.generation != after.group.generation
            and any(member.is_member and not member.awaits_join for member in before.group.members)
        )
    return True


def the_log_has_the_group(state: State) -> bool:
    """The log has a group that is stable or empty, and never one in the middle of a rebalance.

    Lost if it fails: another coordinator forgets members, or takes a consumer for a member that was replaced.
    Source: `GroupMetadataManager.classicGroupSync`, `completeClassicGroupJoin`; KAFKA-10284.
    """
    if state.logged.state != GroupState.STABLE and state.logged.state != GroupState.EMPTY:
        return False
    is_whole = state.group.state == GroupState.STABLE or state.group.state == GroupState.EMPTY
    is_logged = state.logged.members == state.group.members and state.logged.generation == state.group.generation
    return not is_whole or is_logged


def new_classic_coordinators_have_the_log(before: State, after: State) -> bool:
    """Another coordinator has the group as the log has it, and only requests that were parked are given up.

    Lost if it fails: it knows members or generations that were never written, or forgets some that were.
    Source: `GroupMetadataManager.onLoaded`, `onUnloaded`; KAFKA-16148.
    """
    if before.budget.failovers == after.budget.failovers:
        return True
    is_read = after.group.members == before.logged.members and after.group.generation == before.logged.generation
    return is_read and all(
        (was.stage == Stage.PARKED) == (was != now) for was, now in zip(before.connections, after.connections)
    )
