"""A consumer's membership in a classic group: it joins, syncs, sends heartbeats and leaves.

Part of Kafka modelled: `AbstractCoordinator`, `ConsumerCoordinator`.
Source: apache/kafka (commit 1eb7644349); KIP-62, KIP-345, KIP-394, KIP-429.
Left out, and why that is sound: callbacks that fail; heartbeats while another request is under way, because an answer
to them makes the consumer give up its partitions and join once more, or end, at most.
"""

from kafkacheck.checker.schema import Ids, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.assignment import assign
from kafkacheck.impl.classic_group.constants import (
    NO_GENERATION,
    NO_INSTANCE,
    NO_MEMBER_ID,
    ConsumerState,
    GroupError,
    RequestKind,
    Stage,
)
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.classic_group import (
    Connection,
    GroupResponse,
    OptionalGeneration,
    OptionalInstanceId,
    OptionalMemberId,
)


class ClassicConsumer(Struct):
    """A consumer's view of its membership.

    state: how far it is.
    instance_id: its `group.instance.id`, if it is a static member.
    member_id: the member id that its coordinator has told it.
    generation: the generation that it has joined.
    owned: the partitions that it processes.
    needs_join: whether it will join anew.
    is_prepared: whether it has called the application back for that.
    """

    state: ConsumerState
    instance_id: OptionalInstanceId
    member_id: OptionalMemberId
    generation: OptionalGeneration
    owned: PartitionSet
    needs_join: bool
    is_prepared: bool


def subscribe(consumer: ClassicConsumer) -> None:
    """Begin to join, for the first time."""
    consumer.needs_join = True


def is_open(consumer: ClassicConsumer) -> bool:
    """Whether the consumer takes part in its group, or tries to."""
    return consumer.state != ConsumerState.CLOSED and consumer.state != ConsumerState.LEAVING


def is_joining_or_syncing(consumer: ClassicConsumer) -> bool:
    """Whether the consumer takes part in a rebalance, or has to ask again because its request was refused or lost."""
    return consumer.state == ConsumerState.PREPARING_REBALANCE or consumer.state == ConsumerState.COMPLETING_REBALANCE


def fill_request(consumer: ClassicConsumer, connection: Connection, kind: RequestKind) -> None:
    """Send a request with what the consumer knows of its membership."""
    connection.stage = Stage.REQUESTED
    connection.request.kind = kind
    connection.request.member_id = consumer.member_id
    connection.request.instance_id = consumer.instance_id
    connection.request.generation = consumer.generation


def send_join(consumer: ClassicConsumer, rules: ClassicGroupRules, connection: Connection) -> bool:
    """A consumer asks to join.

    Who: a consumer that needs to.
    When: no request of it is under way.
    Effect: before the first request, it gives up its partitions; in the cooperative protocol only if it has lost its
        membership.
    Source: ConsumerCoordinator.onJoinPrepare, AbstractCoordinator.sendJoinGroupRequest.
    """
    if connection.stage != Stage.IDLE or not consumer.needs_join or not is_open(consumer):
        return False
    if not consumer.is_prepared and (not rules.is_cooperative or consumer.generation == NO_GENERATION):
        consumer.owned = Ids()
    consumer.is_prepared = True
    consumer.state = ConsumerState.PREPARING_REBALANCE
    fill_request(consumer, connection, RequestKind.JOIN)
    connection.request.generation = NO_GENERATION
    connection.request.owned = consumer.owned
    return True


def send_classic_heartbeat(consumer: ClassicConsumer, connection: Connection) -> bool:
    """A consumer sends a heartbeat.

    Who: a consumer with an assignment.
    When: no request of it is under way.
    Effect: the answer tells it of a rebalance.
    Source: AbstractCoordinator.HeartbeatThread.
    """
    if connection.stage != Stage.IDLE or consumer.state != ConsumerState.STABLE or consumer.needs_join:
        return False
    fill_request(consumer, connection, RequestKind.HEARTBEAT)
    return True


def lose_generation(consumer: ClassicConsumer, rules: ClassicGroupRules, forgets_member_id: bool) -> None:
    """Be in no generation any more, and join anew; the partitions are lost.

    Source: AbstractCoordinator.resetStateAndRejoin.
    """
    consumer.state = ConsumerState.UNJOINED
    consumer.generation = NO_GENERATION
    if forgets_member_id:
        consumer.member_id = NO_MEMBER_ID
    consumer.needs_join = True
    consumer.is_prepared = consumer.is_prepared and not rules.lost_member_owns_nothing


def close(consumer: ClassicConsumer) -> None:
    """Be in no group, and own nothing, for good."""
    clear(consumer)
    consumer.state = ConsumerState.CLOSED


def take_error(consumer: ClassicConsumer, rules: ClassicGroupRules, response: GroupResponse) -> None:
    """React to the error of a response: join again, or end if another consumer has the instance id."""
    if response.error == GroupError.FENCED_INSTANCE_ID:
        close(consumer)
    elif response.error == GroupError.MEMBER_ID_REQUIRED:
        consumer.member_id = response.member_id
    elif response.error == GroupError.REBALANCE_IN_PROGRESS:
        consumer.needs_join = True
    else:
        lose_generation(consumer, rules, response.error == GroupError.UNKNOWN_MEMBER_ID)


def take_generation(
    consumer: ClassicConsumer, rules: ClassicGroupRules, bounds: Bounds, connection: Connection
) -> None:
    """Take the new generation, and ask for the assignment; the leader tells those of all members.

    Source: AbstractCoordinator.JoinGroupResponseHandler.
    """
    consumer.state = ConsumerState.COMPLETING_REBALANCE
    consumer.member_id = connection.response.member_id
    consumer.generation = connection.response.generation
    if connection.response.members != Ids():
        assign(connection.response, rules, bounds, connection.request.assignments)
    fill_request(consumer, connection, RequestKind.SYNC)
    clear(connection.response)


def own_assignment(consumer: ClassicConsumer, rules: ClassicGroupRules, response: GroupResponse) -> None:
    """Own what is assigned. If the cooperative protocol takes something away, join again for those that get it.

    Source: ConsumerCoordinator.onJoinComplete.
    """
    consumer.state = ConsumerState.STABLE
    consumer.is_prepared = False
    consumer.needs_join = rules.is_cooperative and not consumer.owned <= response.assigned
    consumer.owned = response.assigned


def receive_response(
    consumer: ClassicConsumer, rules: ClassicGroupRules, bounds: Bounds, connection: Connection
) -> bool:
    """A consumer handles a response.

    Who: a consumer whose process runs.
    When: the response has arrived.
    Effect: after a join it syncs, after a sync it owns its assignment, after an error it joins again.
    Source: AbstractCoordinator.
    """
    if connection.stage != Stage.ANSWERED:
        return False
    response = connection.response
    if consumer.state == ConsumerState.CLOSED or consumer.state == ConsumerState.LEAVING:
        clear(connection)
    elif response.error != GroupError.NONE:
        take_error(consumer, rules, response)
        clear(connection)
    elif consumer.state == ConsumerState.PREPARING_REBALANCE:
        take_generation(consumer, rules, bounds, connection)
    else:
        if consumer.state == ConsumerState.COMPLETING_REBALANCE:
            own_assignment(consumer, rules, response)
        clear(connection)
    return True


def lose_request(consumer: ClassicConsumer, rules: ClassicGroupRules, connection: Connection) -> None:
    """Give a request up, because its connection broke; a consumer that rebalances will join again.

    Source: AbstractCoordinator.joinGroupIfNeeded.
    """
    clear(connection)
    if is_joining_or_syncing(consumer) and not rules.retry_keeps_member:
        consumer.state = ConsumerState.UNJOINED
        consumer.generation = NO_GENERATION
        consumer.member_id = NO_MEMBER_ID


def leave_classic_group(consumer: ClassicConsumer) -> bool:
    """A consumer begins to leave its group.

    Who: its application.
    When: it takes part in the group, or tries to.
    Effect: it gives up its partitions. A static member does not tell its coordinator, nor does a consumer that has lost
        its generation and not asked to join since.
    Source: AbstractCoordinator.maybeLeaveGroup.
    """
    if not is_open(consumer):
        return False
    is_unknown = consumer.member_id == NO_MEMBER_ID or consumer.state == ConsumerState.UNJOINED
    if consumer.instance_id != NO_INSTANCE or is_unknown:
        close(consumer)
        return True
    consumer.owned = Ids()
    consumer.needs_join = False
    consumer.state = ConsumerState.LEAVING
    return True


def send_leave(consumer: ClassicConsumer, connection: Connection) -> bool:
    """A consumer that leaves tells its coordinator, and does not wait for the answer.

    Who: a consumer that leaves.
    When: no request of it is under way.
    Effect: the consumer is closed.
    Source: AbstractCoordinator.maybeLeaveGroup.
    """
    if connection.stage != Stage.IDLE or consumer.state != ConsumerState.LEAVING:
        return False
    fill_request(consumer, connection, RequestKind.LEAVE)
    close(consumer)
    return True
