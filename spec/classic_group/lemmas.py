"""Facts that a coordinator and its consumers rely on: invariants that prove single ownership in eager groups.

Every action of the models that list a lemma preserves it. The action may begin in any well-formed state in which all
lemmas hold, reachable or not. The search confirms that each lemma holds in every reachable state (`check --lemmas`).

Part of Kafka judged: `impl/classic_group` and `impl/client/classic_membership.py`, by their records only.
Source: this project's, after KIP-62, KIP-345 and KIP-394.
Left out, and why that is sound: the cooperative protocol and other coordinators; `spec/PROOFS.md` lists all that is not
proved. An omission in one lemma cannot make another one true.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.classic_group.constants import (
    NO_GENERATION,
    NO_INSTANCE,
    NO_MEMBER_ID,
    ConsumerState,
    GroupError,
    GroupState,
    RequestKind,
    Stage,
)
from kafkacheck.impl.client.classic_membership import ClassicConsumer
from kafkacheck.impl.messages.classic_group import Connection, GroupRequest, GroupResponse
from kafkacheck.model.classic_group.system import State


def former_members_have_no_assignment(state: State) -> bool:
    """What is no member has and says nothing.

    Why: a member is removed as a whole.
    Source: `ClassicGroup.remove`.
    """
    for member in state.group.members:
        is_blank = member.assigned | member.owned == Ids() and member.instance_id == NO_INSTANCE
        if not member.is_member and (not is_blank or member.awaits_join or member.awaits_sync):
            return False
    return True


def known_generations_are_of_the_group(state: State) -> bool:
    """No consumer has a generation above that of the group, and no response has one.

    Why: only the coordinator begins generations.
    Source: KIP-62.
    """
    return all(
        consumer.generation <= state.group.generation
        and state.connections[consumer_id].response.generation <= state.group.generation
        for consumer_id, consumer in enumerate(state.consumers)
    )


def generations_begin_at_one(state: State) -> bool:
    """No consumer has generation 0, and a group with assignments, or in the middle of them, has a later one.

    Why: a group has no members before its first generation begins.
    Source: `ClassicGroup.initNextGeneration`.
    """
    if state.group.state == GroupState.STABLE or state.group.state == GroupState.COMPLETING_REBALANCE:
        if state.group.generation == 0:
            return False
    return all(consumer.generation != 0 for consumer in state.consumers)


def member_ids_were_given_out(state: State) -> bool:
    """Every member id that anybody knows was given out.

    Why: only the coordinator makes member ids.
    Source: KIP-394.
    """
    last = state.group.last_member_id
    for consumer_id, consumer in enumerate(state.consumers):
        connection = state.connections[consumer_id]
        if consumer.member_id > last or connection.request.member_id > last or connection.response.member_id > last:
            return False
    return all(member_id <= last for member_id in state.group.pending) and all(
        member_id <= last for member_id, member in enumerate(state.group.members) if member.is_member
    )


def knows_member_id(consumer: ClassicConsumer, connection: Connection, member_id: int) -> bool:
    """Whether a consumer has a member id, or asks with it, or is about to learn it."""
    if member_id == NO_MEMBER_ID:
        return False
    is_told = connection.request.member_id == member_id or connection.response.member_id == member_id
    return is_told or consumer.member_id == member_id


def member_ids_have_one_consumer(state: State) -> bool:
    """No two consumers know the same member id.

    Why: each was given out once, and its consumer tells nobody else.
    Source: KIP-394.
    """
    return not any(
        knows_member_id(other, state.connections[other_id], consumer.member_id)
        or knows_member_id(other, state.connections[other_id], state.connections[consumer_id].request.member_id)
        or knows_member_id(other, state.connections[other_id], state.connections[consumer_id].response.member_id)
        for consumer_id, consumer in enumerate(state.consumers)
        for other_id, other in enumerate(state.consumers)
        if other_id != consumer_id
    )


def pending_ids_are_new(state: State) -> bool:
    """A member id with which nobody has joined yet is no member's, in no generation, and not waited with.

    A consumer without a member id is in no generation either.
    Why: the coordinator forgets that the id is pending when its consumer joins.
    Source: `GroupMetadataManager.classicGroupJoinNewDynamicMember`.
    """
    pending = state.group.pending
    for consumer_id, consumer in enumerate(state.consumers):
        connection = state.connections[consumer_id]
        if consumer.generation != NO_GENERATION:
            if consumer.member_id == NO_MEMBER_ID or consumer.member_id in pending:
                return False
        if connection.response.generation != NO_GENERATION and connection.response.member_id in pending:
            return False
        if connection.stage == Stage.PARKED and connection.request.member_id in pending:
            return False
    return not any(member.is_member and member_id in pending for member_id, member in enumerate(state.group.members))


def has_assignments(request: GroupRequest) -> bool:
    """Whether a request has an assignment for any member."""
    return any(each != Ids() for each in request.assignments)


def is_no_response(response: GroupResponse) -> bool:
    """Whether nothing of a response is left that a consumer would take."""
    if response.error != GroupError.NONE or response.member_id != NO_MEMBER_ID:
        return False
    return response.generation == NO_GENERATION and response.members | response.assigned == Ids()


def connections_have_requests_or_responses(state: State) -> bool:
    """A connection has a request, then a response, and then nothing. Only a request to sync has assignments.

    Each request but one to join names a member id, and so does each that waits at the coordinator.
    Why: the request is cleared where it is answered, and the response where it is taken.
    Source: `AbstractCoordinator`.
    """
    for connection in state.connections:
        request = connection.request
        is_sent = connection.stage == Stage.REQUESTED or connection.stage == Stage.PARKED
        if connection.stage != Stage.ANSWERED and not is_no_response(connection.response):
            return False
        if not is_sent and request.member_id != NO_MEMBER_ID:
            return False
        if has_assignments(request) and (not is_sent or request.kind != RequestKind.SYNC):
            return False
        if connection.stage == Stage.REQUESTED and request.kind != RequestKind.JOIN:
            if request.member_id == NO_MEMBER_ID:
                return False
        if connection.stage == Stage.PARKED and request.member_id == NO_MEMBER_ID:
            return False
    return True


def awaited_kind(consumer: ClassicConsumer) -> RequestKind:
    """Which request a consumer has under way, if any, while it takes part."""
    if consumer.state == ConsumerState.PREPARING_REBALANCE:
        return RequestKind.JOIN
    if consumer.state == ConsumerState.COMPLETING_REBALANCE:
        return RequestKind.SYNC
    return RequestKind.HEARTBEAT


def consumers_wait_for_their_requests(state: State) -> bool:
    """A consumer that takes part has the request under way that its state says, with its own member id, if any.

    One with an assignment, or about to have it, is in a generation. A closed one has nothing.
    Why: only a response changes what a consumer knows, and one request at most is under way.
    Source: `AbstractCoordinator`.
    """
    for consumer_id, consumer in enumerate(state.consumers):
        connection = state.connections[consumer_id]
        is_sent = connection.stage == Stage.REQUESTED or connection.stage == Stage.PARKED
        if consumer.state == ConsumerState.CLOSED:
            if consumer.member_id != NO_MEMBER_ID or consumer.owned != Ids():
                return False
        elif consumer.state == ConsumerState.LEAVING:
            if consumer.member_id == NO_MEMBER_ID:
                return False
        elif consumer.state == ConsumerState.UNJOINED:
            if connection.stage != Stage.IDLE:
                return False
        elif is_sent and connection.request.kind != awaited_kind(consumer):
            return False
        elif connection.response.error == GroupError.MEMBER_ID_REQUIRED:
            if connection.response.member_id == NO_MEMBER_ID or consumer.state != ConsumerState.PREPARING_REBALANCE:
                return False
        if consumer.state == ConsumerState.STABLE or consumer.state == ConsumerState.COMPLETING_REBALANCE:
            if consumer.member_id == NO_MEMBER_ID or consumer.generation == NO_GENERATION:
                return False
        if consumer.state != ConsumerState.CLOSED:
            if is_sent and connection.request.member_id != consumer.member_id:
                if consumer.member_id != NO_MEMBER_ID or connection.stage != Stage.PARKED:
                    return False
            if connection.stage == Stage.ANSWERED and connection.response.member_id != consumer.member_id:
                if consumer.member_id != NO_MEMBER_ID:
                    return False
    return True


def joins_are_answered_with_later_generations(state: State) -> bool:
    """The answer to a consumer that joins has a member id, and a generation that is not older than the consumer's.

    Why: the coordinator answers with its own generation, and that does not fall.
    Source: `GroupMetadataManager.completeClassicGroupJoin`.
    """
    return all(
        connection.response.member_id != NO_MEMBER_ID
        and connection.response.generation > 0
        and connection.response.generation >= state.consumers[consumer_id].generation
        for consumer_id, connection in enumerate(state.connections)
        if connection.stage == Stage.ANSWERED and connection.response.error == GroupError.NONE
        if state.consumers[consumer_id].state == ConsumerState.PREPARING_REBALANCE
    )


def leaders_assign_nothing_twice(state: State) -> bool:
    """No request gives a partition to two members.

    Why: the leader goes through the partitions, one after the other.
    Source: `ConsumerCoordinator.onLeaderElected`.
    """
    return not any(
        one & other != Ids()
        for connection in state.connections
        for one_id, one in enumerate(connection.request.assignments)
        for other_id, other in enumerate(connection.request.assignments)
        if one_id < other_id
    )


def joining_consumers_own_nothing(state: State) -> bool:
    """A consumer that joins or syncs has prepared for that, and one that has prepared owns nothing.

    Why: the eager protocol gives up all partitions first.
    Source: `ConsumerCoordinator.onJoinPrepare`.
    """
    return all(
        (consumer.owned == Ids() if consumer.is_prepared else True)
        and (
            consumer.is_prepared
            or (
                consumer.state != ConsumerState.PREPARING_REBALANCE
                and consumer.state != ConsumerState.COMPLETING_REBALANCE
            )
        )
        for consumer in state.consumers
    )


def owned_or_told(state: State, consumer_id: int) -> Ids:
    """What a consumer owns, or is about to own by a response."""
    return state.consumers[consumer_id].owned | state.connections[consumer_id].response.assigned


def members_own_what_they_were_assigned(state: State) -> bool:
    """A member in the group's generation owns only partitions of its assignment, and its response names no others.

    Why: the coordinator changes an assignment only between two generations.
    Source: `GroupMetadataManager.classicGroupSync`.
    """
    return all(
        owned_or_told(state, consumer_id) <= state.group.members[consumer.member_id].assigned
        for consumer_id, consumer in enumerate(state.consumers)
        if consumer.member_id != NO_MEMBER_ID and consumer.generation == state.group.generation
        if state.group.members[consumer.member_id].is_member
    )


def nobody_owns_before_the_assignment(state: State) -> bool:
    """While the assignments of a generation are computed, nobody in it owns anything, and no response assigns anything.

    Why: the coordinator answers a sync once it has them.
    Source: `GroupMetadataManager.classicGroupSync`.
    """
    return state.group.state != GroupState.COMPLETING_REBALANCE or all(
        owned_or_told(state, consumer_id) == Ids()
        for consumer_id, consumer in enumerate(state.consumers)
        if consumer.generation == state.group.generation
    )
