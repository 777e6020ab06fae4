"""Guarantees of a broker's life with a KRaft controller.

Part of Kafka judged: `impl/controller/broker_lifecycle.py` and `impl/broker/lifecycle.py`, by their records only.
Offsets there count back from the log's end: the smaller number is the later offset.
Source: KIP-631, KAFKA-13959, KAFKA-14292, KAFKA-18138.
Left out, and why that is sound: effects of fencing on ISRs and records, which `spec/cluster` judges.
"""

from kafkacheck.impl.enums import BrokerControlState, BrokerState, Stage
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.model.broker_lifecycle.system import State


def is_unfenced(state: State, broker_id: int) -> bool:
    """Whether the metadata log has a broker as active: unfenced, and not in controlled shutdown."""
    registration = state.controller.registrations[broker_id]
    return registration.state == BrokerControlState.UNFENCED and not registration.in_controlled_shutdown


def has_process(state: State, broker_id: int) -> bool:
    """Whether a broker runs."""
    return state.brokers[broker_id].state != BrokerState.NOT_RUNNING


def knows_registration(state: State, broker_id: int, offset: int) -> bool:
    """Whether a broker at an offset has replayed its registration; it has if the registration offset is gone."""
    registration_offset = state.controller.registrations[broker_id].registration_offset
    return registration_offset == NO_OFFSET or offset <= registration_offset


def unfenced_brokers_are_ready(before: State, after: State) -> bool:
    """A live broker is unfenced only after it replayed its own registration and stopped asking to be fenced.

    Lost if it fails: clients and replicas are sent to a broker whose metadata is older than its registration.
    Source: KIP-631; BrokerHeartbeatManager.calculateNextBrokerState.
    """
    return all(
        knows_registration(before, broker_id, broker.metadata_offset) and broker.state != BrokerState.STARTING
        for broker_id, broker in enumerate(before.brokers)
        if not is_unfenced(before, broker_id) and is_unfenced(after, broker_id) and has_process(before, broker_id)
    )


def recovering_brokers_know_their_registration(state: State) -> bool:
    """A broker that has begun to recover its log has replayed its own registration.

    Lost if it fails: the broker acts on partitions that it no longer has, or does not have yet.
    Source: BrokerLifecycleManager (`initialCatchUpFuture`).
    """
    return all(
        knows_registration(state, broker_id, broker.metadata_offset)
        for broker_id, broker in enumerate(state.brokers)
        if has_process(state, broker_id) and broker.state != BrokerState.STARTING
    )


def leader_is_unfenced(state: State) -> bool:
    """The leader is active, and there is a leader if any broker is active.

    Lost to users: the partition's leader is fenced or stopping, so that clients wait for it in vain.
    Source: ReplicationControlManager (handleBrokerFenced, handleBrokerUnfenced, handleBrokerInControlledShutdown);
        KAFKA-13173.
    """
    if state.controller.leader != NO_LEADER:
        return is_unfenced(state, state.controller.leader)
    return all(not is_unfenced(state, broker_id) for broker_id in range(len(state.brokers)))


def active_leaders_stay(before: State, after: State) -> bool:
    """A leader goes on leading while it is active.

    Lost if it fails: partitions change their leader without need whenever a broker comes back.
    Source: ReplicationControlManager.generateLeaderAndIsrUpdates.
    """
    if before.controller.leader == NO_LEADER or not is_unfenced(after, before.controller.leader):
        return True
    return after.controller.leader == before.controller.leader


def reports_are_true(state: State) -> bool:
    """The controller never overrates how far an active broker has replayed, and keeps no offset of a fenced one.

    Lost if it fails: a broker stops before the broker that leads in its place knows that it leads.
    Source: BrokerHeartbeatManager.touch.
    """
    for broker_id in range(len(state.brokers)):
        if is_unfenced(state, broker_id):
            known = state.controller.registrations[broker_id].metadata_offset
            if known == NO_OFFSET:
                return False
            if has_process(state, broker_id) and state.brokers[broker_id].metadata_offset > known:
                return False
        elif not state.controller.registrations[broker_id].in_controlled_shutdown:
            if state.controller.registrations[broker_id].metadata_offset != NO_OFFSET:
                return False
    return True


def answers_have_a_receiver(state: State) -> bool:
    """An answer is under way only to a process that runs.

    Lost if it fails: a broker that starts takes an answer to its former process for its own.
    Source: the connection of a request and its answer ends with the process.
    """
    return all(
        has_process(state, broker_id)
        for broker_id in range(len(state.brokers))
        if state.brokers[broker_id].heartbeat.stage == Stage.ANSWERED
    )


def is_answer(before: State, after: State, broker_id: int) -> bool:
    """Whether the controller answered a broker in this step."""
    return (
        before.brokers[broker_id].heartbeat.stage == Stage.REQUESTED
        and after.brokers[broker_id].heartbeat.stage == Stage.ANSWERED
    )


def brokers_are_told_what_they_are(before: State, after: State) -> bool:
    """An answer gives the true fencing state, and calls a broker caught up only if it has replayed its registration.

    Lost if it fails: a fenced broker believes that it is unfenced, or serves with metadata older than its registration.
    Source: BrokerHeartbeatResponse of KIP-631; ReplicationControlManager.processBrokerHeartbeat.
    """
    for broker_id in range(len(before.brokers)):
        if is_answer(before, after, broker_id):
            answer = after.brokers[broker_id].heartbeat
            offset = before.brokers[broker_id].heartbeat.current_metadata_offset
            if answer.is_fenced != (after.controller.registrations[broker_id].state == BrokerControlState.FENCED):
                return False
            if answer.is_caught_up and not knows_registration(before, broker_id, offset):
                return False
    return True


def heartbeats_without_effect_are_not_logged(before: State, after: State) -> bool:
    """A heartbeat that does not change the broker's state appends nothing to the metadata log.

    Lost if it fails: the log grows with every heartbeat.
    Source: ReplicationControlManager.processBrokerHeartbeat.
    """
    return all(
        after.brokers[broker_id].metadata_offset <= before.brokers[broker_id].metadata_offset
        for broker_id in range(len(before.brokers))
        if is_answer(before, after, broker_id)
        and after.controller.registrations[broker_id].state == before.controller.registrations[broker_id].state
        if not after.brokers[broker_id].heartbeat.should_shut_down
    )


def may_stop(before: State, broker_id: int) -> bool:
    """Whether a broker leads nothing and, if it is in controlled shutdown, all active brokers know its replacement."""
    registration = before.controller.registrations[broker_id]
    if before.controller.leader == broker_id:
        return False
    if not registration.in_controlled_shutdown:
        return True
    return all(
        before.brokers[other_id].metadata_offset <= registration.controlled_shutdown_offset
        for other_id in range(len(before.brokers))
        if is_unfenced(before, other_id) and has_process(before, other_id)
    )


def shutdowns_await_active_brokers(before: State, after: State) -> bool:
    """A broker may stop only if it asked to, leads nothing, and the active brokers know that another one replaced it.

    A broker that lost its leaderships before it asked may stop at once, even if others do not know.
    Lost if it fails: clients have no leader to write to until the next one learns that it leads.
    Source: KIP-631 (controlled shutdown); BrokerHeartbeatManager.calculateNextBrokerState.
    """
    return all(
        (before.brokers[broker_id].heartbeat.want_shut_down and may_stop(before, broker_id))
        and after.controller.registrations[broker_id].state == BrokerControlState.FENCED
        for broker_id in range(len(before.brokers))
        if is_answer(before, after, broker_id) and after.brokers[broker_id].heartbeat.should_shut_down
    )


def shutdowns_await_their_move(before: State, after: State) -> bool:
    """A controlled shutdown waits for the record that took the broker's leaderships away, or for a later one.

    Lost if it fails: the broker may stop when others have replayed only the records before that one.
    Source: BrokerHeartbeatManager.maybeUpdateControlledShutdownOffset.
    """
    for broker_id in range(len(before.brokers)):
        if after.controller.registrations[broker_id].in_controlled_shutdown:
            offset = after.controller.registrations[broker_id].controlled_shutdown_offset
            if not before.controller.registrations[broker_id].in_controlled_shutdown:
                if offset != 0 or before.controller.leader != broker_id:
                    return False
            elif (
                offset == NO_OFFSET
                or offset > before.controller.registrations[broker_id].controlled_shutdown_offset + 1
            ):
                return False
        elif after.controller.registrations[broker_id].controlled_shutdown_offset != NO_OFFSET:
            return False
    return True


def only_the_registered_epoch_counts(before: State, after: State) -> bool:
    """A heartbeat of a replaced process changes nothing, and no process replaces one that is not fenced.

    Lost if it fails: a late heartbeat fences, unfences or stops the next process; or two processes of one broker take
    part.
    Source: ClusterControlManager (checkBrokerEpoch, registerBroker).
    """
    for broker_id in range(len(before.brokers)):
        known = before.controller.registrations[broker_id]
        heartbeat = before.brokers[broker_id].heartbeat
        is_late = heartbeat.stage == Stage.REQUESTED and heartbeat.broker_epoch != known.broker_epoch
        if is_late and after.brokers[broker_id].heartbeat.stage != Stage.REQUESTED:
            if (
                after.controller.registrations[broker_id].state != known.state
                or after.controller.leader != before.controller.leader
            ):
                return False
            if after.brokers[broker_id].heartbeat.stage == Stage.ANSWERED:
                return False
        if after.controller.registrations[broker_id].broker_epoch != known.broker_epoch:
            if known.state != BrokerControlState.FENCED or has_process(before, broker_id):
                return False
    return True


def has_newly_reached(before: int, after: int, before_needed: int, after_needed: int) -> bool:
    """Whether an offset reached a needed offset in this step, and that offset is still needed."""
    if before_needed == NO_OFFSET or after_needed == NO_OFFSET:
        return False
    return before > before_needed and after <= after_needed


def known_offsets_stay(before: State, after: State) -> bool:
    """Whether the offsets that the controller knows stay the same."""
    for known, still_known in zip(before.controller.registrations, after.controller.registrations):
        if known.metadata_offset != still_known.metadata_offset:
            return False
        if known.registration_offset != still_known.registration_offset:
            return False
        if known.controlled_shutdown_offset != still_known.controlled_shutdown_offset:
            return False
    return True


def only_replaying_catches_up(before: State, after: State) -> bool:
    """A broker reaches the log's end, or an offset that it must replay up to, only by replaying.

    Lost if it fails: the counting of offsets; a broker would seem to have replayed records that it has not.
    Source: the offsets of a log stay as they are.
    """
    stays = known_offsets_stay(before, after)
    for broker_id in range(len(before.brokers)):
        known = before.controller.registrations[broker_id]
        still_known = after.controller.registrations[broker_id]
        if not stays and known.broker_epoch == still_known.broker_epoch and has_process(after, broker_id):
            offset = before.brokers[broker_id].metadata_offset
            offset_after = after.brokers[broker_id].metadata_offset
            if has_newly_reached(offset, offset_after, 0, 0):
                return False
            if has_newly_reached(offset, offset_after, known.registration_offset, still_known.registration_offset):
                return False
            for other_id in range(len(before.brokers)):
                needed = before.controller.registrations[other_id].controlled_shutdown_offset
                needed_after = after.controller.registrations[other_id].controlled_shutdown_offset
                if has_newly_reached(offset, offset_after, needed, needed_after):
                    return False
    return True


def new_controllers_know_no_offsets(before: State, after: State) -> bool:
    """Until a broker reports, a new controller assumes that it has not reached any offset that a shutdown waits for.

    Lost if it fails: a broker stops before the broker that leads in its place knows that it leads.
    Source: BrokerHeartbeatManager.register.
    """
    return all(
        after.controller.registrations[broker_id].metadata_offset > registration.controlled_shutdown_offset
        for broker_id in range(len(after.controller.registrations))
        if after.budget.failovers != before.budget.failovers and is_unfenced(after, broker_id)
        for registration in after.controller.registrations
    )


def is_same_in_log(before: State, after: State) -> bool:
    """Whether the log's view of all brokers and of the leader, and the controller that writes it, stay the same."""
    for known, still_known in zip(before.controller.registrations, after.controller.registrations):
        was_fenced = known.state == BrokerControlState.FENCED
        is_fenced = still_known.state == BrokerControlState.FENCED
        if known.broker_epoch != still_known.broker_epoch or was_fenced != is_fenced:
            return False
        if known.in_controlled_shutdown != still_known.in_controlled_shutdown:
            return False
    return before.controller.leader == after.controller.leader and before.budget.failovers == after.budget.failovers


def changes_are_logged(before: State, after: State) -> bool:
    """A change of a broker, leader or controller is a record, which no running broker has replayed yet.

    `new_brokers_lack_their_registration` judges a broker that registers in the step.
    Lost if it fails: brokers do not learn of the change, and a shutdown does not wait until they do.
    Source: KIP-631 (RegisterBrokerRecord, BrokerRegistrationChangeRecord, PartitionChangeRecord);
        ActivationRecordsGenerator.
    """
    if is_same_in_log(before, after):
        return True
    return all(
        after.brokers[broker_id].metadata_offset > 0
        for broker_id in range(len(after.brokers))
        if has_process(before, broker_id) and has_process(after, broker_id)
    )


def new_brokers_lack_their_registration(before: State, after: State) -> bool:
    """A process that has just been registered has not replayed the record of its registration.

    Lost if it fails: the broker is unfenced with metadata older than its registration.
    Source: KIP-631; KAFKA-13959.
    """
    for broker_id in range(len(after.brokers)):
        registration = after.controller.registrations[broker_id]
        if registration.broker_epoch != before.controller.registrations[broker_id].broker_epoch:
            if registration.registration_offset == NO_OFFSET:
                return False
            if after.brokers[broker_id].metadata_offset <= registration.registration_offset:
                return False
    return True


def running_brokers_were_unfenced(state: State) -> bool:
    """A broker that is running, or must stop, has been unfenced since it was registered.

    Lost if it fails: a broker believes that it serves, but clients and replicas are never sent to it.
    Source: BrokerLifecycleManager.BrokerHeartbeatResponseHandler.
    """
    return all(
        state.controller.registrations[broker_id].registration_offset == NO_OFFSET
        for broker_id in range(len(state.brokers))
        if state.brokers[broker_id].state == BrokerState.RUNNING
        or state.brokers[broker_id].state == BrokerState.PENDING_CONTROLLED_SHUTDOWN
    )


def resumed_shutdowns_await_the_log(before: State, after: State) -> bool:
    """A controlled shutdown that a new controller resumes waits for the log's end at the time of the takeover.

    The log does not have the offset that it waited for before, so that a new controller cannot know it.
    Lost if it fails: the model has a rule that a controller could not follow.
    Source: BrokerHeartbeatManager.register; the rule itself is no version's of Kafka.
    """
    return all(
        registration.state == BrokerControlState.CONTROLLED_SHUTDOWN and registration.controlled_shutdown_offset == 0
        for registration in after.controller.registrations
        if after.budget.failovers != before.budget.failovers and registration.in_controlled_shutdown
    )


def a_broker_waits_to_be_unfenced(state: State) -> bool:
    """Some broker is registered, and has not heard yet that it is unfenced."""
    return any(broker.state == BrokerState.STARTING or broker.state == BrokerState.RECOVERY for broker in state.brokers)


def no_broker_waits_to_be_unfenced(state: State) -> bool:
    """Every broker that runs has been unfenced. It is the goal of a liveness property.

    A broker waits once for each registration. So if each wait ends, no broker waits at some later time.
    Lost to users: a healthy broker never takes part.
    Source: KAFKA-13959.
    """
    return not a_broker_waits_to_be_unfenced(state)


def a_broker_waits_to_stop(state: State) -> bool:
    """Some broker has been asked to stop, and has not stopped."""
    return any(broker.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN for broker in state.brokers)


def no_broker_waits_to_stop_if_none_is_fenced(state: State) -> bool:
    """Every broker that was asked to stop has stopped, or a running broker is fenced. Goal of a liveness property.

    A running broker may be fenced again and again, and unfenced between. Kafka forgets each time how far the broker has
    replayed, so that a controlled shutdown may wait for as long as that goes on.
    Lost to users: a rolling restart hangs until the broker gives up, and ends without a clean shutdown.
    Source: KAFKA-14292.
    """
    return not a_broker_waits_to_stop(state) or any(
        broker.state == BrokerState.RUNNING
        and state.controller.registrations[broker_id].state == BrokerControlState.FENCED
        for broker_id, broker in enumerate(state.brokers)
    )


def a_dead_broker_is_unfenced(state: State) -> bool:
    """Some broker has no process, and is not fenced."""
    return any(
        state.controller.registrations[broker_id].state != BrokerControlState.FENCED
        and not has_process(state, broker_id)
        for broker_id in range(len(state.brokers))
    )


def dead_brokers_are_fenced(state: State) -> bool:
    """Every broker without a process is fenced. It is the goal of a liveness property.

    Lost to users: a dead broker leads for ever, and shutdowns wait for it, too.
    Source: KIP-631 (`broker.session.timeout.ms`); KAFKA-18138.
    """
    return not a_dead_broker_is_unfenced(state)


def ready_behind_the_end(state: State) -> bool:
    """A broker has replayed its registration, and lacks newer records. Without an example the log is not busy."""
    for broker_id in range(len(state.brokers)):
        offset = state.brokers[broker_id].metadata_offset
        if offset > 0 and offset == state.controller.registrations[broker_id].registration_offset:
            return True
    return False


def shutdown_with_another_leader(state: State) -> bool:
    """A broker is in controlled shutdown, and another one leads. Without an example no shutdown waits for anybody."""
    return any(
        state.controller.leader != NO_LEADER
        for broker_id in range(len(state.brokers))
        if state.controller.registrations[broker_id].in_controlled_shutdown
    )


def late_heartbeat(state: State) -> bool:
    """A heartbeat of a replaced process is under way. Without an example epochs are not put to the test."""
    for broker_id in range(len(state.brokers)):
        heartbeat = state.brokers[broker_id].heartbeat
        if heartbeat.stage == Stage.REQUESTED and has_process(state, broker_id):
            if heartbeat.broker_epoch != state.controller.registrations[broker_id].broker_epoch:
                return True
    return False


def another_controller(state: State) -> bool:
    """Another controller has taken over, and a broker is in controlled shutdown while another broker leads."""
    return state.budget.failovers == 0 and shutdown_with_another_leader(state)
