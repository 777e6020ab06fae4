"""What a broker's life with a KRaft controller promises.

Part of Kafka judged: `impl/controller/broker_lifecycle.py`, by its records only. There, of two offsets the smaller
number is the later one.
Source: KIP-631, KAFKA-13959, KAFKA-14292.
Left out, and why that is sound: what fencing does to ISRs and records, which `cluster.py` and `cluster_isr.py` judge.
"""

from impl.constants import NO_LEADER, NO_OFFSET, BrokerControlState, BrokerState, Stage
from impl.controller.broker_lifecycle import BrokerLives


def is_unfenced(state: BrokerLives, broker_id: int) -> bool:
    """Whether the controller counts a broker among the active ones."""
    return state.registrations[broker_id].state == BrokerControlState.UNFENCED


def has_process(state: BrokerLives, broker_id: int) -> bool:
    """Whether a broker runs."""
    return state.brokers[broker_id].state != BrokerState.NOT_RUNNING


def knows_registration(state: BrokerLives, broker_id: int, offset: int) -> bool:
    """Whether a broker that has replayed up to an offset has replayed its registration; none is told once it has."""
    registration_offset = state.registrations[broker_id].registration_offset
    return registration_offset == NO_OFFSET or offset <= registration_offset


def unfenced_brokers_are_ready(before: BrokerLives, after: BrokerLives) -> bool:
    """A live broker that is unfenced has replayed its own registration, and does not ask to be fenced any more.

    Lost if it fails: clients and replicas are sent to a broker that goes by metadata from before it was registered.
    Source: KIP-631; BrokerHeartbeatManager.calculateNextBrokerState.
    Holds in: broker_lifecycle.
    Fails in: none; it guards the rules of fencing.
    """
    for broker_id in range(len(before.brokers)):
        if not is_unfenced(before, broker_id) and is_unfenced(after, broker_id) and has_process(before, broker_id):
            if not knows_registration(before, broker_id, before.brokers[broker_id].metadata_offset):
                return False
            if before.brokers[broker_id].state == BrokerState.STARTING:
                return False
    return True


def leader_is_unfenced(state: BrokerLives) -> bool:
    """Who leads is active, and somebody leads if anybody is.

    Lost if it fails: the partition's leader is fenced or stopping, so that clients wait for it in vain.
    Source: ReplicationControlManager (handleBrokerFenced, handleBrokerUnfenced, handleBrokerInControlledShutdown).
    Holds in: broker_lifecycle.
    Fails in: none; it guards the rules of fencing.
    """
    if state.leader != NO_LEADER:
        return is_unfenced(state, state.leader)
    for broker_id in range(len(state.brokers)):
        if is_unfenced(state, broker_id):
            return False
    return True


def reports_are_true(state: BrokerLives) -> bool:
    """The controller takes no broker to have replayed more than its process has.

    Lost if it fails: a broker stops while another one, which leads in its place, does not know that.
    Source: BrokerHeartbeatManager.touch.
    Holds in: broker_lifecycle.
    Fails in: none; it guards the rules of heartbeats.
    """
    for broker_id in range(len(state.brokers)):
        if is_unfenced(state, broker_id):
            known = state.registrations[broker_id].metadata_offset
            if known == NO_OFFSET:
                return False
            if has_process(state, broker_id) and state.brokers[broker_id].metadata_offset > known:
                return False
    return True


def is_answer(before: BrokerLives, after: BrokerLives, broker_id: int) -> bool:
    """Whether the controller answered a broker in this step."""
    return (
        before.brokers[broker_id].heartbeat.stage == Stage.REQUESTED
        and after.brokers[broker_id].heartbeat.stage == Stage.ANSWERED
    )


def brokers_are_told_what_they_are(before: BrokerLives, after: BrokerLives) -> bool:
    """An answer says whether the broker is fenced, and that it has caught up only if it had replayed its registration.

    Lost if it fails: a fenced broker takes itself to be unfenced, or serves by metadata from before it was registered.
    Source: BrokerHeartbeatResponse of KIP-631; ReplicationControlManager.processBrokerHeartbeat.
    Holds in: broker_lifecycle.
    Fails in: none; it guards the rules of fencing.
    """
    for broker_id in range(len(before.brokers)):
        if is_answer(before, after, broker_id):
            answer = after.brokers[broker_id].heartbeat
            offset = before.brokers[broker_id].heartbeat.current_metadata_offset
            if answer.is_fenced != (after.registrations[broker_id].state == BrokerControlState.FENCED):
                return False
            if answer.is_caught_up and not knows_registration(before, broker_id, offset):
                return False
    return True


def may_stop(before: BrokerLives, broker_id: int) -> bool:
    """Whether a broker leads nothing, and, in its controlled shutdown, all active brokers know who leads instead."""
    registration = before.registrations[broker_id]
    if before.leader == broker_id:
        return False
    if registration.state != BrokerControlState.CONTROLLED_SHUTDOWN:
        return True
    for other_id in range(len(before.brokers)):
        if is_unfenced(before, other_id) and has_process(before, other_id):
            if before.brokers[other_id].metadata_offset > registration.controlled_shutdown_offset:
                return False
    return True


def shutdowns_await_active_brokers(before: BrokerLives, after: BrokerLives) -> bool:
    """A broker is let go if it has asked for that, leads nothing, and the active brokers know who leads instead of it.

    One whose leaderships went elsewhere before it asked is let go at once, whoever knows of that.
    Lost if it fails: clients have nobody to write to until the next leader learns that it leads.
    Source: KIP-631 (controlled shutdown); BrokerHeartbeatManager.calculateNextBrokerState.
    Holds in: broker_lifecycle.
    Fails in: none; it guards the rules of controlled shutdown.
    """
    for broker_id in range(len(before.brokers)):
        if is_answer(before, after, broker_id) and after.brokers[broker_id].heartbeat.should_shut_down:
            if not before.brokers[broker_id].heartbeat.want_shut_down or not may_stop(before, broker_id):
                return False
            if after.registrations[broker_id].state != BrokerControlState.FENCED:
                return False
    return True


def shutdowns_await_their_move(before: BrokerLives, after: BrokerLives) -> bool:
    """The offset that a controlled shutdown waits for is that of the record that took the leaderships, or a later one.

    Lost if it fails: the broker is let go when others have replayed what lies before that record.
    Source: BrokerHeartbeatManager.maybeUpdateControlledShutdownOffset.
    Holds in: broker_lifecycle.
    Fails in: none; it guards the rules of controlled shutdown.
    """
    for broker_id in range(len(before.brokers)):
        if after.registrations[broker_id].state == BrokerControlState.CONTROLLED_SHUTDOWN:
            offset = after.registrations[broker_id].controlled_shutdown_offset
            if before.registrations[broker_id].state != BrokerControlState.CONTROLLED_SHUTDOWN:
                if offset != 0 or before.leader != broker_id:
                    return False
            elif offset == NO_OFFSET or offset > before.registrations[broker_id].controlled_shutdown_offset + 1:
                return False
    return True


def only_the_registered_epoch_counts(before: BrokerLives, after: BrokerLives) -> bool:
    """A heartbeat of a process that was replaced changes nothing, and no process replaces one that is not fenced.

    Lost if it fails: a late heartbeat fences, unfences or stops the broker that came after; or two processes of one
    broker take part.
    Source: ClusterControlManager (checkBrokerEpoch, registerBroker).
    Holds in: broker_lifecycle.
    Fails in: none; it guards the rules of broker epochs.
    """
    for broker_id in range(len(before.brokers)):
        known = before.registrations[broker_id]
        heartbeat = before.brokers[broker_id].heartbeat
        is_late = heartbeat.stage == Stage.REQUESTED and heartbeat.broker_epoch != known.broker_epoch
        if is_late and after.brokers[broker_id].heartbeat.stage != Stage.REQUESTED:
            if after.registrations[broker_id].state != known.state or after.leader != before.leader:
                return False
            if after.brokers[broker_id].heartbeat.stage == Stage.ANSWERED:
                return False
        if after.registrations[broker_id].broker_epoch != known.broker_epoch:
            if known.state != BrokerControlState.FENCED:
                return False
    return True


def a_broker_waits_to_be_unfenced(state: BrokerLives) -> bool:
    """Some broker is registered, and has not heard yet that it takes part."""
    for broker_id in range(len(state.brokers)):
        broker = state.brokers[broker_id]
        if broker.state == BrokerState.STARTING or broker.state == BrokerState.RECOVERY:
            return True
    return False


def no_broker_waits_to_be_unfenced(state: BrokerLives) -> bool:
    """Every broker that runs has been unfenced. It is the goal of a liveness property.

    Each broker comes to wait only as often as it registers, so that some time none does if each wait ends.
    Lost if it fails: a broker that is healthy never takes part.
    Source: KAFKA-13959.
    Holds in: broker_lifecycle, some time after each state of `a_broker_waits_to_be_unfenced`.
    Fails in: KAFKA-13959.
    """
    return not a_broker_waits_to_be_unfenced(state)


def a_broker_waits_to_stop(state: BrokerLives) -> bool:
    """Some broker has been asked to stop, and has not."""
    for broker_id in range(len(state.brokers)):
        if state.brokers[broker_id].state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            return True
    return False


def no_broker_waits_to_stop(state: BrokerLives) -> bool:
    """Every broker that was asked to stop has. It is the goal of a liveness property.

    Lost if it fails: a rolling restart hangs until the broker gives up, and ends without a clean shutdown.
    Source: KAFKA-14292.
    Holds in: broker_lifecycle, some time after each state of `a_broker_waits_to_stop`.
    Fails in: KAFKA-14292.
    """
    return not a_broker_waits_to_stop(state)


def ready_behind_the_end(state: BrokerLives) -> bool:
    """A broker has replayed its registration, and lacks newer records. Without an example the log is not busy."""
    for broker_id in range(len(state.brokers)):
        offset = state.brokers[broker_id].metadata_offset
        if offset > 0 and offset == state.registrations[broker_id].registration_offset:
            return True
    return False


def shutdown_with_another_leader(state: BrokerLives) -> bool:
    """A broker is in controlled shutdown, and another one leads. Without an example no shutdown waits for anybody."""
    for broker_id in range(len(state.brokers)):
        if state.registrations[broker_id].state == BrokerControlState.CONTROLLED_SHUTDOWN:
            if state.leader != NO_LEADER:
                return True
    return False


def late_heartbeat(state: BrokerLives) -> bool:
    """A heartbeat of a process that was replaced is under way. Without an example epochs are not put to the test."""
    for broker_id in range(len(state.brokers)):
        heartbeat = state.brokers[broker_id].heartbeat
        if heartbeat.stage == Stage.REQUESTED and has_process(state, broker_id):
            if heartbeat.broker_epoch != state.registrations[broker_id].broker_epoch:
                return True
    return False
