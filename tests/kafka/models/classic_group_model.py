"""Does a group coordinator answer arbitrary requests of the classic protocol as Kafka's does?

A component: one group, the records of which are committed at once, with the functions of `impl/`. No consumer is
modelled: any request that Kafka's checks let through may come at any time, with any member id, instance id and
generation. A member has one request of a kind parked at most; its consumer sends that again after it was lost. Times
end at any time. The leader gives all partitions to one member, or to none.

Bounds: with `static_members` at 0 no consumer has an instance id, with `claims` at 0 none says that it owns anything.
`max_generation` and `member_ids` only end behaviours.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, Ids, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group import coordinator
from kafkacheck.impl.classic_group.constants import NO_INSTANCE, NO_MEMBER_ID, GroupState, RequestKind, Stage
from kafkacheck.impl.classic_group.records import ClassicGroup, ClassicGroupRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.classic_group import (
    Connection,
    ConsumerId,
    MemberId,
    OptionalInstanceId,
    OptionalMemberId,
)


class State(Struct):
    """A group, and the connections to its coordinator.

    connections: by consumer, the request that is parked, or the answer.
    group: the group in the coordinator's memory.
    """

    connections: Annotated[Array[Connection], ById("consumers")]
    group: ClassicGroup


def start(state: State) -> bool:
    """Nobody is in the group."""
    return state.group.state == GroupState.EMPTY


def has_answer(state: State) -> bool:
    """Whether a consumer has not read its answer."""
    return any(connection.stage == Stage.ANSWERED for connection in state.connections)


def is_last(state: State, bounds: Bounds) -> bool:
    """Whether the model has no higher generation."""
    return state.group.generation >= bounds.max_generation


def is_parked(state: State, kind: RequestKind, member_id: int) -> bool:
    """Whether a member has a request of that kind parked."""
    return any(
        connection.stage == Stage.PARKED
        and connection.request.kind == kind
        and connection.request.member_id == member_id
        for connection in state.connections
    )


def begin(state: State, bounds: Bounds, consumer_id: int, kind: RequestKind, member_id: int, instance_id: int) -> bool:
    """Write a request; False if it cannot come now."""
    connection = state.connections[consumer_id]
    if instance_id != NO_INSTANCE and bounds.static_members == 0:
        return False
    if has_answer(state) or connection.stage != Stage.IDLE:
        return False
    if member_id != NO_MEMBER_ID and is_parked(state, kind, member_id):
        return False
    connection.stage = Stage.REQUESTED
    connection.request.kind = kind
    connection.request.member_id = member_id
    connection.request.instance_id = instance_id
    return True


def consumer_joins(
    state: State,
    rules: ClassicGroupRules,
    bounds: Bounds,
    consumer_id: ConsumerId,
    member_id: OptionalMemberId,
    instance_id: OptionalInstanceId,
    owned: PartitionSet,
) -> bool:
    """A consumer asks to join. One that was only told its member id is no static member."""
    if member_id == NO_MEMBER_ID:
        if state.group.last_member_id + 1 >= bounds.member_ids:
            return False
    elif member_id in state.group.pending and instance_id != NO_INSTANCE:
        return False
    if is_last(state, bounds) or (owned != Ids() and bounds.claims == 0):
        return False
    if not begin(state, bounds, consumer_id, RequestKind.JOIN, member_id, instance_id):
        return False
    state.connections[consumer_id].request.owned = owned
    coordinator.classic_group_join(state.group, rules, state.connections, consumer_id)
    return True


def consumer_syncs(
    state: State,
    rules: ClassicGroupRules,
    bounds: Bounds,
    consumer_id: ConsumerId,
    member_id: OptionalMemberId,
    instance_id: OptionalInstanceId,
    is_current: bool,
    owner_id: OptionalMemberId,
) -> bool:
    """A consumer asks for its assignment, in this generation or that before; `owner_id` gets all partitions."""
    if owner_id != NO_MEMBER_ID and member_id != state.group.leader:
        return False
    if not begin(state, bounds, consumer_id, RequestKind.SYNC, member_id, instance_id):
        return False
    request = state.connections[consumer_id].request
    request.generation = state.group.generation if is_current else state.group.generation - 1
    if owner_id != NO_MEMBER_ID:
        request.assignments[owner_id] = Ids(range(bounds.partitions))
    coordinator.classic_group_sync(state.group, rules, state.connections, consumer_id)
    return True


def consumer_sends_heartbeat(
    state: State,
    rules: ClassicGroupRules,
    bounds: Bounds,
    consumer_id: ConsumerId,
    member_id: OptionalMemberId,
    instance_id: OptionalInstanceId,
    is_current: bool,
) -> bool:
    """A consumer sends a heartbeat, in this generation or that before."""
    if not begin(state, bounds, consumer_id, RequestKind.HEARTBEAT, member_id, instance_id):
        return False
    connection = state.connections[consumer_id]
    connection.request.generation = state.group.generation if is_current else state.group.generation - 1
    coordinator.classic_group_heartbeat(state.group, rules, connection)
    return True


def consumer_leaves(
    state: State,
    rules: ClassicGroupRules,
    bounds: Bounds,
    consumer_id: ConsumerId,
    member_id: MemberId,
    instance_id: OptionalInstanceId,
) -> bool:
    """A consumer leaves, or somebody else says so."""
    if is_last(state, bounds) or not begin(state, bounds, consumer_id, RequestKind.LEAVE, member_id, instance_id):
        return False
    coordinator.classic_group_leave(state.group, rules, state.connections, consumer_id)
    return True


def answers_arrive(state: State) -> bool:
    """All consumers read their answers."""
    if not has_answer(state):
        return False
    for connection in state.connections:
        if connection.stage == Stage.ANSWERED:
            clear(connection)
    return True


def request_is_lost(state: State, consumer_id: ConsumerId) -> bool:
    """The connection of a parked request breaks."""
    if has_answer(state) or state.connections[consumer_id].stage != Stage.PARKED:
        return False
    clear(state.connections[consumer_id])
    return True


def session_ends(state: State, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator has not heard of a member for too long. That changes nothing for one that waits for it."""
    if is_last(state, bounds) or has_answer(state) or not state.group.members[member_id].is_member:
        return False
    return coordinator.expire_member(state.group, state.connections, state.group.members[member_id], member_id) or True


def pending_member_expires(state: State, bounds: Bounds, member_id: MemberId) -> bool:
    """A consumer that was told a member id has not joined with it for too long."""
    if is_last(state, bounds) or has_answer(state) or member_id not in state.group.pending:
        return False
    coordinator.expire_pending(state.group, state.connections, member_id)
    return True


def rebalance_times_out(state: State, bounds: Bounds) -> bool:
    """A rebalance waits no longer for members that have not joined."""
    if is_last(state, bounds) or has_answer(state) or state.group.is_delayed:
        return False
    if state.group.state != GroupState.PREPARING_REBALANCE:
        return False
    coordinator.complete_join(state.group, state.connections)
    return True


def initial_delay_ends(state: State, bounds: Bounds) -> bool:
    """A group that was empty waits no longer for more members."""
    if is_last(state, bounds) or has_answer(state) or not state.group.is_delayed:
        return False
    coordinator.complete_join(state.group, state.connections)
    return True


MODEL = Model(
    name="classic_group",
    question=__doc__,
    state=State,
    rules=ClassicGroupRules(),
    initial=start,
    actions=[
        consumer_joins,
        consumer_syncs,
        consumer_sends_heartbeat,
        consumer_leaves,
        answers_arrive,
        request_is_lost,
        session_ends,
        pending_member_expires,
        rebalance_times_out,
        initial_delay_ends,
    ],
    stuttering=[session_ends, rebalance_times_out],
    always=[],
    bounds={
        "consumers": 2,
        "member_ids": 3,
        "instances": 1,
        "partitions": 1,
        "max_generation": 2,
        "static_members": 1,
        "claims": 1,
    },
    check_deadlock=False,
)
