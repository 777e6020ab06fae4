"""What consumers of a classic group do by themselves: they leave, crash, lose requests, and share the partitions.

Part of Kafka judged: `impl/client/classic_membership.py` and `impl/classic_group/assignment.py`, by their records only.
Source: KIP-62, KIP-429; apache/kafka `AbstractCoordinator`, `ConsumerCoordinator`, `CooperativeStickyAssignor`.
Left out, and why that is sound: callbacks, which only take time.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import NO_GENERATION, ConsumerState, GroupError, RequestKind, Stage
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.impl.client.classic_membership import ClassicConsumer
from kafkacheck.impl.messages.classic_group import GroupResponse
from kafkacheck.model.classic_group.system import State
from kafkacheck.spec.classic_group.messages import is_sent


def closed_consumers_have_nothing(state: State) -> bool:
    """A consumer that is closed owns nothing, and will not join.

    Lost to users: an application that has ended still counts.
    Source: `AbstractCoordinator.close`.
    """
    return not any(
        consumer.state == ConsumerState.CLOSED and (consumer.owned != Ids() or consumer.needs_join)
        for consumer in state.consumers
    )


def one_request_is_under_way(before: State, after: State) -> bool:
    """A request that is under way is not replaced by another one.

    Lost if it fails: a consumer takes the answer to one request for that to another.
    Source: `AbstractCoordinator`.
    """
    return all(
        (was.stage != Stage.REQUESTED or now.stage != Stage.REQUESTED or now.request == was.request)
        and (was.stage != Stage.PARKED or now.stage != Stage.REQUESTED)
        for was, now in zip(before.connections, after.connections)
    )


def is_open(consumer: ClassicConsumer) -> bool:
    """Whether a consumer takes part in its group, or tries to."""
    return consumer.state != ConsumerState.CLOSED and consumer.state != ConsumerState.LEAVING


def consumers_that_leave_do_not_return(before: State, after: State) -> bool:
    """A consumer that leaves stays gone, and so does one that is closed; if it leaves, it owns nothing.

    Lost to users: an application that closes its consumer gets records again.
    Source: `AbstractCoordinator.maybeLeaveGroup`.
    """
    for was, now in zip(before.consumers, after.consumers):
        if was.state == ConsumerState.CLOSED and now.state != ConsumerState.CLOSED:
            return False
        if was.state == ConsumerState.LEAVING and is_open(now):
            return False
        if now.state == ConsumerState.LEAVING and (now.owned != Ids() or now.needs_join):
            return False
    return True


def leaving_members_are_removed(before: State, after: State) -> bool:
    """The coordinator removes a member that says that it leaves.

    Lost to users: its partitions have no consumer until its session ends.
    Source: `GroupMetadataManager.classicGroupLeave`.
    """
    return all(
        not after.group.members[was.request.member_id].is_member and was.request.member_id not in after.group.pending
        for was, now in zip(before.connections, after.connections)
        if was.stage == Stage.REQUESTED and was.request.kind == RequestKind.LEAVE and now.stage != Stage.REQUESTED
        if before.budget == after.budget
    )


def consumers_prepare_once(before: State, after: State, rules: ClassicGroupRules) -> bool:
    """A consumer gives up its partitions before it asks to join, once, unless it may keep them.

    Lost if it fails: the consumer stops to process what it may keep, or goes on with what it must give up.
    Source: `ConsumerCoordinator.onJoinPrepare`.
    """
    for consumer_id, was in enumerate(before.consumers):
        now = after.connections[consumer_id]
        if is_sent(before.connections[consumer_id], now) and now.request.kind == RequestKind.JOIN:
            keeps = was.is_prepared or (rules.is_cooperative and was.generation != NO_GENERATION)
            if after.consumers[consumer_id].owned != (was.owned if keeps else Ids()):
                return False
    return True


def rebalances_keep_the_membership(before: State, after: State) -> bool:
    """A consumer that learns of a rebalance keeps its member id, generation and partitions until it asks to join.

    Lost if it fails: a member becomes another one, or gives up partitions that it may keep.
    Source: `AbstractCoordinator.SyncGroupResponseHandler`, `HeartbeatResponseHandler`.
    """
    for consumer_id, was in enumerate(before.consumers):
        now = after.consumers[consumer_id]
        connection = before.connections[consumer_id]
        is_told = connection.stage == Stage.ANSWERED and connection.response.error == GroupError.REBALANCE_IN_PROGRESS
        is_received = is_told and after.connections[consumer_id].stage == Stage.IDLE and before.budget == after.budget
        if is_received and is_open(was):
            if now.member_id != was.member_id or now.generation != was.generation or now.owned != was.owned:
                return False
            if not now.needs_join or now.state != was.state or now.is_prepared != was.is_prepared:
                return False
    return True


def is_to_join_again(was: ClassicConsumer, now: ClassicConsumer, rules: ClassicGroupRules) -> bool:
    """Whether a consumer asks to join next, as the same member and with what it owns."""
    is_same = now.member_id == was.member_id and now.state == was.state
    return (is_same or not rules.retry_keeps_member) and now.needs_join and now.owned == was.owned


def lost_requests_are_sent_again(before: State, after: State, rules: ClassicGroupRules) -> bool:
    """A consumer that loses a heartbeat stays as it is; one that loses another request joins again as the same member.

    Lost if it fails: a broken connection costs a rebalance, or the consumer waits for ever.
    Source: `AbstractCoordinator.joinGroupIfNeeded`; KAFKA-13214.
    """
    if before.budget.losses == after.budget.losses:
        return True
    return all(
        now == was or (was.state != ConsumerState.STABLE and is_to_join_again(was, now, rules))
        for was, now in zip(before.consumers, after.consumers)
    )


def fair_share(response: GroupResponse, bounds: Bounds) -> int:
    """The most partitions that a member can have if all have as many."""
    member_count = len(response.members)
    return (bounds.partitions + member_count - 1) // member_count


def uncontested(response: GroupResponse, member_id: int) -> Ids:
    """The partitions that a member says to own, and no other one."""
    found = response.owned[member_id]
    for other_id in response.members:
        if other_id != member_id:
            found -= response.owned[other_id]
    return found


def leaders_move_only_what_they_must(before: State, after: State, bounds: Bounds) -> bool:
    """A member keeps what it owns, up to its share, and gets no more than that.

    Lost if it fails: partitions change hands although the balance does not ask for it.
    Source: KIP-54, KIP-429.
    """
    return all(
        len(connection.request.assignments[member_id]) <= fair_share(before.connections[consumer_id].response, bounds)
        and len(
            connection.request.assignments[member_id] & uncontested(before.connections[consumer_id].response, member_id)
        )
        >= min(
            len(uncontested(before.connections[consumer_id].response, member_id)),
            fair_share(before.connections[consumer_id].response, bounds),
        )
        for consumer_id, connection in enumerate(after.connections)
        if is_sent(before.connections[consumer_id], connection)
        for member_id in before.connections[consumer_id].response.members
    )


def departures_are_real(before: State, after: State) -> bool:
    """A consumer that crashes or begins to leave, as the budget says, took part before; what it has sent may arrive.

    Lost if it fails: the models have fewer disturbances than their bounds say.
    Source: the budget of `model/classic_group/system.py`.
    """
    if before.budget.crashes != after.budget.crashes:
        return any(
            was.state != ConsumerState.CLOSED and now.state == ConsumerState.CLOSED
            for was, now in zip(before.consumers, after.consumers)
        ) and all(was.stage == Stage.ANSWERED or was == now for was, now in zip(before.connections, after.connections))
    return before.budget.leaves == after.budget.leaves or any(
        is_open(was) and not is_open(now) for was, now in zip(before.consumers, after.consumers)
    )
