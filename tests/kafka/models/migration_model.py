"""Does a coordinator answer requests of both protocols, which come in any order, as Kafka's does?

A component: one group, the records of which are committed at once, with the functions of `impl/`. No consumer is
modelled: the first members use the classic protocol, the others the new one, and any request that they can send may
come at any time, in the newest epoch or an earlier one, with any owned partitions. The classic leader gives all
partitions to one member, or to none. The sessions of members end at any time.

Bounds: with `instances` at 2, the last classic member and the last one of the new protocol have one instance id. With
`claims` at 0 no classic member says that it owns anything. `max_group_epoch` only ends behaviours.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, Ids, IdSet, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group import coordinator
from kafkacheck.impl.classic_group.constants import NO_INSTANCE, NO_MEMBER_ID, RequestKind, Stage
from kafkacheck.impl.consumer_group import migration
from kafkacheck.impl.consumer_group.constants import JOIN_GROUP_MEMBER_EPOCH, LEAVE_GROUP_MEMBER_EPOCH, GroupType
from kafkacheck.impl.consumer_group.migration import Group, MigrationRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.classic_group import Connection, OptionalMemberId
from kafkacheck.impl.messages.consumer_group_heartbeat import HeartbeatRequest, HeartbeatResponse, MemberId

MemberSet = Annotated[Ids, IdSet("members")]


class State(Struct):
    """A group, and what its coordinator was asked.

    named: the classic members that were told a member id, which they may use although they are members no longer.
    connections: by classic member, the request that is parked, or the answer.
    asked: blank between steps; the heartbeat of this step.
    answer: the response to the heartbeat of the last step; blank if there was none.
    group: the group in the coordinator's memory.
    """

    named: MemberSet
    connections: Annotated[Array[Connection], ById("members")]
    asked: HeartbeatRequest
    answer: HeartbeatResponse
    group: Group


def start(state: State) -> bool:
    """Nobody is in the group."""
    return state.group.type == GroupType.CLASSIC


def instance_of(bounds: Bounds, member_id: int) -> int:
    """The instance id of a member, if it is a static one."""
    is_last = member_id == bounds.classic_consumers - 1 or member_id == bounds.members - 1
    return 0 if bounds.instances > 1 and is_last else NO_INSTANCE


def has_answer(state: State) -> bool:
    """Whether a classic member has not read its answer."""
    return any(connection.stage == Stage.ANSWERED for connection in state.connections)


def is_last(state: State, bounds: Bounds) -> bool:
    """Whether the model has no higher generation, or epoch."""
    return max(state.group.classic.generation, state.group.consumer.group_epoch) >= bounds.max_group_epoch


def current_generation(group: Group, member_id: int) -> int:
    """The generation that a classic member has if it knows the newest."""
    if group.type == GroupType.CLASSIC:
        return group.classic.generation
    return max(0, group.consumer.members[member_id].member_epoch)


def begin(state: State, bounds: Bounds, member_id: int, kind: RequestKind, is_current: bool) -> bool:
    """Write a request of a classic member; False if it cannot come now."""
    connection = state.connections[member_id]
    if member_id >= bounds.classic_consumers or has_answer(state) or connection.stage != Stage.IDLE:
        return False
    if member_id not in state.named and kind != RequestKind.JOIN:
        return False
    generation = current_generation(state.group, member_id)
    if not is_current and generation == 0:
        return False
    clear(state.answer)
    connection.stage = Stage.REQUESTED
    connection.request.kind = kind
    connection.request.instance_id = instance_of(bounds, member_id)
    connection.request.generation = generation if is_current else generation - 1
    if member_id in state.named:
        connection.request.member_id = member_id
    return True


def ask(state: State, rules: MigrationRules, bounds: Bounds, member_id: int) -> None:
    """Handle a request of a classic member."""
    migration.handle_classic_request(
        state.group, rules, bounds.topics, state.connections, member_id, Ids(range(bounds.partitions))
    )
    for connection in state.connections:
        if connection.stage == Stage.ANSWERED and connection.response.member_id != NO_MEMBER_ID:
            state.named |= {connection.response.member_id}
    for other_id, connection in enumerate(state.connections):
        if connection.stage == Stage.PARKED:
            state.named |= {other_id}


def consumer_joins(
    state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId, is_new: bool, owned: PartitionSet
) -> bool:
    """A classic member asks to join, with its member id or as a new one."""
    if is_last(state, bounds) or (bounds.claims == 0 and owned != Ids()):
        return False
    if is_new and (owned != Ids() or migration.has_member(state.group, member_id)):
        return False
    if not is_new and member_id not in state.named:
        return False
    if not begin(state, bounds, member_id, RequestKind.JOIN, True):
        return False
    if is_new:
        state.named -= {member_id}
        state.connections[member_id].request.member_id = NO_MEMBER_ID
    state.connections[member_id].request.owned = owned
    ask(state, rules, bounds, member_id)
    return True


def consumer_syncs(
    state: State,
    rules: MigrationRules,
    bounds: Bounds,
    member_id: MemberId,
    is_current: bool,
    owner_id: OptionalMemberId,
) -> bool:
    """A classic member asks for its assignment; `owner_id` gets all partitions of a leader."""
    is_leader = state.group.type == GroupType.CLASSIC and state.group.classic.leader == member_id
    if owner_id != NO_MEMBER_ID and not (is_leader and migration.has_member(state.group, owner_id)):
        return False
    if not begin(state, bounds, member_id, RequestKind.SYNC, is_current):
        return False
    if owner_id != NO_MEMBER_ID:
        state.connections[member_id].request.assignments[owner_id] = Ids(range(bounds.partitions))
    ask(state, rules, bounds, member_id)
    return True


def consumer_sends_heartbeat(
    state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId, is_current: bool
) -> bool:
    """A classic member sends a heartbeat."""
    if not begin(state, bounds, member_id, RequestKind.HEARTBEAT, is_current):
        return False
    ask(state, rules, bounds, member_id)
    return True


def consumer_leaves(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A classic member leaves."""
    if is_last(state, bounds) or not begin(state, bounds, member_id, RequestKind.LEAVE, True):
        return False
    ask(state, rules, bounds, member_id)
    return True


def answers_arrive(state: State) -> bool:
    """All classic members read their answers."""
    if not has_answer(state):
        return False
    clear(state.answer)
    for connection in state.connections:
        if connection.stage == Stage.ANSWERED:
            clear(connection)
    return True


def initial_delay_ends(state: State, bounds: Bounds) -> bool:
    """A classic group that was empty waits no longer for more members."""
    if is_last(state, bounds) or has_answer(state) or not state.group.classic.is_delayed:
        return False
    clear(state.answer)
    coordinator.complete_join(state.group.classic, state.connections)
    return True


def session_ends(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """The coordinator has not heard of a member for too long. That changes nothing for one that waits for it."""
    if is_last(state, bounds) or has_answer(state) or not migration.has_member(state.group, member_id):
        return False
    clear(state.answer)
    partitions = Ids(range(bounds.partitions))
    return migration.expire_session(state.group, rules, bounds.topics, state.connections, member_id, partitions) or True


def heartbeat(state: State, rules: MigrationRules, bounds: Bounds) -> None:
    """Handle a heartbeat of the new protocol."""
    clear(state.answer)
    state.asked.instance_id = instance_of(bounds, state.asked.member_id)
    partitions = Ids(range(bounds.partitions))
    migration.handle_group_heartbeat(
        state.group, rules, bounds.topics, state.asked, state.answer, state.connections, partitions
    )
    clear(state.asked)


def member_joins(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId) -> bool:
    """A member joins by the new protocol, for the first time or anew."""
    if member_id < bounds.classic_consumers or has_answer(state) or is_last(state, bounds):
        return False
    state.asked.member_id = member_id
    state.asked.member_epoch = JOIN_GROUP_MEMBER_EPOCH
    state.asked.names_timeout = True
    state.asked.names_topics = True
    state.asked.subscribed = Ids(range(bounds.topics))
    state.asked.names_owned = True
    heartbeat(state, rules, bounds)
    return True


def member_heartbeats(
    state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId, owned: PartitionSet
) -> bool:
    """A member of the new protocol, or a consumer that takes itself for one, names its partitions in a heartbeat."""
    if member_id < bounds.classic_consumers or has_answer(state) or is_last(state, bounds):
        return False
    state.asked.member_id = member_id
    state.asked.member_epoch = max(1, state.group.consumer.members[member_id].member_epoch)
    state.asked.names_owned = True
    state.asked.owned = owned
    heartbeat(state, rules, bounds)
    return True


def member_leaves(state: State, rules: MigrationRules, bounds: Bounds, member_id: MemberId, is_temporary: bool) -> bool:
    """A member of the new protocol leaves for good, or a static one for a while."""
    if member_id < bounds.classic_consumers or has_answer(state) or is_last(state, bounds):
        return False
    if is_temporary and instance_of(bounds, member_id) == NO_INSTANCE:
        return False
    state.asked.member_id = member_id
    state.asked.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    state.asked.is_temporary = is_temporary
    heartbeat(state, rules, bounds)
    return True


MODEL = Model(
    name="migration",
    question=__doc__,
    state=State,
    rules=MigrationRules(),
    initial=start,
    actions=[
        consumer_joins,
        consumer_syncs,
        consumer_sends_heartbeat,
        consumer_leaves,
        answers_arrive,
        initial_delay_ends,
        session_ends,
        member_joins,
        member_heartbeats,
        member_leaves,
    ],
    stuttering=[
        consumer_sends_heartbeat,
        initial_delay_ends,
        session_ends,
        member_joins,
        member_heartbeats,
        member_leaves,
    ],
    always=[],
    bounds={
        "members": 2,
        "member_ids": 2,
        "classic_consumers": 1,
        "instances": 1,
        "topics": 1,
        "partitions": 2,
        "claims": 1,
        "max_group_epoch": 4,
        "max_generation": 4,
    },
    check_deadlock=False,
)
