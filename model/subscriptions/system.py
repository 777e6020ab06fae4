"""The whole system of a group with patterns: its consumers, their heartbeats, the coordinator, and the topics."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client import consumer_membership, pattern_subscription
from kafkacheck.impl.client.pattern_subscription import Subscriber
from kafkacheck.impl.consumer_group import patterns, resolution
from kafkacheck.impl.consumer_group.assignment import NO_MEMBER
from kafkacheck.impl.consumer_group.classic_members import must_join_again
from kafkacheck.impl.consumer_group.constants import NO_INSTANCE, ConsumerState, HeartbeatStage, MemberState
from kafkacheck.impl.consumer_group.coordinator import static_member
from kafkacheck.impl.consumer_group.pattern_records import PatternGroup, PatternRules, Waited
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import MemberId
from kafkacheck.impl.messages.pattern_heartbeat import NO_PATTERN, PatternHeartbeat


class Budget(Struct):
    """How many disturbances are left. Only the environment changes it.

    subscription_changes: consumers that subscribe by another pattern, or by none.
    leaves: consumers that leave.
    restarts: consumers that come back, and subscribe by a list of topics.
    losses: heartbeats, or responses, that are lost.
    failovers: changes of the coordinator.
    creations: topics that are created later.
    deletions: topics that are deleted.
    failures: executors that fail.
    """

    subscription_changes: Annotated[int, Allowance("subscription_changes")]
    leaves: Annotated[int, Allowance("leaves")]
    restarts: Annotated[int, Allowance("restarts")]
    losses: Annotated[int, Allowance("losses")]
    failovers: Annotated[int, Allowance("failovers")]
    creations: Annotated[int, Allowance("creations")]
    deletions: Annotated[int, Allowance("deletions")]
    failures: Annotated[int, Allowance("failures")]


class State(Struct):
    """The whole system. Each topic has one partition, of the same number.

    existing: the partitions that exist, which the coordinator's metadata has.
    consumers: the consumers by id. One of the classic protocol has its generation as its member epoch.
    heartbeats: by consumer, its heartbeat.
    group: the group in the coordinator's memory. Its log has all of it but the resolution that is under way.
    budget: the disturbances that are left.
    """

    existing: PartitionSet
    consumers: Annotated[Array[Subscriber], ById("members")]
    heartbeats: Annotated[Array[PatternHeartbeat], ById("members")]
    group: PatternGroup
    budget: Budget


def consumer_sends_heartbeat(state: State, rules: PatternRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer sends a heartbeat to its coordinator."""
    if member_id < bounds.classic_consumers:
        return False
    return pattern_subscription.send_pattern_heartbeat(
        state.consumers[member_id], rules, member_id, state.heartbeats[member_id]
    )


def coordinator_handles_heartbeat(state: State, rules: PatternRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator handles the heartbeat of a consumer, and answers it.

    Who: the group's coordinator.
    When: the request has arrived. If patterns were resolved too short a time ago, it comes later.
    Effect: as `heartbeat_with_pattern` says.
    Source: GroupCoordinatorService.consumerGroupHeartbeat.
    """
    heartbeat = state.heartbeats[member_id]
    if heartbeat.plain.stage != HeartbeatStage.REQUESTED:
        return False
    patterns.heartbeat_with_pattern(state.group, rules, bounds.topics, heartbeat, state.existing, True, Waited.LONG)
    clear(heartbeat.plain.request)
    heartbeat.names_pattern = False
    heartbeat.pattern = NO_PATTERN
    heartbeat.plain.stage = HeartbeatStage.ANSWERED
    return True


def consumer_receives_response(state: State, rules: PatternRules, member_id: MemberId) -> bool:
    """A consumer handles the response to its heartbeat."""
    return consumer_membership.receive_heartbeat_response(
        state.consumers[member_id].plain, rules.consumer, state.heartbeats[member_id].plain
    )


def consumer_applies_assignment(state: State, rules: PatternRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer applies its target assignment in one step.

    Who: a consumer in the group.
    When: it has another target assignment than the one that it has applied.
    Effect: it owns the partitions of its target, and acknowledges that.
    Source: AbstractMembershipManager.maybeReconcile.
    """
    consumer = state.consumers[member_id].plain
    if not consumer_membership.begin_reconciliation(consumer, rules.consumer, bounds.topics):
        return False
    consumer_membership.complete_reconciliation(consumer, rules.consumer)
    return True


def consumer_releases_partitions(state: State, member_id: MemberId) -> bool:
    """A consumer that leaves has released its partitions."""
    return consumer_membership.release_partitions(state.consumers[member_id].plain)


def coordinator_fences_silent_member(state: State, rules: PatternRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The session of a member ends whose consumer takes no part in the group any more.

    Who: the coordinator.
    When: no heartbeat of the consumer is under way.
    Effect: the member is removed, and its partitions are free.
    Source: GroupMetadataManager.scheduleConsumerGroupSessionTimeout.
    """
    if state.consumers[member_id].plain.state != ConsumerState.UNSUBSCRIBED:
        return False
    if state.group.plain.members[member_id].state == MemberState.NOT_A_MEMBER:
        return False
    if state.heartbeats[member_id].plain.stage == HeartbeatStage.REQUESTED:
        return False
    patterns.remove_subscriber(state.group, rules, bounds.topics, member_id, state.existing)
    return True


def executor_resolves_patterns(state: State, bounds: Bounds) -> bool:
    """The executor looks for the topics that match."""
    return resolution.resolve_patterns(state.group, bounds.topics, state.existing)


def coordinator_takes_resolution(state: State, rules: PatternRules, bounds: Bounds) -> bool:
    """The coordinator takes the topics that its executor has found."""
    return resolution.take_resolution(state.group, rules, bounds.topics, state.existing)


def join_by_classic_protocol(state: State, rules: PatternRules, bounds: Bounds, member_id: int) -> None:
    """Let a consumer of the classic protocol join, and have its assignment, with no other step between."""
    consumer = state.consumers[member_id].plain
    patterns.join_beside_patterns(
        state.group,
        rules,
        bounds.topics,
        member_id,
        consumer.instance_id,
        consumer.subscribed,
        consumer.owned,
        state.existing,
        Waited.LONG,
    )
    member = state.group.plain.members[member_id]
    consumer.state = ConsumerState.STABLE
    consumer.member_epoch = member.member_epoch
    consumer.owned = member.assigned
    consumer.target = member.assigned


def classic_consumer_joins_again(state: State, rules: PatternRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer of the classic protocol joins again, because the answer to its heartbeat tells it to.

    Who: a consumer of the classic protocol.
    When: the group has a newer target assignment, or the member has partitions to give up, or to get.
    Effect: as `join_beside_patterns` says. Its requests and answers are one step.
    Source: GroupMetadataManager.classicGroupHeartbeatToConsumerGroup.
    """
    member = state.group.plain.members[member_id]
    if member_id >= bounds.classic_consumers or not member.uses_classic:
        return False
    if not must_join_again(state.group.plain, rules.consumer, member):
        return False
    join_by_classic_protocol(state, rules, bounds, member_id)
    return True


def may_succeed(state: State) -> bool:
    """Whether the static member is away, and the group stays one of the new protocol if another takes its place."""
    owner = static_member(state.group.plain, 0)
    if owner == NO_MEMBER or not state.group.plain.members[owner].has_left:
        return False
    return any(
        member.state != MemberState.NOT_A_MEMBER and member.instance_id == NO_INSTANCE
        for member in state.group.plain.members
    )
