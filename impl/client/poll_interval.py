"""A consumer whose application polls too seldom: it leaves its group, and joins anew when the application polls.

Part of Kafka modelled: `AbstractHeartbeatRequestManager` (`poll`, `resetPollTimer`), `AbstractMembershipManager`
(`transitionToStale`, `maybeRejoinStaleMember`).
Source: the classes of 4.4.0; KIP-62, KIP-848, KAFKA-15818.
Left out, and why that is sound: an application that unsubscribes while its consumer is stale, because the consumer then
sends nothing until it subscribes again; a poll interval that ends a second time before the first leave is answered,
because it is longer than a request takes; a second heartbeat that joins beside the first one, which Kafka may send once
the former one is answered, because it repeats the first.
"""

from kafkacheck.checker.schema import Ids, clear, copy
from kafkacheck.impl.client.consumer_membership import (
    Consumer,
    begin_joining,
    forget_assignment,
    handle_heartbeat_response,
    is_in_group,
    lose_heartbeat,
    take_assignment,
)
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_INSTANCE,
    ConsumerState,
    HeartbeatError,
    HeartbeatStage,
)
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.impl.messages.consumer_group_heartbeat import Farewell, Heartbeat, HeartbeatResponse


def end_poll_interval(consumer: Consumer, member_id: int, heartbeat: Heartbeat, farewell: Farewell) -> bool:
    """A consumer leaves because its application has not polled for `max.poll.interval.ms`.

    Who: a consumer in a group that its application does not leave already.
    When: the poll interval ends; nothing of an earlier leave is under way.
    Effect: it says at once that it leaves, and waits for no response. It is stale, with partitions that it is about to
        lose, by a callback of the application. A static member says that it will be back.
    Source: AbstractHeartbeatRequestManager.poll, AbstractMembershipManager.transitionToStale.
    """
    if not is_in_group(consumer) or consumer.state == ConsumerState.PREPARE_LEAVING:
        return False
    if farewell.former.stage != HeartbeatStage.IDLE or farewell.leave.stage != HeartbeatStage.IDLE:
        return False
    copy(farewell.former, heartbeat)
    clear(heartbeat)
    farewell.leave.stage = HeartbeatStage.REQUESTED
    farewell.leave.request.member_id = member_id
    farewell.leave.request.instance_id = consumer.instance_id
    farewell.leave.request.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    farewell.leave.request.is_temporary = consumer.instance_id != NO_INSTANCE
    consumer.state = ConsumerState.STALE
    consumer.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    forget_assignment(consumer)
    return True


def poll_again(consumer: Consumer) -> bool:
    """The application of a stale consumer polls.

    Who: the application.
    When: it has not polled since the consumer left.
    Effect: the consumer joins anew, once it has lost its partitions.
    Source: AbstractHeartbeatRequestManager.resetPollTimer, AbstractMembershipManager.maybeRejoinStaleMember.
    """
    if consumer.state != ConsumerState.STALE or consumer.rejoins:
        return False
    consumer.rejoins = True
    rejoin_if_released(consumer)
    return True


def lose_partitions(consumer: Consumer) -> bool:
    """The callback of a stale consumer is done, which says that the partitions are lost.

    Who: the application.
    When: the consumer has some.
    Effect: it owns nothing. If the application has polled, it joins anew.
    Source: AbstractMembershipManager.transitionToStale.
    """
    if consumer.state != ConsumerState.STALE or consumer.owned == Ids():
        return False
    consumer.owned = Ids()
    rejoin_if_released(consumer)
    return True


def rejoin_if_released(consumer: Consumer) -> None:
    """Join anew if the application has polled and the consumer owns nothing; the heartbeat names everything."""
    if consumer.rejoins and consumer.owned == Ids():
        consumer.rejoins = False
        begin_joining(consumer)


def receive_farewell_response(
    consumer: Consumer, rules: ConsumerGroupRules, heartbeat: Heartbeat, farewell: Farewell
) -> bool:
    """A consumer handles the response to a heartbeat of its former membership, or to the one with which it left.

    Who: a consumer whose process runs.
    When: the response has arrived; that to the former heartbeat is the first one.
    Effect: a stale consumer takes nothing of it, not even an error. One that joins again takes the former response like
        any other. The response to the leave changes nothing.
    Source: AbstractHeartbeatRequestManager.makeHeartbeatRequest, ConsumerMembershipManager.onHeartbeatSuccess.
    """
    if farewell.former.stage == HeartbeatStage.ANSWERED:
        if consumer.state != ConsumerState.STALE and not rules.former_responses_are_ignored:
            handle_former_response(consumer, rules, heartbeat, farewell.former.response)
        clear(farewell.former)
        return True
    if farewell.former.stage != HeartbeatStage.IDLE or farewell.leave.stage != HeartbeatStage.ANSWERED:
        return False
    if consumer.state == ConsumerState.STALE and not rules.leave_response_changes_nothing:
        forget_to_rejoin(consumer)
    clear(farewell.leave)
    return True


def handle_former_response(
    consumer: Consumer, rules: ConsumerGroupRules, heartbeat: Heartbeat, response: HeartbeatResponse
) -> None:
    """Take the response to a former heartbeat after the consumer has begun to join anew.

    A consumer that joins takes the epoch, and stops to join if there is an assignment. The coordinator does not know
    this epoch any more, and makes the consumer join once more.
    """
    if consumer.state != ConsumerState.JOINING or response.error != HeartbeatError.NONE:
        handle_heartbeat_response(consumer, rules, response)
        return
    consumer.member_epoch = response.member_epoch
    if response.names_assignment:
        take_assignment(consumer, response.assigned)
        is_unsent = heartbeat.stage == HeartbeatStage.IDLE
        consumer.names_timeout = is_unsent
        consumer.names_topics = is_unsent
        consumer.names_owned = is_unsent


def forget_to_rejoin(consumer: Consumer) -> None:
    """Take the response to a leave for one that ends a join, as librdkafka did: be a member with epoch 0."""
    consumer.state = ConsumerState.STABLE
    consumer.member_epoch = JOIN_GROUP_MEMBER_EPOCH
    consumer.owned = Ids()
    consumer.rejoins = False


def lose_farewell(consumer: Consumer, heartbeat: Heartbeat, farewell: Farewell) -> None:
    """Give up all that is under way, because the connection broke."""
    clear(farewell)
    lose_heartbeat(consumer, heartbeat)


def crash_after_farewell(farewell: Farewell) -> None:
    """Forget the responses to a consumer whose process has ended; what it has sent may still arrive."""
    if farewell.former.stage != HeartbeatStage.REQUESTED:
        clear(farewell.former)
    if farewell.leave.stage != HeartbeatStage.REQUESTED:
        clear(farewell.leave)
