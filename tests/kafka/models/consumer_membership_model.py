"""Does a consumer of the new protocol do what Kafka's does, whatever its coordinator answers?

A component: one consumer with its heartbeats, with the functions of `impl/`. The coordinator is not modelled: any
response may come, with any epoch and any assignment.

Bounds: with `instances` at 1 it is a static member, which may join again after it has left. `max_group_epoch` is the
highest epoch that a response names.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Ids, Struct
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client import consumer_membership
from kafkacheck.impl.client.consumer_membership import Consumer
from kafkacheck.impl.consumer_group.constants import ConsumerState, HeartbeatError, HeartbeatStage
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import Heartbeat, TopicSet

FIRST_EPOCH = 1
KnownEpoch = Annotated[int, Count("max_group_epoch", lowest=FIRST_EPOCH)]


class State(Struct):
    """A consumer, and its heartbeat that is under way."""

    consumer: Consumer
    heartbeat: Heartbeat


def start(state: State, bounds: Bounds) -> bool:
    """The consumer subscribes to all topics, and joins."""
    state.consumer.subscribed = Ids(range(bounds.topics))
    if bounds.instances > 0:
        state.consumer.instance_id = 0
    consumer_membership.begin_joining(state.consumer)
    return True


def consumer_joins_again(state: State, bounds: Bounds) -> bool:
    """The application subscribes again after it has left the group."""
    if bounds.instances == 0 or state.consumer.state != ConsumerState.UNSUBSCRIBED:
        return False
    if state.heartbeat.stage != HeartbeatStage.IDLE:
        return False
    consumer_membership.begin_joining(state.consumer)
    return True


def consumer_sends_heartbeat(state: State, rules: ConsumerGroupRules) -> bool:
    """The consumer sends a heartbeat."""
    return consumer_membership.send_group_heartbeat(state.consumer, rules, 0, state.heartbeat)


def response_arrives(
    state: State,
    rules: ConsumerGroupRules,
    error: HeartbeatError,
    member_epoch: KnownEpoch,
    names_assignment: bool,
    assigned: PartitionSet,
) -> bool:
    """The coordinator has answered."""
    if state.heartbeat.stage != HeartbeatStage.REQUESTED:
        return False
    if error != HeartbeatError.NONE and (names_assignment or member_epoch != FIRST_EPOCH):
        return False
    if not names_assignment and assigned != Ids():
        return False
    if state.consumer.state == ConsumerState.JOINING and error == HeartbeatError.NONE and not names_assignment:
        return False
    state.heartbeat.stage = HeartbeatStage.ANSWERED
    state.heartbeat.response.error = error
    if error == HeartbeatError.NONE:
        state.heartbeat.response.member_epoch = member_epoch
        state.heartbeat.response.names_assignment = names_assignment
        state.heartbeat.response.assigned = assigned
    return consumer_membership.receive_heartbeat_response(state.consumer, rules, state.heartbeat)


def heartbeat_is_lost(state: State) -> bool:
    """The connection breaks."""
    if state.heartbeat.stage != HeartbeatStage.REQUESTED:
        return False
    consumer_membership.lose_heartbeat(state.consumer, state.heartbeat)
    return True


def consumer_begins_reconciliation(state: State) -> bool:
    """The consumer begins to apply its target assignment."""
    return consumer_membership.begin_reconciliation(state.consumer)


def consumer_completes_reconciliation(state: State) -> bool:
    """The consumer has applied an assignment, or gives that up."""
    return consumer_membership.complete_reconciliation(state.consumer)


def consumer_leaves(state: State) -> bool:
    """The application leaves the group."""
    return consumer_membership.begin_leaving(state.consumer)


def consumer_releases_partitions(state: State) -> bool:
    """The application has released its partitions."""
    return consumer_membership.release_partitions(state.consumer)


def subscription_changes(state: State, topics: TopicSet) -> bool:
    """The application subscribes to other topics; to others again, once a heartbeat has named these."""
    consumer = state.consumer
    if topics == Ids() or topics == consumer.subscribed or consumer.state == ConsumerState.JOINING:
        return False
    if not consumer_membership.is_in_group(consumer) or consumer.state == ConsumerState.PREPARE_LEAVING:
        return False
    if consumer.names_topics and not consumer.names_timeout:
        return False
    consumer.subscribed = topics
    consumer.names_topics = True
    return True


MODEL = Model(
    name="consumer_membership",
    question=__doc__,
    state=State,
    rules=ConsumerGroupRules(),
    initial=start,
    actions=[
        consumer_sends_heartbeat,
        response_arrives,
        heartbeat_is_lost,
        consumer_begins_reconciliation,
        consumer_completes_reconciliation,
        consumer_leaves,
        consumer_releases_partitions,
        consumer_joins_again,
        subscription_changes,
    ],
    always=[],
    bounds={"members": 1, "instances": 0, "topics": 1, "partitions": 2, "max_group_epoch": 2},
    check_deadlock=False,
)
