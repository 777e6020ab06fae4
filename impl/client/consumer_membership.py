"""A consumer's membership in its group: it joins, heartbeats, applies assignments, and leaves (KIP-848).

Part of Kafka modelled: `AbstractMembershipManager`, `ConsumerHeartbeatRequestManager`.
Source: the classes of 4.0.0 to 4.4.0; KIP-848.
Left out, and why that is sound: callbacks that fail; the state FENCED, because a consumer that is fenced releases its
partitions and joins anew in one step here; names of topics that metadata had and has no more. `poll_interval.py` has
the state STALE.
A consumer that leaves while a heartbeat is under way says so at once in Kafka; here when that one is answered, because
both use one connection, and the answer changes nothing any more.
"""

from kafkacheck.checker.schema import Ids, Struct, clear
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_INSTANCE,
    ConsumerState,
    HeartbeatError,
    HeartbeatStage,
)
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import (
    Heartbeat,
    HeartbeatResponse,
    MemberEpoch,
    OptionalInstanceId,
    TopicSet,
)


class Consumer(Struct):
    """A consumer's view of its membership.

    state: the state of the membership.
    instance_id: its `group.instance.id`, if it is a static member.
    member_epoch: the epoch of its last response.
    subscribed: its topics.
    unknown_topics: the topics whose names its metadata does not have yet; it cannot take their partitions.
    owned: the partitions that it processes.
    target: the assignment of the last response that named one.
    reconciled: the assignment that it is applying.
    is_reconciling: whether it is applying one: it commits, and calls the application back.
    is_newest: whether that one is still the target.
    is_applied: whether it has applied the target.
    is_partial: whether it has applied the target but for topics whose names its metadata does not have.
    has_applied: whether it has applied any assignment since it joined.
    has_rejoined: whether it joined anew while it was applying one.
    rejoins: if it is stale, whether its application has polled, so that it joins once it has lost its partitions.
    names_timeout: whether its next heartbeat names the rebalance timeout.
    names_topics: whether its next heartbeat names the subscription.
    names_owned: whether its next heartbeat names the owned partitions.
    """

    state: ConsumerState
    instance_id: OptionalInstanceId
    member_epoch: MemberEpoch
    subscribed: TopicSet
    unknown_topics: TopicSet
    owned: PartitionSet
    target: PartitionSet
    reconciled: PartitionSet
    is_reconciling: bool
    is_newest: bool
    is_applied: bool
    is_partial: bool
    has_applied: bool
    has_rejoined: bool
    rejoins: bool
    names_timeout: bool
    names_topics: bool
    names_owned: bool


def begin_joining(consumer: Consumer) -> None:
    """Ask to join for the first time: the heartbeat names everything."""
    ask_to_join(consumer)
    name_everything(consumer)


def ask_to_join(consumer: Consumer) -> None:
    """Ask to join, with no partition and epoch 0."""
    consumer.state = ConsumerState.JOINING
    consumer.member_epoch = JOIN_GROUP_MEMBER_EPOCH
    consumer.owned = Ids()
    consumer.has_rejoined = consumer.is_reconciling
    forget_assignment(consumer)


def forget_assignment(consumer: Consumer) -> None:
    """Forget the target assignment, and that any was applied."""
    consumer.target = Ids()
    consumer.is_applied = False
    consumer.is_partial = False
    consumer.has_applied = False


def name_everything(consumer: Consumer) -> None:
    """Name in the next heartbeat all that there is to name."""
    consumer.names_timeout = True
    consumer.names_topics = True
    consumer.names_owned = True


def is_in_group(consumer: Consumer) -> bool:
    """Whether the consumer takes part in the group, as far as it knows."""
    return (
        consumer.state != ConsumerState.UNSUBSCRIBED
        and consumer.state != ConsumerState.LEAVING
        and consumer.state != ConsumerState.CRASHED
        and consumer.state != ConsumerState.FATAL
        and consumer.state != ConsumerState.STALE
    )


def named_as_owned(consumer: Consumer, rules: ConsumerGroupRules) -> Ids:
    """The partitions that a heartbeat names.

    In Kafka these are the owned ones. If the consumer owns others when the coordinator handles the heartbeat, the
    coordinator takes those for revoked. With `target_counts_as_owned` the heartbeat names them as well, unless
    the consumer joins.
    """
    if consumer.is_applied and not rules.unresolved_partitions_are_not_owned:
        return consumer.target
    if rules.target_counts_as_owned and consumer.state != ConsumerState.JOINING:
        return consumer.owned | consumer.target | consumer.reconciled
    return consumer.owned


def send_group_heartbeat(consumer: Consumer, rules: ConsumerGroupRules, member_id: int, heartbeat: Heartbeat) -> bool:
    """A consumer sends a heartbeat.

    Who: a consumer that is in a group, or leaves it.
    When: none of its heartbeats is under way.
    Effect: the request names the consumer's epoch and its instance id, and the subscription and the owned partitions if
        they have changed since they were sent. An assignment that it has applied is acknowledged by that. A static
        member that leaves says that it will be back.
    Source: ConsumerHeartbeatRequestManager.buildRequestData, AbstractMembershipManager.onHeartbeatRequestGenerated.
    """
    if heartbeat.stage != HeartbeatStage.IDLE:
        return False
    if not is_in_group(consumer) and consumer.state != ConsumerState.LEAVING:
        return False
    request = heartbeat.request
    heartbeat.stage = HeartbeatStage.REQUESTED
    request.member_id = member_id
    request.instance_id = consumer.instance_id
    request.member_epoch = consumer.member_epoch
    request.is_temporary = consumer.state == ConsumerState.LEAVING and consumer.instance_id != NO_INSTANCE
    request.names_timeout = consumer.names_timeout
    if consumer.names_topics:
        request.names_topics = True
        request.subscribed = consumer.subscribed
    if consumer.names_owned:
        request.names_owned = True
        request.owned = named_as_owned(consumer, rules)
        consumer.names_owned = consumer.state == ConsumerState.JOINING
    consumer.names_timeout = consumer.state == ConsumerState.JOINING
    consumer.names_topics = consumer.state == ConsumerState.JOINING
    if consumer.state == ConsumerState.ACKNOWLEDGING:
        if consumer.is_applied:
            consumer.state = ConsumerState.STABLE
        else:
            consumer.state = ConsumerState.RECONCILING
    elif consumer.state == ConsumerState.LEAVING:
        consumer.state = ConsumerState.UNSUBSCRIBED
    return True


def take_assignment(consumer: Consumer, assigned: Ids) -> None:
    """Take an assignment, which the consumer applies and acknowledges, unless it is the target that it has already.

    It is acknowledged even if the consumer owns the same partitions, because the coordinator waits for that.
    """
    if assigned != consumer.target or consumer.state == ConsumerState.JOINING:
        consumer.target = assigned
        consumer.is_newest = False
        consumer.is_applied = False
        consumer.is_partial = False
    if not consumer.is_applied:
        consumer.state = ConsumerState.RECONCILING


def lose_membership(consumer: Consumer, rules: ConsumerGroupRules) -> None:
    """Lose the partitions, and join anew: the group has another epoch for this member, or does not know the member.

    A consumer that was leaving has left.
    """
    if consumer.state == ConsumerState.PREPARE_LEAVING or consumer.state == ConsumerState.LEAVING:
        leave_without_heartbeat(consumer)
    elif is_in_group(consumer):
        ask_to_join(consumer)
        if rules.rejoining_heartbeat_is_full:
            name_everything(consumer)


def end_membership(consumer: Consumer) -> None:
    """Lose the partitions for good: another member has the instance id or may have it, or a request was invalid.

    Source: AbstractMembershipManager.transitionToFatal.
    """
    leave_without_heartbeat(consumer)
    consumer.state = ConsumerState.FATAL


def is_fatal(consumer: Consumer, rules: ConsumerGroupRules, error: HeartbeatError) -> bool:
    """Whether the error ends the consumer. One that has left a group does not mind that there is none any more."""
    if error == HeartbeatError.GROUP_ID_NOT_FOUND:
        return consumer.state != ConsumerState.UNSUBSCRIBED or not rules.left_consumer_ignores_lost_group
    if error == HeartbeatError.UNRELEASED_INSTANCE_ID or error == HeartbeatError.FENCED_INSTANCE_ID:
        return True
    return error == HeartbeatError.UNKNOWN_SERVER_ERROR or error == HeartbeatError.INVALID_REQUEST


def receive_heartbeat_response(consumer: Consumer, rules: ConsumerGroupRules, heartbeat: Heartbeat) -> bool:
    """A consumer handles the response to its heartbeat.

    Who: a consumer whose process runs.
    When: the response has arrived.
    Effect: it has the epoch of the response and, if the response names one, a new target assignment. A consumer that
        leaves takes neither. After an error it joins anew, unless the error is fatal.
    Source: AbstractMembershipManager.onHeartbeatSuccess, transitionToFenced.
    """
    if heartbeat.stage != HeartbeatStage.ANSWERED:
        return False
    handle_heartbeat_response(consumer, rules, heartbeat.response)
    clear(heartbeat)
    return True


def handle_heartbeat_response(consumer: Consumer, rules: ConsumerGroupRules, response: HeartbeatResponse) -> None:
    """Take what a response says, or give up the membership because of an error."""
    if is_fatal(consumer, rules, response.error):
        end_membership(consumer)
    elif response.error != HeartbeatError.NONE:
        lose_membership(consumer, rules)
    elif is_in_group(consumer):
        accept_response(consumer, response)
    elif consumer.state == ConsumerState.LEAVING and not rules.leaving_consumer_ignores_responses:
        consumer.member_epoch = response.member_epoch


def accept_response(consumer: Consumer, response: HeartbeatResponse) -> None:
    """Take the epoch of a response, and the assignment if it names one."""
    consumer.member_epoch = response.member_epoch
    consumer.names_timeout = consumer.names_timeout and consumer.state != ConsumerState.JOINING
    consumer.names_topics = consumer.names_topics and consumer.state != ConsumerState.JOINING
    consumer.names_owned = consumer.names_owned and consumer.state != ConsumerState.JOINING
    if response.names_assignment and consumer.state != ConsumerState.PREPARE_LEAVING:
        take_assignment(consumer, response.assigned)


def resolvable_partitions(consumer: Consumer, topic_count: int) -> Ids:
    """The partitions of the target whose topics the metadata has: topics take turns in numbering partitions.

    Source: AbstractMembershipManager.findResolvableAssignmentAndTriggerMetadataUpdate.
    """
    found = consumer.target
    for partition_id in consumer.target:
        if partition_id % topic_count in consumer.unknown_topics:
            found -= {partition_id}
    return found


def resolve_topic(consumer: Consumer, topic_id: int) -> bool:
    """A consumer's metadata has the name of a topic from now on.

    Who: a broker that the consumer asked.
    When: the metadata does not have it.
    Effect: the consumer can take partitions of that topic.
    Source: Metadata.requestUpdate, ConsumerMetadata.
    """
    if topic_id not in consumer.unknown_topics:
        return False
    consumer.unknown_topics -= {topic_id}
    return True


def note_applied(consumer: Consumer, rules: ConsumerGroupRules) -> None:
    """Note that the target is applied, or the part of it that can be."""
    consumer.is_applied = consumer.owned == consumer.target or not rules.unresolved_partitions_are_not_owned
    consumer.is_partial = not consumer.is_applied


def begin_reconciliation(consumer: Consumer, rules: ConsumerGroupRules, topic_count: int) -> bool:
    """A consumer begins to apply its target assignment.

    Who: a consumer in a group.
    When: it has another target assignment than the one that it has applied, and applies none.
    Effect: it commits its offsets, and calls the application back. Partitions whose topics its metadata does not have
        wait. If it owns the other ones already, it only acknowledges them, once.
    Source: AbstractMembershipManager.maybeReconcile.
    """
    if consumer.state != ConsumerState.RECONCILING or consumer.is_reconciling:
        return False
    resolvable = resolvable_partitions(consumer, topic_count)
    if consumer.has_applied and resolvable == consumer.owned:
        if not consumer.is_partial:
            note_applied(consumer, rules)
            consumer.names_owned = True
        elif rules.partial_target_is_acknowledged_once:
            return False
        consumer.state = ConsumerState.ACKNOWLEDGING
        return True
    consumer.is_reconciling = True
    consumer.is_newest = True
    consumer.reconciled = resolvable
    return True


def complete_reconciliation(consumer: Consumer, rules: ConsumerGroupRules) -> bool:
    """A consumer has applied an assignment, or gives that up.

    Who: a consumer whose process runs.
    When: it applies an assignment.
    Effect: it owns the partitions of that assignment, and its next heartbeat names them. It gives up if it has joined
        anew meanwhile, or need not apply any assignment.
    Source: AbstractMembershipManager.revokeAndAssign, maybeAbortReconciliation.
    """
    if not consumer.is_reconciling:
        return False
    if consumer.state == ConsumerState.RECONCILING and not consumer.has_rejoined:
        consumer.owned = consumer.reconciled
        if consumer.is_newest:
            note_applied(consumer, rules)
        consumer.has_applied = True
        consumer.state = ConsumerState.ACKNOWLEDGING
        consumer.names_owned = True
    consumer.is_reconciling = False
    consumer.is_newest = False
    consumer.has_rejoined = False
    consumer.reconciled = Ids()
    return True


def begin_leaving(consumer: Consumer) -> bool:
    """A consumer begins to leave its group.

    Who: its application.
    When: it has joined, and does not leave.
    Effect: it releases its partitions, if it has some, before it tells the coordinator.
    Source: AbstractMembershipManager.leaveGroup.
    """
    if not is_in_group(consumer) or consumer.state == ConsumerState.PREPARE_LEAVING:
        return False
    consumer.state = ConsumerState.PREPARE_LEAVING
    if consumer.owned == Ids():
        release_partitions(consumer)
    return True


def leave_without_heartbeat(consumer: Consumer) -> None:
    """Be in no group, and own nothing."""
    consumer.state = ConsumerState.UNSUBSCRIBED
    consumer.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    consumer.owned = Ids()
    forget_assignment(consumer)
    consumer.rejoins = False
    consumer.names_timeout = False
    consumer.names_topics = False
    consumer.names_owned = False


def release_partitions(consumer: Consumer) -> bool:
    """A consumer that leaves has released its partitions.

    Who: a consumer that leaves.
    When: its callbacks are done.
    Effect: it owns nothing, and its next heartbeat says that it leaves.
    Source: AbstractMembershipManager.transitionToSendingLeaveGroup.
    """
    if consumer.state != ConsumerState.PREPARE_LEAVING:
        return False
    leave_without_heartbeat(consumer)
    consumer.state = ConsumerState.LEAVING
    return True


def lose_heartbeat(consumer: Consumer, heartbeat: Heartbeat) -> None:
    """Give a heartbeat up: its connection broke, or another broker is the coordinator now. The next one is full."""
    clear(heartbeat)
    if is_in_group(consumer):
        name_everything(consumer)


def crash(consumer: Consumer, heartbeat: Heartbeat) -> None:
    """End the consumer's process; a request that it has sent may still arrive."""
    clear(consumer)
    consumer.state = ConsumerState.CRASHED
    if heartbeat.stage != HeartbeatStage.REQUESTED:
        clear(heartbeat)
