"""Disturbances of a broker's life: crashes, lost heartbeats, ended sessions, other records, and another controller."""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.broker.lifecycle import BrokerId, end_process
from kafkacheck.impl.controller.broker_lifecycle import (
    LifecycleRules,
    amend_registration,
    fence_broker,
    take_over_brokers,
)
from kafkacheck.impl.controller.registrations import append_metadata
from kafkacheck.impl.enums import BrokerControlState, BrokerState, Stage
from kafkacheck.model.broker_lifecycle.system import State


def records_behind(state: State) -> int:
    """The number of records after each offset of the state, up to the log's end, summed over all these offsets."""
    records = 0
    for broker, registration in zip(state.brokers, state.controller.registrations):
        records += broker.metadata_offset + broker.heartbeat.current_metadata_offset + registration.metadata_offset
        records += registration.registration_offset + registration.controlled_shutdown_offset
    return records


def metadata_log_grows(state: State) -> bool:
    """Another record is appended to the metadata log.

    Who: the controller, for any reason.
    When: at any time, unless all offsets stay the same, because all brokers already lack an uncounted record.
    Effect: every broker has one more record to replay.
    Source: QuorumController.maybeScheduleNextWriteNoOpRecord; KIP-835.
    Left out: the record's contents.
    """
    records = records_behind(state)
    append_metadata(state.controller, state.brokers)
    return records_behind(state) > records


def broker_crashes(state: State, broker_id: BrokerId) -> bool:
    """A broker's process ends without a controlled shutdown.

    When: it runs.
    Effect: the process is gone. A request that it has sent may still arrive.
    Source: a crash.
    """
    if state.brokers[broker_id].state == BrokerState.NOT_RUNNING:
        return False
    end_process(state.brokers[broker_id])
    return True


def live_broker_is_fenced(state: State, broker_id: BrokerId) -> bool:
    """The controller has not heard of a live broker for too long, and fences it.

    Who: the controller, because of the environment.
    When: the broker runs, and is not fenced.
    Effect: the broker is fenced, by a record, and leads nothing. Its next heartbeat may unfence it.
    Source: ReplicationControlManager.maybeFenceOneStaleBroker; `broker.session.timeout.ms`.
    Left out: the time of the session.
    """
    if state.brokers[broker_id].state == BrokerState.NOT_RUNNING:
        return False
    if state.controller.registrations[broker_id].state == BrokerControlState.FENCED:
        return False
    fence_broker(state.controller, state.brokers, broker_id)
    return True


def heartbeat_is_lost(state: State, broker_id: BrokerId) -> bool:
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


def controller_fails_over(state: State, rules: LifecycleRules) -> bool:
    """Another controller takes over; replayed offsets and controlled shutdown offsets are not in the log.

    Who: the metadata quorum.
    When: a failover is left.
    Effect: the new controller knows which brokers are fenced; every other broker must report its replayed offset again.
        It takes a broker in controlled shutdown for unfenced, but does not elect it. Its first record is appended.
    Source: ClusterControlManager.activate; BrokerHeartbeatManager.register; KAFKA-18138.
    Left out: heartbeats to the former controller, which are lost at any time.
    """
    take_over_brokers(state.controller, rules, state.brokers)
    return True


def live_broker_registers_again(state: State, rules: LifecycleRules, broker_id: BrokerId) -> bool:
    """A live broker sends its registration again, as it does if an upgrade needs something new of it."""
    return amend_registration(state.controller, rules, state.brokers, broker_id)


CHARGES = {controller_fails_over: "failovers", live_broker_registers_again: "amendments"}
"""The allowance to which each disturbance of this file is charged."""
