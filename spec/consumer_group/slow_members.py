"""What must hold of consumers whose applications poll too seldom: they lose what they own, and come back.

Part of Kafka judged: `impl/client/poll_interval.py`, by its records only.
Source: KIP-62, KIP-848; apache/kafka `AbstractMembershipManager`, `AbstractHeartbeatRequestManager`.
Left out, and why that is sound: that they come back in the end, which is a part of `has_converged`.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    ConsumerState,
    HeartbeatStage,
)
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group.system import State
from kafkacheck.spec.consumer_group.messages import is_out


def is_stale(state: State) -> bool:
    """Whether some consumer has left because its application polls too seldom. Without an example nobody is slow."""
    return any(consumer.state == ConsumerState.STALE for consumer in state.consumers)


def stale_consumers_tell_that_they_leave(before: State, after: State) -> bool:
    """A consumer that becomes stale has said that it leaves, after what it had sent before, and did not leave already.

    Lost to users: the other members wait for its partitions until its session ends.
    Source: `AbstractHeartbeatRequestManager.poll`; KAFKA-15818.
    """
    return all(
        after.farewells[member_id].leave.stage == HeartbeatStage.REQUESTED
        and after.farewells[member_id].leave.request.member_id == member_id
        and after.farewells[member_id].leave.request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH
        and after.farewells[member_id].former == before.heartbeats[member_id]
        and not is_out(before.consumers[member_id].state)
        for member_id, consumer in enumerate(after.consumers)
        if consumer.state == ConsumerState.STALE and before.consumers[member_id].state != ConsumerState.STALE
    )


def stale_consumers_have_left(state: State) -> bool:
    """A stale consumer has no epoch with which it could commit, and no heartbeat under way beside its farewell.

    Lost if it fails: it goes on as a member that its coordinator takes for one that has left.
    Source: `AbstractMembershipManager.transitionToSendingLeaveGroup`, `shouldSkipHeartbeat`.
    """
    return all(
        consumer.member_epoch == LEAVE_GROUP_MEMBER_EPOCH and state.heartbeats[member_id].stage == HeartbeatStage.IDLE
        for member_id, consumer in enumerate(state.consumers)
        if consumer.state == ConsumerState.STALE
    )


def is_losing(before: State, after: State, member_id: int) -> bool:
    """Whether a stale consumer stays so, and loses its partitions or learns that its application polls.

    Only one of both: after the second one it is not stale any more.
    """
    was = before.consumers[member_id]
    now = after.consumers[member_id]
    if now.state != ConsumerState.STALE or (was.rejoins and not now.rejoins):
        return False
    if now.rejoins and now.owned == Ids():
        return False
    return now.owned == was.owned or now.owned == Ids()


def is_joining(before: State, after: State, member_id: int) -> bool:
    """Whether a stale consumer begins to join anew: its application polls, or has polled, and it owns nothing."""
    was = before.consumers[member_id]
    now = after.consumers[member_id]
    if now.state != ConsumerState.JOINING or now.member_epoch != JOIN_GROUP_MEMBER_EPOCH or now.owned != Ids():
        return False
    return now.names_timeout and now.names_topics and now.names_owned and was.rejoins == (was.owned != Ids())


def stale_consumers_lose_partitions_and_join(before: State, after: State) -> bool:
    """A stale consumer first loses its partitions, by its callback, and then joins anew as one that owns nothing.

    Lost to users: it never comes back, or its application goes on with partitions that others own.
    Source: `AbstractMembershipManager.transitionToStale`, `maybeRejoinStaleMember`; librdkafka 5488.
    """
    return all(
        is_losing(before, after, member_id)
        or is_joining(before, after, member_id)
        or after.consumers[member_id].state == ConsumerState.CRASHED
        for member_id, consumer in enumerate(before.consumers)
        if consumer.state == ConsumerState.STALE
    )


def is_taken(before: HeartbeatStage, after: HeartbeatStage) -> bool:
    """Whether a response was under way before, and is not any more."""
    return before == HeartbeatStage.ANSWERED and after != HeartbeatStage.ANSWERED


def answers_to_farewells_change_nothing(before: State, after: State, rules: ConsumerGroupRules) -> bool:
    """A consumer takes nothing of a response to its leave; nor, while it is stale, of one to its former heartbeat.

    By a rule of ours it does not take the latter when it has joined again, either.
    Lost to users: a consumer that was slow forgets to join, or ends.
    Source: `AbstractHeartbeatRequestManager.makeHeartbeatRequest`, `AbstractMembershipManager.isNotInGroup`;
        librdkafka 5488.
    """
    if before.budget.losses != after.budget.losses or before.budget.crashes != after.budget.crashes:
        return True
    for member_id, was in enumerate(before.farewells):
        now = after.farewells[member_id]
        consumer = before.consumers[member_id]
        is_due = is_taken(was.leave.stage, now.leave.stage)
        if consumer.state == ConsumerState.STALE or rules.former_responses_are_ignored:
            is_due = is_due or is_taken(was.former.stage, now.former.stage)
        if is_due and after.consumers[member_id] != consumer:
            return False
    return True
