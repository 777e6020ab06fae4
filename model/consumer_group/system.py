"""The whole system of a consumer group: its consumers, their heartbeats, the coordinator and its log."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, AtMost, Bag, ById, Id, If, Position, Struct, clear, copy, remove
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client import consumer_membership, poll_interval
from kafkacheck.impl.client.consumer_membership import Consumer
from kafkacheck.impl.consumer_group.constants import ConsumerState, HeartbeatError, HeartbeatStage, MemberState
from kafkacheck.impl.consumer_group.coordinator import (
    consumer_group_heartbeat,
    is_invalid_request,
    may_defer_assignment,
    raises_group_epoch,
    remove_member,
    update_group,
)
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import (
    Farewell,
    Heartbeat,
    HeartbeatRequest,
    MemberEpoch,
    MemberId,
)

NOBODY = -1

TopicId = Annotated[int, Id("topics")]
OptionalMemberId = Annotated[int, Id("members", none=NOBODY)]
LatePlace = Annotated[int, Position("late_heartbeats")]


class Budget(Struct):
    """How many disturbances are left. Only the environment changes it.

    crashes: consumers whose process ends.
    leaves: consumers that leave.
    expirations: sessions of live consumers that end.
    losses: heartbeats, or responses, that are lost.
    delays: heartbeats whose consumer gives them up, and that arrive later or never.
    failovers: changes of the coordinator.
    subscription_changes: consumers that change their subscription.
    creations: partitions that are added to a topic.
    deferrals: heartbeats at which the assignor waits.
    restarts: consumers that join, also again, after they have left.
    timeouts: ends of the rebalance timeout of a member that has to give up partitions.
    slow_polls: ends of the poll interval of a consumer.
    """

    crashes: Annotated[int, Allowance("crashes")]
    leaves: Annotated[int, Allowance("leaves")]
    expirations: Annotated[int, Allowance("expirations")]
    losses: Annotated[int, Allowance("losses")]
    delays: Annotated[int, Allowance("delays")]
    failovers: Annotated[int, Allowance("failovers")]
    subscription_changes: Annotated[int, Allowance("subscription_changes")]
    creations: Annotated[int, Allowance("creations")]
    deferrals: Annotated[int, Allowance("deferrals")]
    restarts: Annotated[int, Allowance("restarts")]
    timeouts: Annotated[int, Allowance("timeouts")]
    slow_polls: Annotated[int, Allowance("slow_polls")]


class LastOwner(Struct):
    """The last owner of a partition, as only properties know it.

    member_id: the consumer that owned it last, or owns it; `NOBODY` if none has.
    member_epoch: the newest epoch under which it did.
    """

    member_id: OptionalMemberId
    member_epoch: MemberEpoch


class State(Struct):
    """The whole system.

    existing: the partitions that exist, which the coordinator's metadata has.
    consumers: the consumers by id.
    heartbeats: by consumer, its heartbeat.
    farewells: by consumer, what is under way of a membership that it has left because it polls too seldom.
    late_heartbeats: requests that no consumer waits for.
    group: the group in the coordinator's memory.
    logged: the group as the log has it, if the coordinator can change.
    last_owners: by partition, its last owner, if the bound `noted_owners` is 1. Only properties read it.
    budget: the disturbances that are left.
    """

    existing: PartitionSet
    consumers: Annotated[Array[Consumer], ById("members")]
    heartbeats: Annotated[Array[Heartbeat], ById("members")]
    farewells: Annotated[Array[Farewell], ById("members"), If("slow_polls")]
    late_heartbeats: Annotated[Bag[HeartbeatRequest], AtMost("late_heartbeats"), If("delays")]
    group: ConsumerGroup
    logged: Annotated[ConsumerGroup, If("failovers")]
    last_owners: Annotated[Array[LastOwner], ById("partitions"), If("noted_owners")]
    budget: Budget


def consumer_sends_heartbeat(state: State, rules: ConsumerGroupRules, member_id: MemberId) -> bool:
    """A consumer sends a heartbeat to its coordinator."""
    return consumer_membership.send_group_heartbeat(
        state.consumers[member_id], rules, member_id, state.heartbeats[member_id]
    )


def is_at_last_epoch(state: State, bounds: Bounds) -> bool:
    """Whether the model has no higher group epoch."""
    return state.group.group_epoch >= bounds.max_group_epoch


def coordinator_handles_heartbeat(state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator handles the heartbeat of a consumer, and answers once its records are committed.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: the group changes as `consumer_group_heartbeat` says.
    Source: GroupCoordinatorService.consumerGroupHeartbeat.
    """
    if is_farewell_on_its_way(state, bounds, member_id):
        return False
    return handles_heartbeat(state, rules, bounds, state.heartbeats[member_id], True)


def coordinator_defers_assignment(state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator handles the heartbeat of a consumer while its assignor waits.

    Who: the group's coordinator.
    When: the request has arrived, and the assignor may wait.
    Effect: as `consumer_group_heartbeat` says, but the target assignment stays an old one.
    Source: GroupMetadataManager.maybeUpdateTargetAssignment.
    """
    if not may_defer_assignment(state.group, rules) or is_farewell_on_its_way(state, bounds, member_id):
        return False
    return handles_heartbeat(state, rules, bounds, state.heartbeats[member_id], False)


def is_farewell_on_its_way(state: State, bounds: Bounds, member_id: int) -> bool:
    """Whether requests of a consumer's former membership are to arrive, which come before its heartbeat."""
    if bounds.slow_polls == 0:
        return False
    farewell = state.farewells[member_id]
    return farewell.former.stage == HeartbeatStage.REQUESTED or farewell.leave.stage == HeartbeatStage.REQUESTED


def is_farewell_unanswered(state: State, member_id: int) -> bool:
    """Whether responses to a consumer's former membership are to arrive."""
    farewell = state.farewells[member_id]
    return farewell.former.stage != HeartbeatStage.IDLE or farewell.leave.stage != HeartbeatStage.IDLE


def coordinator_handles_farewell(state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator handles the former heartbeat of a consumer that polls too seldom; then that it leaves.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: the group changes as `consumer_group_heartbeat` says.
    Source: GroupCoordinatorService.consumerGroupHeartbeat.
    """
    farewell = state.farewells[member_id]
    if farewell.former.stage == HeartbeatStage.REQUESTED:
        return handles_heartbeat(state, rules, bounds, farewell.former, True)
    return handles_heartbeat(state, rules, bounds, farewell.leave, True)


def handles_heartbeat(
    state: State, rules: ConsumerGroupRules, bounds: Bounds, heartbeat: Heartbeat, assigns: bool
) -> bool:
    """The coordinator handles a heartbeat that has arrived, unless the group epoch would rise beyond the last one."""
    member_id = heartbeat.request.member_id
    if heartbeat.stage != HeartbeatStage.REQUESTED:
        return False
    if is_at_last_epoch(state, bounds) and raises_group_epoch(
        state.group, rules, bounds.topics, heartbeat.request, state.existing
    ):
        return False
    if is_invalid_request(heartbeat.request):
        heartbeat.response.error = HeartbeatError.INVALID_REQUEST
    else:
        consumer_group_heartbeat(
            state.group, rules, bounds.topics, heartbeat.request, heartbeat.response, state.existing, assigns
        )
    clear(heartbeat.request)
    heartbeat.stage = HeartbeatStage.ANSWERED if bounds.failovers == 0 else HeartbeatStage.APPENDED
    if state.consumers[member_id].state == ConsumerState.CRASHED:
        clear(heartbeat)
    return True


def coordinator_handles_late_heartbeat(
    state: State, rules: ConsumerGroupRules, bounds: Bounds, place: LatePlace
) -> bool:
    """The coordinator handles a heartbeat for which no consumer waits.

    Who: the group's coordinator.
    When: the request arrives.
    Effect: the group changes as `update_group` says; the response reaches nobody.
    Source: GroupCoordinatorService.consumerGroupHeartbeat.
    """
    if place >= len(state.late_heartbeats):
        return False
    request = state.late_heartbeats[place]
    if is_at_last_epoch(state, bounds) and raises_group_epoch(
        state.group, rules, bounds.topics, request, state.existing
    ):
        return False
    if not is_invalid_request(request):
        update_group(state.group, rules, bounds.topics, request, state.existing, True)
    remove(state.late_heartbeats, place)
    return True


def group_log_commits(state: State) -> bool:
    """The records of the group are committed, and the coordinator answers.

    Who: the leader of the partition of `__consumer_offsets`.
    When: the in-sync followers have fetched the records.
    Effect: another coordinator would find them; the heartbeats that wait for them are answered.
    Source: CoordinatorRuntime.onHighWatermarkUpdated.
    """
    is_awaited = any(heartbeat.stage == HeartbeatStage.APPENDED for heartbeat in state.heartbeats)
    if state.logged == state.group and not is_awaited:
        return False
    copy(state.logged, state.group)
    for heartbeat in state.heartbeats:
        if heartbeat.stage == HeartbeatStage.APPENDED:
            heartbeat.stage = HeartbeatStage.ANSWERED
    return True


def note_owner(state: State, bounds: Bounds, member_id: int) -> None:
    """Note what a consumer owns, if the coordinator would accept its commits, and if owners are noted at all."""
    if bounds.noted_owners == 0:
        return
    consumer = state.consumers[member_id]
    member = state.group.members[member_id]
    if member.state != MemberState.NOT_A_MEMBER and member.member_epoch == consumer.member_epoch:
        for partition_id in consumer.owned:
            state.last_owners[partition_id].member_id = member_id
            state.last_owners[partition_id].member_epoch = consumer.member_epoch


def consumer_receives_response(state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer handles the response to its heartbeat, after those to its former membership."""
    if bounds.slow_polls > 0 and is_farewell_unanswered(state, member_id):
        return False
    if not consumer_membership.receive_heartbeat_response(
        state.consumers[member_id], rules, state.heartbeats[member_id]
    ):
        return False
    note_owner(state, bounds, member_id)
    return True


def consumer_receives_farewell_response(state: State, rules: ConsumerGroupRules, member_id: MemberId) -> bool:
    """A consumer that polls too seldom handles a response to its former heartbeat, or that it has left."""
    return poll_interval.receive_farewell_response(
        state.consumers[member_id], rules, state.heartbeats[member_id], state.farewells[member_id]
    )


def application_polls_again(state: State, member_id: MemberId) -> bool:
    """The application of a stale consumer polls."""
    return poll_interval.poll_again(state.consumers[member_id])


def consumer_loses_partitions(state: State, member_id: MemberId) -> bool:
    """The callback of a stale consumer is done."""
    return poll_interval.lose_partitions(state.consumers[member_id])


def metadata_has_topic(state: State, member_id: MemberId, topic_id: TopicId) -> bool:
    """A consumer's metadata has the name of a topic from now on."""
    return consumer_membership.resolve_topic(state.consumers[member_id], topic_id)


def consumer_begins_reconciliation(
    state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId
) -> bool:
    """A consumer begins to apply its target assignment."""
    return consumer_membership.begin_reconciliation(state.consumers[member_id], rules, bounds.topics)


def consumer_completes_reconciliation(
    state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId
) -> bool:
    """A consumer has applied an assignment, or gives that up."""
    if not consumer_membership.complete_reconciliation(state.consumers[member_id], rules):
        return False
    note_owner(state, bounds, member_id)
    return True


def consumer_releases_partitions(state: State, member_id: MemberId) -> bool:
    """A consumer that leaves has released its partitions."""
    return consumer_membership.release_partitions(state.consumers[member_id])


def coordinator_fences_silent_member(
    state: State, rules: ConsumerGroupRules, bounds: Bounds, member_id: MemberId
) -> bool:
    """The coordinator fences a member that sends no heartbeats any more.

    Who: the coordinator.
    When: the member's process has ended, or has left without a heartbeat or for a while.
    Effect: the member is removed, and its partitions are free.
    Source: GroupMetadataManager.scheduleConsumerGroupSessionTimeout.
    """
    consumer = state.consumers[member_id]
    if consumer_membership.is_in_group(consumer) or consumer.state == ConsumerState.LEAVING:
        return False
    if state.group.members[member_id].state == MemberState.NOT_A_MEMBER or is_at_last_epoch(state, bounds):
        return False
    if state.heartbeats[member_id].stage == HeartbeatStage.REQUESTED:
        return False
    if is_farewell_on_its_way(state, bounds, member_id):
        return False
    remove_member(state.group, rules, bounds.topics, member_id, state.existing)
    return True
