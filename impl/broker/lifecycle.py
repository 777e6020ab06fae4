"""A broker's life in its own process: it registers, catches up with the metadata log, runs, and stops (KRaft).

Part of Kafka modelled: `BrokerLifecycleManager`; the controller's side is `impl/controller/broker_lifecycle.py`.
Source: apache/kafka (commit 1eb7644349); KIP-631.
Left out, and why that is sound: the recovery of a broker's log, which ends at once, later or never; two heartbeats of
one process in flight, because Kafka sends one at a time; the content of the metadata.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.constants import NO_OFFSET, BrokerControlState, BrokerState, Stage
from kafkacheck.impl.controller.broker_lifecycle import (
    BrokerId,
    BrokerLives,
    LivingBroker,
    append_metadata,
    set_registration_offset,
)


def end_process(broker: LivingBroker) -> None:
    """End a broker's process; a request that it has sent may still arrive."""
    broker.state = BrokerState.NOT_RUNNING
    broker.metadata_offset = NO_OFFSET
    if broker.heartbeat.stage == Stage.ANSWERED:
        clear(broker.heartbeat)


def broker_registers(state: BrokerLives, broker_id: BrokerId) -> bool:
    """A broker's process starts, and registers with the controller.

    Who: a broker that has no process.
    When: the controller has fenced its previous process, whose session has ended. A restart needs one left in
        `restarts`.
    Effect: a record registers it with the next broker epoch, fenced. It has not replayed that record.
    Source: BrokerLifecycleManager.sendBrokerRegistration; ClusterControlManager.registerBroker.
    Left out: a registration whose answer is lost, which the same process repeats; the records replayed before it, which
        no rule reads.
    """
    broker = state.brokers[broker_id]
    registration = state.registrations[broker_id]
    if broker.state != BrokerState.NOT_RUNNING or registration.state != BrokerControlState.FENCED:
        return False
    if registration.broker_epoch > 0:
        if state.restarts == 0:
            return False
        state.restarts -= 1
    registration.broker_epoch += 1
    append_metadata(state)
    set_registration_offset(state, broker_id, 0)
    broker.state = BrokerState.STARTING
    broker.metadata_offset = 1
    return True


def broker_replays_record(state: BrokerLives, broker_id: BrokerId) -> bool:
    """A broker replays the next record of the metadata log.

    Who: a broker that runs.
    When: it has not replayed the whole log.
    Effect: it has replayed one more record.
    Source: MetadataLoader, BrokerMetadataPublisher.
    Left out: several records at once, which are single ones with nothing in between.
    """
    broker = state.brokers[broker_id]
    if broker.metadata_offset <= 0:
        return False
    broker.metadata_offset -= 1
    return True


def broker_sends_heartbeat(state: BrokerLives, broker_id: BrokerId) -> bool:
    """A broker sends a heartbeat with its metadata offset and the state that it wants.

    Who: a broker that runs.
    When: none of its heartbeats is in flight.
    Effect: a request is in flight.
    Source: BrokerLifecycleManager.sendBrokerHeartbeat.
    Left out: that it does not wait for a heartbeat of its previous process, which is refused whenever it comes.
    """
    broker = state.brokers[broker_id]
    heartbeat = broker.heartbeat
    if broker.state == BrokerState.NOT_RUNNING or heartbeat.stage != Stage.IDLE:
        return False
    heartbeat.stage = Stage.REQUESTED
    heartbeat.broker_epoch = state.registrations[broker_id].broker_epoch
    heartbeat.current_metadata_offset = broker.metadata_offset
    heartbeat.want_fence = broker.state == BrokerState.STARTING
    heartbeat.want_shut_down = broker.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN
    return True


def broker_receives_answer(state: BrokerLives, broker_id: BrokerId) -> bool:
    """A broker acts on the answer to its heartbeat.

    Who: a broker that runs.
    When: an answer is in flight.
    Effect: it goes on to recovery when it has caught up, runs when it is unfenced, and stops when it may.
    Source: BrokerLifecycleManager.BrokerHeartbeatResponseHandler.
    """
    broker = state.brokers[broker_id]
    heartbeat = broker.heartbeat
    if heartbeat.stage != Stage.ANSWERED:
        return False
    may_stop = broker.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN and heartbeat.should_shut_down
    if broker.state == BrokerState.STARTING and heartbeat.is_caught_up:
        broker.state = BrokerState.RECOVERY
    elif broker.state == BrokerState.RECOVERY and not heartbeat.is_fenced:
        broker.state = BrokerState.RUNNING
    clear(heartbeat)
    if may_stop:
        end_process(broker)
    return True


def broker_begins_shutdown(state: BrokerLives, broker_id: BrokerId) -> bool:
    """A broker begins a controlled shutdown.

    Who: its operator.
    When: it is `RUNNING`; before it is unfenced it stops without asking.
    Effect: its heartbeats ask to stop.
    Source: BrokerLifecycleManager.beginControlledShutdown.
    Left out: `controlled.shutdown.enable=false`, and a broker that waits no longer, which are crashes.
    """
    broker = state.brokers[broker_id]
    if broker.state != BrokerState.RUNNING:
        return False
    broker.state = BrokerState.PENDING_CONTROLLED_SHUTDOWN
    return True
