"""Does a broker join the cluster, and leave it in order, however busy the metadata log is (KRaft)?

Records may be appended for ever: an idle controller writes one twice a second (`NoOpRecord`). So a rule that waits
until a broker has replayed the whole log may wait for ever.

Liveness: the actions that a live broker, the controller and the network take in the end are fair, separately for each
broker. Heartbeats and answers may be lost again and again, but not always, which is strong fairness; every other fair
action stays enabled until it is taken. Crashes, shutdowns, other records and the fencing of live brokers are not fair.

Bounds: two brokers: one that starts or stops, and one that leads meanwhile. One of them may register a second time
    while a heartbeat of its first process is under way. The log has no bound.
Expected: HOLDS
"""

from kafkacheck.checker.model import Given, Model, each
from kafkacheck.checker.schema import clear
from kafkacheck.impl.broker.lifecycle import (
    broker_begins_shutdown,
    broker_receives_answer,
    broker_registers,
    broker_replays_record,
    broker_sends_heartbeat,
    end_process,
)
from kafkacheck.impl.constants import BrokerControlState, BrokerState, Stage
from kafkacheck.impl.controller.broker_lifecycle import (
    BrokerId,
    BrokerLives,
    LifecycleRules,
    append_metadata,
    controller_fences_stale_broker,
    controller_handles_heartbeat,
    fence_broker,
)
from kafkacheck.model.broker_lifecycle.drawing import BROKER_LIVES
from kafkacheck.spec.broker_lifecycle.properties import (
    a_broker_waits_to_be_unfenced,
    a_broker_waits_to_stop,
    a_dead_broker_is_unfenced,
    active_leaders_stay,
    answers_have_a_receiver,
    brokers_are_told_what_they_are,
    changes_are_logged,
    dead_brokers_are_fenced,
    heartbeats_without_effect_are_not_logged,
    late_heartbeat,
    leader_is_unfenced,
    new_brokers_lack_their_registration,
    no_broker_waits_to_be_unfenced,
    no_broker_waits_to_stop,
    only_replaying_catches_up,
    only_the_registered_epoch_counts,
    ready_behind_the_end,
    recovering_brokers_know_their_registration,
    reports_are_true,
    running_brokers_were_unfenced,
    shutdown_with_another_leader,
    shutdowns_await_active_brokers,
    shutdowns_await_their_move,
    unfenced_brokers_are_ready,
)


def records_behind(state: BrokerLives) -> int:
    """The sum, over all offsets, of the records from there to the log's end."""
    records = 0
    for broker_id, broker in enumerate(state.brokers):
        registration = state.registrations[broker_id]
        records += broker.metadata_offset + broker.heartbeat.current_metadata_offset + registration.metadata_offset
        records += registration.registration_offset + registration.controlled_shutdown_offset
    return records


def metadata_log_grows(state: BrokerLives) -> bool:
    """Another record is appended to the metadata log.

    Who: the controller, for any reason.
    When: at any time, unless all offsets stay the same, because all brokers already lack an uncounted record.
    Effect: every broker has one more record to replay.
    Source: QuorumController.maybeScheduleNextWriteNoOpRecord; KIP-835.
    Left out: the record's contents.
    """
    records = records_behind(state)
    append_metadata(state)
    return records_behind(state) > records


def broker_crashes(state: BrokerLives, broker_id: BrokerId) -> bool:
    """A broker's process ends without a controlled shutdown.

    When: it runs.
    Effect: the process is gone. A request that it has sent may still arrive.
    Source: a crash.
    """
    if state.brokers[broker_id].state == BrokerState.NOT_RUNNING:
        return False
    end_process(state.brokers[broker_id])
    return True


def live_broker_is_fenced(state: BrokerLives, broker_id: BrokerId) -> bool:
    """The controller has not heard of a live broker for too long, and fences it.

    Who: the controller, because of the environment.
    When: the broker runs, and is not fenced.
    Effect: the broker is fenced, by a record, and leads nothing. Its next heartbeat may unfence it.
    Source: ReplicationControlManager.maybeFenceOneStaleBroker; `broker.session.timeout.ms`.
    Left out: the time of the session.
    """
    if state.brokers[broker_id].state == BrokerState.NOT_RUNNING:
        return False
    if state.registrations[broker_id].state == BrokerControlState.FENCED:
        return False
    fence_broker(state, broker_id)
    return True


def heartbeat_is_lost(state: BrokerLives, broker_id: BrokerId) -> bool:
    """A heartbeat or its answer is lost.

    Who: the network.
    When: one is under way.
    Effect: its sender asks again.
    Source: a broken connection, or a timeout.
    """
    heartbeat = state.brokers[broker_id].heartbeat
    if heartbeat.stage == Stage.IDLE:
        return False
    clear(heartbeat)
    return True


ACTIONS = (
    broker_registers,
    broker_replays_record,
    broker_sends_heartbeat,
    controller_handles_heartbeat,
    broker_receives_answer,
    broker_begins_shutdown,
    controller_fences_stale_broker,
    metadata_log_grows,
    broker_crashes,
    live_broker_is_fenced,
    heartbeat_is_lost,
)

SAFETY = (
    unfenced_brokers_are_ready,
    recovering_brokers_know_their_registration,
    leader_is_unfenced,
    active_leaders_stay,
    reports_are_true,
    answers_have_a_receiver,
    brokers_are_told_what_they_are,
    heartbeats_without_effect_are_not_logged,
    shutdowns_await_active_brokers,
    shutdowns_await_their_move,
    only_the_registered_epoch_counts,
    only_replaying_catches_up,
    changes_are_logged,
    new_brokers_lack_their_registration,
    running_brokers_were_unfenced,
)

LIVENESS = (
    (a_broker_waits_to_be_unfenced, no_broker_waits_to_be_unfenced),
    (a_broker_waits_to_stop, no_broker_waits_to_stop),
    (a_dead_broker_is_unfenced, dead_brokers_are_fenced),
)

WEAKLY_FAIR: Given = [
    each(broker_replays_record),  # a broker fetches the metadata log again and again
    each(broker_sends_heartbeat),  # `broker.heartbeat.interval.ms`
    each(controller_fences_stale_broker),  # a session that is not renewed ends
]

STRONGLY_FAIR: Given = [
    each(controller_handles_heartbeat),  # of heartbeats that are sent again and again, not all are lost
    each(broker_receives_answer),  # nor are all answers
]

MODEL = Model(
    state=BrokerLives,
    bounds={"brokers": 2, "restarts": 1, "failovers": 0},
    rules=LifecycleRules(),
    actions=ACTIONS,
    always=SAFETY,
    sometimes=[ready_behind_the_end, shutdown_with_another_leader, late_heartbeat],
    leads_to=LIVENESS,
    weakly_fair=WEAKLY_FAIR,
    strongly_fair=STRONGLY_FAIR,
    drawing=BROKER_LIVES,
)
