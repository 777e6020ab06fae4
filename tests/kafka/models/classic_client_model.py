"""Does a consumer of the classic protocol do what Kafka's does, whatever its coordinator answers?

A component: one consumer with its connection, with the functions of `impl/`. The coordinator is not modelled: any
response may come that Kafka's coordinators have for the request, with any member id, generation and assignment, and the
consumer may become the leader. `calls` has the calls of the application's listener.

Bounds: with `static_members` at 1 it is a static member, whose instance id another consumer may take.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Ids, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import (
    NO_GENERATION,
    NO_INSTANCE,
    NO_MEMBER_ID,
    GroupError,
    RequestKind,
    Stage,
)
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.impl.client import classic_membership
from kafkacheck.impl.client.classic_membership import ClassicConsumer
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.classic_group import Connection, MemberId, MemberSet

FIRST_GENERATION = 1
KnownGeneration = Annotated[int, Count("max_generation", lowest=FIRST_GENERATION)]


class Calls(Struct):
    """What the last step has told the application's listener.

    revoked: partitions that the consumer has given up as a member.
    lost: partitions that it has given up because it is no member.
    added: partitions that it has got.
    """

    revoked: PartitionSet
    lost: PartitionSet
    added: PartitionSet


class State(Struct):
    """A consumer, its request that is under way, and what its application was told."""

    consumer: ClassicConsumer
    connection: Connection
    calls: Calls


def start(state: State, bounds: Bounds) -> bool:
    """The consumer subscribes."""
    if bounds.static_members > 0:
        state.consumer.instance_id = 0
    classic_membership.subscribe(state.consumer)
    return True


def note_calls(state: State, owned: Ids, is_member: bool) -> None:
    """Note how what a consumer owns has changed."""
    clear(state.calls)
    if is_member:
        state.calls.revoked = owned - state.consumer.owned
    else:
        state.calls.lost = owned - state.consumer.owned
    state.calls.added = state.consumer.owned - owned


def consumer_asks_to_join(state: State, rules: ClassicGroupRules) -> bool:
    """The consumer asks to join."""
    owned = state.consumer.owned
    if not classic_membership.send_join(state.consumer, rules, state.connection):
        return False
    note_calls(state, owned, state.consumer.generation != NO_GENERATION)
    return True


def consumer_sends_heartbeat(state: State) -> bool:
    """The consumer sends a heartbeat."""
    if not classic_membership.send_classic_heartbeat(state.consumer, state.connection):
        return False
    clear(state.calls)
    return True


def consumer_sends_leave(state: State) -> bool:
    """The consumer tells that it leaves."""
    if not classic_membership.send_leave(state.consumer, state.connection):
        return False
    clear(state.calls)
    return True


def consumer_leaves(state: State) -> bool:
    """The application unsubscribes; partitions are lost if the consumer is in no generation, or joins another one."""
    owned = state.consumer.owned
    is_member = state.consumer.generation != NO_GENERATION and not classic_membership.is_joining_or_syncing(
        state.consumer
    )
    if not classic_membership.leave_classic_group(state.consumer):
        return False
    note_calls(state, owned, is_member)
    return True


def receive(state: State, rules: ClassicGroupRules, bounds: Bounds) -> bool:
    """The response arrives. A consumer whose instance id is another's has lost its partitions."""
    owned = state.consumer.owned
    is_member = state.connection.response.error != GroupError.FENCED_INSTANCE_ID
    state.connection.stage = Stage.ANSWERED
    classic_membership.receive_response(state.consumer, rules, bounds, state.connection)
    note_calls(state, owned, is_member)
    return True


def member_id_is_required(state: State, rules: ClassicGroupRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator has told the consumer its member id."""
    request = state.connection.request
    if state.connection.stage != Stage.REQUESTED or request.kind != RequestKind.JOIN:
        return False
    if request.member_id != NO_MEMBER_ID or request.instance_id != NO_INSTANCE:
        return False
    state.connection.response.error = GroupError.MEMBER_ID_REQUIRED
    state.connection.response.member_id = member_id
    return receive(state, rules, bounds)


def request_is_refused(state: State, rules: ClassicGroupRules, bounds: Bounds, error: GroupError) -> bool:
    """The coordinator has refused a request."""
    request = state.connection.request
    if state.connection.stage != Stage.REQUESTED or error == GroupError.NONE or error == GroupError.MEMBER_ID_REQUIRED:
        return False
    if error == GroupError.FENCED_INSTANCE_ID and request.instance_id == NO_INSTANCE:
        return False
    if request.kind == RequestKind.JOIN and error == GroupError.ILLEGAL_GENERATION:
        return False
    if request.kind == RequestKind.LEAVE and error != GroupError.UNKNOWN_MEMBER_ID:
        return False
    state.connection.response.error = error
    return receive(state, rules, bounds)


def consumer_has_joined(
    state: State,
    rules: ClassicGroupRules,
    bounds: Bounds,
    member_id: MemberId,
    generation: KnownGeneration,
    members: MemberSet,
    claimed: PartitionSet,
) -> bool:
    """A generation begins. If the consumer is its leader, it learns the members, and what the others claim to own."""
    request = state.connection.request
    response = state.connection.response
    if state.connection.stage != Stage.REQUESTED or request.kind != RequestKind.JOIN:
        return False
    if request.member_id != NO_MEMBER_ID and request.member_id != member_id:
        return False
    if members != Ids() and member_id not in members:
        return False
    if claimed != Ids() and (len(members) < bounds.member_ids or not rules.is_cooperative):
        return False
    response.member_id = member_id
    response.generation = generation
    response.members = members
    for each in members:
        response.owned[each] = request.owned if each == member_id else claimed
    return receive(state, rules, bounds)


def assignment_arrives(state: State, rules: ClassicGroupRules, bounds: Bounds, assigned: PartitionSet) -> bool:
    """The coordinator has the assignment."""
    if state.connection.stage != Stage.REQUESTED or state.connection.request.kind != RequestKind.SYNC:
        return False
    state.connection.response.assigned = assigned
    return receive(state, rules, bounds)


def request_succeeds(state: State, rules: ClassicGroupRules, bounds: Bounds) -> bool:
    """The coordinator has nothing to say about a heartbeat, or about a consumer that leaves."""
    kind = state.connection.request.kind
    if state.connection.stage != Stage.REQUESTED or kind == RequestKind.JOIN or kind == RequestKind.SYNC:
        return False
    return receive(state, rules, bounds)


def request_is_lost(state: State, rules: ClassicGroupRules) -> bool:
    """The connection breaks."""
    if state.connection.stage != Stage.REQUESTED:
        return False
    clear(state.calls)
    classic_membership.lose_request(state.consumer, rules, state.connection)
    return True


MODEL = Model(
    name="classic_client",
    question=__doc__,
    state=State,
    rules=ClassicGroupRules(),
    initial=start,
    actions=[
        consumer_asks_to_join,
        consumer_sends_heartbeat,
        consumer_sends_leave,
        consumer_leaves,
        member_id_is_required,
        request_is_refused,
        consumer_has_joined,
        assignment_arrives,
        request_succeeds,
        request_is_lost,
    ],
    always=[],
    bounds={"static_members": 0, "instances": 1, "partitions": 2, "member_ids": 2, "max_generation": 2},
    check_deadlock=False,
)
