"""Does a consumer of the new protocol do what Kafka's does, whatever its coordinator answers?

A component: one consumer with its heartbeats, with the functions of `impl/`. The coordinator is not modelled: any
response may come, with any epoch and any assignment.

Bounds: with `instances` at 1 it is a static member, which may join again after it has left. `max_group_epoch` is the
highest epoch that a response names. The poll interval may end `slow_polls` times, and the metadata does not have the
last `unknown_topics` topics at first.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, Count, Id, Ids, Struct
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client import consumer_membership, poll_interval
from kafkacheck.impl.client.consumer_membership import Consumer
from kafkacheck.impl.consumer_group.constants import ConsumerState, HeartbeatError, HeartbeatStage
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import Farewell, Heartbeat, HeartbeatResponse, TopicSet

FIRST_EPOCH = 1
KnownEpoch = Annotated[int, Count("max_group_epoch", lowest=FIRST_EPOCH)]


TopicId = Annotated[int, Id("topics")]


class Budget(Struct):
    """How many ends of the poll interval are left."""

    slow_polls: Annotated[int, Allowance("slow_polls")]


class State(Struct):
    """A consumer, its heartbeat that is under way, and what is under way of its former membership."""

    consumer: Consumer
    heartbeat: Heartbeat
    farewell: Farewell
    budget: Budget


def start(state: State, bounds: Bounds) -> bool:
    """The consumer subscribes to all topics, and joins."""
    state.consumer.subscribed = Ids(range(bounds.topics))
    for topic_id in range(bounds.topics):
        if topic_id >= bounds.topics - bounds.unknown_topics:
            state.consumer.unknown_topics |= {topic_id}
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


def is_response(error: HeartbeatError, member_epoch: int, names_assignment: bool, assigned: Ids) -> bool:
    """Whether a coordinator may answer so."""
    if error != HeartbeatError.NONE and (names_assignment or member_epoch != FIRST_EPOCH):
        return False
    return names_assignment or assigned == Ids()


def write_response(
    response: HeartbeatResponse, error: HeartbeatError, member_epoch: int, names_assignment: bool, assigned: Ids
) -> None:
    """Write a response."""
    response.error = error
    if error == HeartbeatError.NONE:
        response.member_epoch = member_epoch
        response.names_assignment = names_assignment
        response.assigned = assigned


def is_farewell_under_way(state: State) -> bool:
    """Whether responses to the former membership are to arrive, which come first."""
    return state.farewell.former.stage != HeartbeatStage.IDLE or state.farewell.leave.stage != HeartbeatStage.IDLE


def response_arrives(
    state: State,
    rules: ConsumerGroupRules,
    error: HeartbeatError,
    member_epoch: KnownEpoch,
    names_assignment: bool,
    assigned: PartitionSet,
) -> bool:
    """The coordinator has answered."""
    if state.heartbeat.stage != HeartbeatStage.REQUESTED or is_farewell_under_way(state):
        return False
    if not is_response(error, member_epoch, names_assignment, assigned):
        return False
    if state.consumer.state == ConsumerState.JOINING and error == HeartbeatError.NONE and not names_assignment:
        return False
    state.heartbeat.stage = HeartbeatStage.ANSWERED
    write_response(state.heartbeat.response, error, member_epoch, names_assignment, assigned)
    return consumer_membership.receive_heartbeat_response(state.consumer, rules, state.heartbeat)


def former_response_arrives(
    state: State,
    rules: ConsumerGroupRules,
    error: HeartbeatError,
    member_epoch: KnownEpoch,
    names_assignment: bool,
    assigned: PartitionSet,
) -> bool:
    """The coordinator has answered a heartbeat that the consumer had sent before its poll interval ended."""
    if state.farewell.former.stage != HeartbeatStage.REQUESTED:
        return False
    if not is_response(error, member_epoch, names_assignment, assigned):
        return False
    state.farewell.former.stage = HeartbeatStage.ANSWERED
    write_response(state.farewell.former.response, error, member_epoch, names_assignment, assigned)
    return poll_interval.receive_farewell_response(state.consumer, rules, state.heartbeat, state.farewell)


def leave_response_arrives(state: State, rules: ConsumerGroupRules, error: HeartbeatError) -> bool:
    """The coordinator has answered the leave of a consumer whose poll interval ended."""
    if state.farewell.former.stage != HeartbeatStage.IDLE or state.farewell.leave.stage != HeartbeatStage.REQUESTED:
        return False
    state.farewell.leave.stage = HeartbeatStage.ANSWERED
    state.farewell.leave.response.error = error
    return poll_interval.receive_farewell_response(state.consumer, rules, state.heartbeat, state.farewell)


def poll_interval_ends(state: State) -> bool:
    """The application has not polled for too long."""
    return poll_interval.end_poll_interval(state.consumer, 0, state.heartbeat, state.farewell)


def application_polls_again(state: State) -> bool:
    """The application polls."""
    return poll_interval.poll_again(state.consumer)


def consumer_loses_partitions(state: State) -> bool:
    """The application's callback has returned."""
    return poll_interval.lose_partitions(state.consumer)


def farewell_is_lost(state: State) -> bool:
    """The connection breaks on which the consumer has said that it leaves."""
    if state.farewell.leave.stage != HeartbeatStage.REQUESTED:
        return False
    poll_interval.lose_farewell(state.consumer, state.heartbeat, state.farewell)
    return True


def metadata_has_topic(state: State, topic_id: TopicId) -> bool:
    """The metadata has the name of a topic from now on."""
    return consumer_membership.resolve_topic(state.consumer, topic_id)


def heartbeat_is_lost(state: State) -> bool:
    """The connection breaks."""
    if state.heartbeat.stage != HeartbeatStage.REQUESTED or is_farewell_under_way(state):
        return False
    consumer_membership.lose_heartbeat(state.consumer, state.heartbeat)
    return True


def consumer_begins_reconciliation(state: State, rules: ConsumerGroupRules, bounds: Bounds) -> bool:
    """The consumer begins to apply its target assignment."""
    return consumer_membership.begin_reconciliation(state.consumer, rules, bounds.topics)


def consumer_completes_reconciliation(state: State, rules: ConsumerGroupRules) -> bool:
    """The consumer has applied an assignment, or gives that up."""
    return consumer_membership.complete_reconciliation(state.consumer, rules)


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
        poll_interval_ends,
        former_response_arrives,
        leave_response_arrives,
        farewell_is_lost,
        application_polls_again,
        consumer_loses_partitions,
        metadata_has_topic,
        consumer_begins_reconciliation,
        consumer_completes_reconciliation,
        consumer_leaves,
        consumer_releases_partitions,
        consumer_joins_again,
        subscription_changes,
    ],
    charges={poll_interval_ends: "slow_polls"},
    always=[],
    bounds={
        "members": 1,
        "instances": 0,
        "topics": 1,
        "partitions": 2,
        "max_group_epoch": 2,
        "slow_polls": 0,
        "unknown_topics": 0,
    },
    check_deadlock=False,
)
