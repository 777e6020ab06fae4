"""How a KRaft controller manages brokers: heartbeats, fencing, controlled shutdown, over a log that grows for ever.

Part of Kafka modelled: `BrokerHeartbeatManager`, `ClusterControlManager`, and `processBrokerHeartbeat` of
`ReplicationControlManager`; the brokers' side is `impl/broker/lifecycle.py`. The two are a system of their own, because
the cluster model bounds its metadata log and this log has no bound.
Source: apache/kafka (commit 1eb7644349); KIP-631, KAFKA-13173, KAFKA-13959, KAFKA-14292, KAFKA-18138.
Left out, and why that is sound: ISRs and records: every active broker is in sync, and one partition is enough, because
the rules ask only whether a broker leads any; an unfenced broker that wants to be fenced, because none does; the time
of a session, which ends at once, later or never. An offset of the metadata log is its distance from the log's end
(`registrations.py`): a function that appends a record takes all brokers, because it changes their distances.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Array, Since, clear
from kafkacheck.impl.broker.lifecycle import BrokerHeartbeat, LivingBroker
from kafkacheck.impl.controller.registrations import ClusterControl, append_metadata, count_no_more, is_behind
from kafkacheck.impl.enums import BrokerControlState, BrokerState, Stage
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET


class LifecycleRules(NamedTuple):
    """The switches of a broker's life.

    unfencing_awaits_registration: a broker has caught up as soon as it has replayed its own registration; by the old
        rule it must have replayed the controller's whole log (KAFKA-13959).
    shutdown_offset_stays: a broker in controlled shutdown waits until the others have replayed the record that took its
        leaderships; by the old rule, the whole log at its last heartbeat (KAFKA-14292).
    stale_brokers_are_fenced_in_turn: stale brokers are fenced one by one, and each election knows the brokers that were
        fenced before (KAFKA-13173).
    new_controller_expects_heartbeats: a new controller fences a registered broker that never sends it a heartbeat
        (KAFKA-18138).
    amended_registration_keeps_state: a broker that registers again without having started anew stays unfenced, and in
        controlled shutdown if it was (KAFKA-16757).
    amended_registration_keeps_epoch: such a broker keeps its broker epoch (KAFKA-16952).
    amended_registration_keeps_heartbeats: the controller keeps what it knows by the heartbeats of such a broker, and
        what its controlled shutdown waits for (no Kafka: finding F24 of tests/kafka/findings).
    new_controller_resumes_shutdowns: a new controller ends no controlled shutdown before the others have replayed the
        whole log that it took over. No version of Kafka has this rule.
    """

    unfencing_awaits_registration: Annotated[bool, Since("3.3", begun="2.8")] = True
    shutdown_offset_stays: Annotated[bool, Since("3.3.2", begun="2.8")] = True
    stale_brokers_are_fenced_in_turn: Annotated[bool, Since("3.0", begun="2.8")] = True
    new_controller_expects_heartbeats: Annotated[bool, Since(EVERY)] = True
    amended_registration_keeps_state: Annotated[bool, Since("3.8", begun="3.7")] = True
    amended_registration_keeps_epoch: Annotated[bool, Since("3.8", begun="3.7")] = True
    amended_registration_keeps_heartbeats: Annotated[bool, Since(EVERY)] = False
    new_controller_resumes_shutdowns: Annotated[bool, Since(EVERY)] = False


def is_active(controller: ClusterControl, broker_id: int) -> bool:
    """Whether a controlled shutdown waits for this broker to replay the log."""
    return controller.registrations[broker_id].state == BrokerControlState.UNFENCED


def may_lead(controller: ClusterControl, broker_id: int) -> bool:
    """Whether the controller lets a broker lead."""
    return is_active(controller, broker_id) and not controller.registrations[broker_id].in_controlled_shutdown


def elect_another_leader(controller: ClusterControl, broker_id: int) -> None:
    """If the broker leads, elect the first other broker that may lead, or nobody."""
    if controller.leader != broker_id:
        return
    controller.leader = NO_LEADER
    for other_id in range(len(controller.registrations)):
        if controller.leader == NO_LEADER and other_id != broker_id and may_lead(controller, other_id):
            controller.leader = other_id


def set_shutdown_offset(controller: ClusterControl, brokers: Array[LivingBroker], broker_id: int, offset: int) -> None:
    """Set the offset that a broker's controlled shutdown waits for, and forget the former one."""
    former = controller.registrations[broker_id].controlled_shutdown_offset
    controller.registrations[broker_id].controlled_shutdown_offset = offset
    count_no_more(controller, brokers, former)


def set_registration_offset(
    controller: ClusterControl, brokers: Array[LivingBroker], broker_id: int, offset: int
) -> None:
    """Set the offset of a broker's registration, and forget the former one."""
    former = controller.registrations[broker_id].registration_offset
    controller.registrations[broker_id].registration_offset = offset
    count_no_more(controller, brokers, former)


def register_broker(controller: ClusterControl, brokers: Array[LivingBroker], broker_id: int) -> None:
    """Append a record that registers a broker with its next epoch, and remember its offset."""
    controller.registrations[broker_id].broker_epoch += 1
    append_metadata(controller, brokers)
    set_registration_offset(controller, brokers, broker_id, 0)


def leave(controller: ClusterControl, brokers: Array[LivingBroker], broker_id: int) -> None:
    """Mark a broker as fenced, which also ends its controlled shutdown."""
    registration = controller.registrations[broker_id]
    registration.state = BrokerControlState.FENCED
    registration.in_controlled_shutdown = False
    registration.is_expected = False
    registration.metadata_offset = NO_OFFSET
    set_shutdown_offset(controller, brokers, broker_id, NO_OFFSET)


def fence_broker(controller: ClusterControl, brokers: Array[LivingBroker], broker_id: int) -> None:
    """Append a record that fences a broker and moves its leadership."""
    elect_another_leader(controller, broker_id)
    leave(controller, brokers, broker_id)
    append_metadata(controller, brokers)


def await_heartbeat(controller: ClusterControl, broker_id: int) -> None:
    """Count an active broker as behind every record until its next heartbeat (`BrokerHeartbeatManager.register`)."""
    registration = controller.registrations[broker_id]
    registration.state = BrokerControlState.UNFENCED
    registration.metadata_offset = len(controller.registrations) + 1


def unfence_broker(controller: ClusterControl, brokers: Array[LivingBroker], broker_id: int) -> None:
    """Append a record that unfences a broker; it leads if nobody does."""
    await_heartbeat(controller, broker_id)
    set_registration_offset(controller, brokers, broker_id, NO_OFFSET)
    if controller.leader == NO_LEADER:
        controller.leader = broker_id
    append_metadata(controller, brokers)


def begin_controlled_shutdown(controller: ClusterControl, brokers: Array[LivingBroker], broker_id: int) -> None:
    """Append a record that takes a broker's leaderships, and remember its offset."""
    registration = controller.registrations[broker_id]
    elect_another_leader(controller, broker_id)
    registration.state = BrokerControlState.CONTROLLED_SHUTDOWN
    registration.in_controlled_shutdown = True
    registration.metadata_offset = NO_OFFSET
    append_metadata(controller, brokers)
    set_shutdown_offset(controller, brokers, broker_id, 0)


def has_caught_up(
    controller: ClusterControl, rules: LifecycleRules, heartbeat: BrokerHeartbeat, broker_id: int
) -> bool:
    """Whether the sender of the heartbeat had replayed enough to be unfenced."""
    offset = heartbeat.current_metadata_offset
    needed = controller.registrations[broker_id].registration_offset
    if not rules.unfencing_awaits_registration:
        return not is_behind(offset, 0)
    return needed == NO_OFFSET or not is_behind(offset, needed)


def others_have_replayed(controller: ClusterControl, broker_id: int) -> bool:
    """Whether every active broker has reported that it replayed the broker's controlled shutdown offset."""
    needed = controller.registrations[broker_id].controlled_shutdown_offset
    for other_id in range(len(controller.registrations)):
        if is_active(controller, other_id) and is_behind(controller.registrations[other_id].metadata_offset, needed):
            return False
    return True


def next_control_state(
    controller: ClusterControl, rules: LifecycleRules, heartbeat: BrokerHeartbeat, broker_id: int
) -> BrokerControlState:
    """The broker's state after its heartbeat (`BrokerHeartbeatManager.calculateNextBrokerState`)."""
    current = controller.registrations[broker_id].state
    if current == BrokerControlState.FENCED:
        if heartbeat.want_shut_down:
            return BrokerControlState.SHUTDOWN_NOW
        if not heartbeat.want_fence and has_caught_up(controller, rules, heartbeat, broker_id):
            return BrokerControlState.UNFENCED
        return BrokerControlState.FENCED
    if current == BrokerControlState.UNFENCED:
        if not heartbeat.want_shut_down:
            return BrokerControlState.UNFENCED
        if controller.leader == broker_id:
            return BrokerControlState.CONTROLLED_SHUTDOWN
        return BrokerControlState.SHUTDOWN_NOW
    if others_have_replayed(controller, broker_id):
        return BrokerControlState.SHUTDOWN_NOW
    return BrokerControlState.CONTROLLED_SHUTDOWN


def answer_heartbeat(
    controller: ClusterControl, rules: LifecycleRules, brokers: Array[LivingBroker], broker_id: int
) -> None:
    """Answer a heartbeat that has the registered epoch, and move its sender to the next state."""
    heartbeat = brokers[broker_id].heartbeat
    registration = controller.registrations[broker_id]
    current = registration.state
    state_after = next_control_state(controller, rules, heartbeat, broker_id)
    is_caught_up = has_caught_up(controller, rules, heartbeat, broker_id)
    if state_after == current and current == BrokerControlState.UNFENCED:
        registration.metadata_offset = heartbeat.current_metadata_offset
    clear(heartbeat)
    if state_after == BrokerControlState.SHUTDOWN_NOW:
        fence_broker(controller, brokers, broker_id)
    elif state_after != current and state_after == BrokerControlState.UNFENCED:
        unfence_broker(controller, brokers, broker_id)
    elif state_after != current:
        begin_controlled_shutdown(controller, brokers, broker_id)
    elif current == BrokerControlState.CONTROLLED_SHUTDOWN and not rules.shutdown_offset_stays:
        set_shutdown_offset(controller, brokers, broker_id, 0)
    registration.is_expected = registration.state != BrokerControlState.FENCED
    heartbeat.stage = Stage.ANSWERED
    heartbeat.is_caught_up = is_caught_up
    heartbeat.is_fenced = registration.state == BrokerControlState.FENCED
    heartbeat.should_shut_down = state_after == BrokerControlState.SHUTDOWN_NOW


def handle_heartbeat(
    controller: ClusterControl, rules: LifecycleRules, brokers: Array[LivingBroker], broker_id: int
) -> bool:
    """The controller handles a broker's heartbeat.

    Who: the controller.
    When: a request is under way.
    Effect: the broker gets the state that `next_control_state` returns, and an answer. A heartbeat of another epoch
        than the registered one is refused (STALE_BROKER_EPOCH), and its sender must ask again.
    Source: ReplicationControlManager.processBrokerHeartbeat; BrokerHeartbeatManager (touch, calculateNextBrokerState,
        maybeUpdateControlledShutdownOffset).
    """
    heartbeat = brokers[broker_id].heartbeat
    if heartbeat.stage != Stage.REQUESTED:
        return False
    if heartbeat.broker_epoch != controller.registrations[broker_id].broker_epoch:
        clear(heartbeat)
        return True
    answer_heartbeat(controller, rules, brokers, broker_id)
    return True


def is_stale(controller: ClusterControl, brokers: Array[LivingBroker], broker_id: int) -> bool:
    """Whether the controller expects heartbeats of a broker that has no process to send them.

    It stands for a session that has ended (`broker.session.timeout.ms`).
    """
    return controller.registrations[broker_id].is_expected and brokers[broker_id].state == BrokerState.NOT_RUNNING


def fence_stale_brokers_at_once(controller: ClusterControl, brokers: Array[LivingBroker]) -> None:
    """Fence every stale broker in one event, whose elections use the controller's knowledge before the event."""
    if controller.leader != NO_LEADER and is_stale(controller, brokers, controller.leader):
        elect_another_leader(controller, controller.leader)
    for broker_id in range(len(brokers)):
        if is_stale(controller, brokers, broker_id):
            leave(controller, brokers, broker_id)
    append_metadata(controller, brokers)


def fence_stale_broker(
    controller: ClusterControl, rules: LifecycleRules, brokers: Array[LivingBroker], broker_id: int
) -> bool:
    """The controller fences a broker whose session has ended because it has no process.

    Who: the controller.
    When: it expects heartbeats of the broker, which has no process to send them.
    Effect: a record fences the broker and moves its leadership.
    Source: ReplicationControlManager.maybeFenceOneStaleBroker.
    Left out: the time of the session.
    """
    if not is_stale(controller, brokers, broker_id):
        return False
    if rules.stale_brokers_are_fenced_in_turn:
        fence_broker(controller, brokers, broker_id)
    else:
        fence_stale_brokers_at_once(controller, brokers)
    return True


def take_over_brokers(controller: ClusterControl, rules: LifecycleRules, brokers: Array[LivingBroker]) -> None:
    """Begin as another controller with what the metadata log says of brokers, and append a first record.

    Replayed offsets and controlled shutdown offsets are not in the log.
    """
    append_metadata(controller, brokers)
    for broker_id, registration in enumerate(controller.registrations):
        if registration.state != BrokerControlState.FENCED:
            registration.is_expected = rules.new_controller_expects_heartbeats
            await_heartbeat(controller, broker_id)
            if registration.in_controlled_shutdown and rules.new_controller_resumes_shutdowns:
                registration.state = BrokerControlState.CONTROLLED_SHUTDOWN
                registration.metadata_offset = NO_OFFSET
                set_shutdown_offset(controller, brokers, broker_id, 0)


def amend_registration(
    controller: ClusterControl, rules: LifecycleRules, brokers: Array[LivingBroker], broker_id: int
) -> bool:
    """Register a broker again, which has not started anew: the record amends its registration.

    Who: the controller, because the broker has sent its registration again with the same incarnation id.
    When: the broker is not fenced. Its process may have ended since.
    Effect: a record is appended, by which the broker has the same epoch, and is unfenced and in controlled shutdown as
        before. But the controller forgets what it knows by heartbeats: how far the broker has replayed, and what its
        controlled shutdown waits for. Before KAFKA-16757 the record fences the broker and leaves its leaderships;
        before KAFKA-16952 it has the next broker epoch.
    Source: BrokerLifecycleManager.resendBrokerRegistration, BrokerRegistrationTracker; ClusterControlManager
        (registerBroker, replay), BrokerHeartbeatManager (remove, register); KAFKA-16757, KAFKA-16952.
    Left out: that the broker, if it is fenced later, must have replayed this record before it is unfenced; a fenced
        broker that registers again; the way of the answer, during which Kafka's broker sends no heartbeat.
    """
    registration = controller.registrations[broker_id]
    if registration.state == BrokerControlState.FENCED:
        return False
    if not rules.amended_registration_keeps_epoch:
        registration.broker_epoch += 1
    append_metadata(controller, brokers)
    if not rules.amended_registration_keeps_state:
        leave(controller, brokers, broker_id)
    elif not rules.amended_registration_keeps_heartbeats:
        registration.is_expected = True
        await_heartbeat(controller, broker_id)
    return True
