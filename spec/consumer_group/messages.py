"""What consumers and their coordinator tell each other, what each makes of it, and that disturbances have happened.

Part of Kafka judged: `impl/messages/consumer_group_heartbeat.py`, `impl/consumer_group/coordinator.py` and
`impl/client/consumer_membership.py`, by their records only.
Source: KIP-848; apache/kafka `ConsumerHeartbeatRequestManager`, `AbstractMembershipManager`, `GroupMetadataManager`.
Left out, and why that is sound: that a heartbeat is handled in the end, which only liveness can say.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_INSTANCE,
    ConsumerState,
    HeartbeatError,
    HeartbeatStage,
    MemberState,
)
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules, GroupMember
from kafkacheck.impl.messages.consumer_group_heartbeat import HeartbeatRequest
from kafkacheck.model.consumer_group.system import State
from kafkacheck.spec.consumer_group.properties import is_member, takes_no_part


def heartbeats_are_true(before: State, after: State) -> bool:
    """A heartbeat has the epoch of its consumer, and the topics and partitions that the consumer has, if it names them.

    Lost if it fails: the coordinator takes a partition for revoked that the consumer still processes.
    Source: `ConsumerHeartbeatRequestManager.buildRequestData`.
    """
    for member_id, consumer in enumerate(before.consumers):
        heartbeat = after.heartbeats[member_id]
        request = heartbeat.request
        is_sent = before.heartbeats[member_id].stage == HeartbeatStage.IDLE
        if is_sent and heartbeat.stage == HeartbeatStage.REQUESTED:
            if takes_no_part(consumer.state) or consumer.state == ConsumerState.STALE or request.member_id != member_id:
                return False
            if request.member_epoch != consumer.member_epoch or request.instance_id != consumer.instance_id:
                return False
            is_leaving = consumer.state == ConsumerState.LEAVING
            if request.is_temporary != (is_leaving and consumer.instance_id != NO_INSTANCE):
                return False
            if request.subscribed != (consumer.subscribed if request.names_topics else Ids()):
                return False
            if request.names_owned and not consumer.owned <= request.owned:
                return False
            if not request.names_owned and request.owned != Ids():
                return False
    return True


def heartbeats_claim_nothing_else(before: State, after: State, rules: ConsumerGroupRules) -> bool:
    """A heartbeat names no partition as owned that the consumer does not own, or is about to own by a rule of ours.

    Lost to users: nobody reads a partition, because the coordinator takes its member for one that does.
    Source: `ConsumerHeartbeatRequestManager.buildRequestData`; franz-go 1357.
    """
    return all(
        after.heartbeats[member_id].request.owned <= consumer.owned
        or (
            rules.target_counts_as_owned
            and after.heartbeats[member_id].request.owned <= consumer.owned | consumer.target | consumer.reconciled
        )
        for member_id, consumer in enumerate(before.consumers)
        if before.heartbeats[member_id].stage == HeartbeatStage.IDLE
    )


def is_full(request: HeartbeatRequest) -> bool:
    """Whether a heartbeat names all that it can."""
    return request.names_timeout and request.names_topics and request.names_owned


def joining_heartbeats_are_full(before: State, after: State) -> bool:
    """A heartbeat with which a consumer joins names all that it can.

    Lost if it fails: a member has no subscription, or that of the member that it was before.
    Source: `ConsumerHeartbeatRequestManager.buildRequestData`; KAFKA-16190.
    """
    return all(
        is_full(after.heartbeats[member_id].request)
        for member_id, consumer in enumerate(before.consumers)
        if before.heartbeats[member_id].stage == HeartbeatStage.IDLE and consumer.state == ConsumerState.JOINING
        if after.heartbeats[member_id].stage == HeartbeatStage.REQUESTED
    )


def error_due_to_instance(group: ConsumerGroup, rules: ConsumerGroupRules, request: HeartbeatRequest) -> HeartbeatError:
    """The error due to a heartbeat because another member, or the same one, has its instance id."""
    is_joining = request.member_epoch == JOIN_GROUP_MEMBER_EPOCH
    for member_id, member in enumerate(group.members):
        if request.instance_id != NO_INSTANCE and is_member(member) and member.instance_id == request.instance_id:
            is_own = member_id == request.member_id
            if is_joining and not member.has_left and not (is_own and rules.own_instance_is_free):
                return HeartbeatError.UNRELEASED_INSTANCE_ID
            if not is_joining and not is_own:
                return HeartbeatError.FENCED_INSTANCE_ID
    return HeartbeatError.NONE


def is_malformed(request: HeartbeatRequest) -> bool:
    """Whether a heartbeat joins without what a join must name, or owns something already."""
    return request.member_epoch == JOIN_GROUP_MEMBER_EPOCH and (not is_full(request) or request.owned != Ids())


def due_error(group: ConsumerGroup, rules: ConsumerGroupRules, request: HeartbeatRequest) -> HeartbeatError:
    """The error due to a heartbeat."""
    if is_malformed(request):
        return HeartbeatError.INVALID_REQUEST
    error = error_due_to_instance(group, rules, request)
    if error != HeartbeatError.NONE:
        return error
    member = group.members[request.member_id]
    is_joining = request.member_epoch == JOIN_GROUP_MEMBER_EPOCH
    if not is_member(member):
        return HeartbeatError.NONE if is_joining else HeartbeatError.UNKNOWN_MEMBER_ID
    is_current = request.member_epoch == member.member_epoch or request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH
    is_repeated = request.member_epoch == member.previous_member_epoch and request.member_epoch < member.member_epoch
    is_harmless = request.names_owned and request.owned <= member.assigned
    if is_current or (is_repeated and is_harmless) or (is_joining and rules.join_is_always_accepted):
        return HeartbeatError.NONE
    return HeartbeatError.FENCED_MEMBER_EPOCH


def is_handled(before: State, after: State, member_id: int) -> bool:
    """Whether the coordinator has handled the consumer's heartbeat in this step, and the consumer lives."""
    stage = after.heartbeats[member_id].stage
    if before.heartbeats[member_id].stage != HeartbeatStage.REQUESTED:
        return False
    return stage == HeartbeatStage.APPENDED or stage == HeartbeatStage.ANSWERED


def refused_heartbeats_change_nothing(before: State, after: State, rules: ConsumerGroupRules) -> bool:
    """A heartbeat is refused exactly if its epoch is wrong, and then the group stays as it was.

    Lost if it fails: a consumer that was fenced goes on, or one that does nothing wrong is fenced.
    Source: `GroupMetadataManager.throwIfConsumerGroupMemberEpochIsInvalid`.
    """
    for member_id in range(len(before.consumers)):
        if is_handled(before, after, member_id):
            request = before.heartbeats[member_id].request
            due = due_error(before.group, rules, request)
            if after.heartbeats[member_id].response.error != due:
                return False
            if due != HeartbeatError.NONE and after.group != before.group:
                return False
    return True


def responses_tell_what_the_group_has(before: State, after: State, rules: ConsumerGroupRules) -> bool:
    """A response has the member's epoch. It names the assignment if that has changed, or if the heartbeat was full.

    Lost if it fails: a member is not told what to give up, or acknowledges an assignment that it has not.
    Source: `GroupMetadataManager.consumerGroupHeartbeat`.
    """
    for member_id in range(len(before.consumers)):
        response = after.heartbeats[member_id].response
        if is_handled(before, after, member_id) and response.error == HeartbeatError.NONE:
            member = after.group.members[member_id]
            request = before.heartbeats[member_id].request
            is_leave = request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH
            if is_leave == (is_member(member) and not member.has_left):
                return False
            if response.member_epoch != (LEAVE_GROUP_MEMBER_EPOCH if is_leave else member.member_epoch):
                return False
            is_due = (
                is_full(request) or request.member_epoch == JOIN_GROUP_MEMBER_EPOCH or rules.assignment_is_always_told
            )
            if member.assigned != before.group.members[member_id].assigned:
                is_due = True
            if response.names_assignment != (is_due and not is_leave):
                return False
            if response.assigned != (member.assigned if response.names_assignment else Ids()):
                return False
    return True


def responses_are_committed(before: State, after: State) -> bool:
    """A response waits until the log has the group as it was when the response was written.

    Lost if it fails: a consumer is told what another coordinator does not know.
    Source: `CoordinatorRuntime`.
    """
    return all(
        heartbeat.stage != HeartbeatStage.APPENDED
        or after.heartbeats[member_id].stage != HeartbeatStage.ANSWERED
        or after.logged == before.group
        for member_id, heartbeat in enumerate(before.heartbeats)
    )


def new_coordinators_have_the_log(before: State, after: State) -> bool:
    """Another coordinator has the group as the log has it, and only heartbeats that waited for records are given up.

    Lost if it fails: it knows members or assignments that were never committed, or forgets some that were.
    Source: `CoordinatorRuntime`.
    """
    if before.budget.failovers == after.budget.failovers:
        return True
    return after.group == before.logged and all(
        (heartbeat.stage == HeartbeatStage.APPENDED) == (after.heartbeats[member_id] != heartbeat)
        for member_id, heartbeat in enumerate(before.heartbeats)
    )


def is_fatal_error(error: HeartbeatError) -> bool:
    """Whether a consumer that gets the error must not join again."""
    return is_about_instance(error) or error == HeartbeatError.INVALID_REQUEST


def is_about_instance(error: HeartbeatError) -> bool:
    """Whether a consumer that gets the error has lost its instance id to another."""
    return error == HeartbeatError.UNRELEASED_INSTANCE_ID or error == HeartbeatError.FENCED_INSTANCE_ID


def consumers_follow_responses(before: State, after: State) -> bool:
    """A member takes the epoch and the assignment of a response; after an error it owns nothing, and may join anew.

    Lost if it fails: a member that was fenced goes on to process, or one that leaves comes back.
    Source: `AbstractMembershipManager.onHeartbeatSuccess`, `transitionToFenced`; apache/kafka pull request 15362.
    """
    for member_id, was in enumerate(before.consumers):
        heartbeat = before.heartbeats[member_id]
        is_received = heartbeat.stage == HeartbeatStage.ANSWERED and before.budget.losses == after.budget.losses
        if before.budget.slow_polls != after.budget.slow_polls:
            is_received = False
        if is_received and after.heartbeats[member_id].stage == HeartbeatStage.IDLE and not takes_no_part(was.state):
            now = after.consumers[member_id]
            if now.state == ConsumerState.CRASHED:
                return before.budget.crashes != after.budget.crashes
            if was.state == ConsumerState.LEAVING and heartbeat.response.error == HeartbeatError.NONE:
                if now != was:
                    return False
            elif heartbeat.response.error != HeartbeatError.NONE:
                is_leaving = was.state == ConsumerState.PREPARE_LEAVING or was.state == ConsumerState.LEAVING
                due = ConsumerState.UNSUBSCRIBED if is_leaving else ConsumerState.JOINING
                if is_fatal_error(heartbeat.response.error):
                    due = ConsumerState.FATAL
                if now.owned != Ids() or now.state != due:
                    return False
            elif now.member_epoch != heartbeat.response.member_epoch:
                return False
            elif heartbeat.response.names_assignment and was.state != ConsumerState.PREPARE_LEAVING:
                if now.target != heartbeat.response.assigned:
                    return False
            elif now.target != was.target or now.state != was.state:
                return False
    return True


def consumers_end_only_because_of_their_instance(before: State, after: State) -> bool:
    """A consumer ends only if a response says that its instance id belongs to another member.

    Lost to users: a consumer that has done nothing wrong meets a fatal error, and its application must start again.
    Source: `AbstractHeartbeatRequestManager.onErrorResponse`; librdkafka 5488, 5541.
    """
    return all(
        consumer.state != ConsumerState.FATAL
        or before.consumers[member_id].state == ConsumerState.FATAL
        or is_about_instance(before.heartbeats[member_id].response.error)
        or (consumer.instance_id != NO_INSTANCE and has_former_response(before, member_id))
        for member_id, consumer in enumerate(after.consumers)
    )


def has_former_response(state: State, member_id: int) -> bool:
    """Whether a response to a heartbeat of the consumer's former membership speaks of its instance id."""
    return is_about_instance(state.farewells[member_id].former.response.error)


def is_out(state: ConsumerState) -> bool:
    """Whether a consumer in that state has left its group for good, or is about to."""
    return (
        state == ConsumerState.PREPARE_LEAVING or state == ConsumerState.LEAVING or state == ConsumerState.UNSUBSCRIBED
    )


def only_applications_leave(before: State, after: State) -> bool:
    """A consumer that takes part leaves for good only if its application asks for that.

    Lost to users: nobody reads its partitions any more, and nothing tells the application.
    Source: `AbstractMembershipManager.leaveGroup`; librdkafka 5488.
    """
    return before.budget.leaves != after.budget.leaves or all(
        is_out(before.consumers[member_id].state) or not is_out(consumer.state)
        for member_id, consumer in enumerate(after.consumers)
    )


def has_successor(group: ConsumerGroup, member: GroupMember) -> bool:
    """Whether another member has the place of a static one that had left for a while."""
    return member.has_left and any(member.instance_id == each.instance_id for each in group.members if is_member(each))


def only_silent_members_are_removed(before: State, after: State) -> bool:
    """A member leaves the group only by a heartbeat that says so, or if it is silent, or fenced by a disturbance.

    A consumer that polls too seldom is silent, and may have joined again before its leave is handled.

    Lost to users: a consumer that does nothing wrong loses its partitions.
    Source: `GroupMetadataManager.consumerGroupFenceMember`.
    """
    if before.budget.expirations != after.budget.expirations or before.budget.failovers != after.budget.failovers:
        return True
    if before.budget.timeouts != after.budget.timeouts:
        return True
    if before.late_heartbeats != after.late_heartbeats:
        return True
    return all(
        takes_no_part(before.consumers[member_id].state)
        or before.consumers[member_id].state == ConsumerState.STALE
        or says_farewell(before, member_id)
        or has_successor(after.group, member)
        or (
            before.heartbeats[member_id].stage == HeartbeatStage.REQUESTED
            and before.heartbeats[member_id].request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH
        )
        for member_id, member in enumerate(before.group.members)
        if is_member(member) and not is_member(after.group.members[member_id])
    )


def says_farewell(state: State, member_id: int) -> bool:
    """Whether a consumer has said that it leaves because it polls too seldom, and that arrives next."""
    former = state.farewells[member_id].former.stage
    return state.farewells[member_id].leave.stage == HeartbeatStage.REQUESTED and former != HeartbeatStage.REQUESTED


def gives_up_farewells(before: State, after: State) -> bool:
    """Whether some consumer no longer waits for what it had sent when it polled too seldom."""
    return any(
        (farewell.leave.stage != HeartbeatStage.IDLE or farewell.former.stage != HeartbeatStage.IDLE)
        and after.farewells[member_id].leave.stage == HeartbeatStage.IDLE
        and after.farewells[member_id].former.stage == HeartbeatStage.IDLE
        for member_id, farewell in enumerate(before.farewells)
    )


def gives_up_heartbeats(before: State, after: State) -> bool:
    """Whether some consumer no longer waits for a heartbeat that it had sent, or for the response."""
    return any(
        (heartbeat.stage == HeartbeatStage.REQUESTED or heartbeat.stage == HeartbeatStage.ANSWERED)
        and after.heartbeats[member_id].stage == HeartbeatStage.IDLE
        for member_id, heartbeat in enumerate(before.heartbeats)
    )


def disturbances_of_groups_are_real(before: State, after: State) -> bool:
    """Each disturbance that is charged to the budget has really happened.

    Lost if it fails: the models have fewer disturbances than their bounds say.
    Source: the budget of `model/consumer_group/system.py`.
    """
    if before.budget.losses != after.budget.losses:
        if not gives_up_heartbeats(before, after) and not gives_up_farewells(before, after):
            return False
    if before.budget.slow_polls != after.budget.slow_polls:
        if not any(
            consumer.state == ConsumerState.STALE and before.consumers[member_id].state != ConsumerState.STALE
            for member_id, consumer in enumerate(after.consumers)
        ):
            return False
    if before.budget.delays != after.budget.delays and before.late_heartbeats == after.late_heartbeats:
        return False
    if before.budget.expirations != after.budget.expirations:
        if not any(
            is_member(member) and not is_member(after.group.members[member_id])
            for member_id, member in enumerate(before.group.members)
        ):
            return False
    if before.budget.timeouts != after.budget.timeouts:
        if not any(
            member.state == MemberState.UNREVOKED_PARTITIONS and not is_member(after.group.members[member_id])
            for member_id, member in enumerate(before.group.members)
        ):
            return False
    if before.budget.restarts != after.budget.restarts:
        if not any(
            takes_no_part(before.consumers[member_id].state) and consumer.state == ConsumerState.JOINING
            for member_id, consumer in enumerate(after.consumers)
        ):
            return False
    if before.budget.subscription_changes != after.budget.subscription_changes:
        return any(
            consumer.subscribed != Ids() and consumer.subscribed != before.consumers[member_id].subscribed
            for member_id, consumer in enumerate(after.consumers)
        )
    return True


def has_same_topics(state: State) -> bool:
    """Whether all members subscribe to the same topics."""
    return all(
        one.subscribed == other.subscribed or not is_member(one) or not is_member(other)
        for one in state.group.members
        for other in state.group.members
    )


def target_assignment_is_balanced(state: State) -> bool:
    """If all members subscribe to the same topics, none is to own two partitions more than another.

    Lost if it fails: a consumer has more to do than another one.
    Source: KIP-848 (uniform assignor).
    """
    if state.group.assignment_epoch != state.group.group_epoch or not has_same_topics(state):
        return True
    return all(
        len(one.target) <= len(other.target) + 1
        for one in state.group.members
        for other in state.group.members
        if is_member(one) and is_member(other)
    )


def only_surplus_partitions_move(before: State, after: State) -> bool:
    """If all members subscribe to the same topics, a member keeps as many of its partitions as it is to own.

    Lost if it fails: partitions change hands although the balance does not ask for it.
    Source: KIP-848 (uniform assignor, which is sticky).
    """
    if not has_same_topics(after) or not has_same_topics(before) or before.budget.failovers != after.budget.failovers:
        return True
    return all(
        member.target <= after.group.members[member_id].target
        or len(member.target) > len(after.group.members[member_id].target)
        for member_id, member in enumerate(before.group.members)
        if is_member(member) and is_member(after.group.members[member_id])
    )
