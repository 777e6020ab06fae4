"""The whole system of a broker's life with a KRaft controller: processes, the controller, and their heartbeats."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, Struct, clear
from kafkacheck.impl.broker import lifecycle
from kafkacheck.impl.broker.lifecycle import BrokerId, LivingBroker
from kafkacheck.impl.controller import broker_lifecycle
from kafkacheck.impl.controller.broker_lifecycle import LifecycleRules
from kafkacheck.impl.controller.registrations import ClusterControl
from kafkacheck.impl.enums import BrokerControlState, BrokerState


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here, and a broker that starts again.

    restarts: restarts of brokers.
    failovers: changes of the controller.
    amendments: live brokers that register again.
    """

    restarts: Annotated[int, Allowance("restarts")]
    failovers: Annotated[int, Allowance("failovers")]
    amendments: Annotated[int, Allowance("amendments")]


class State(Struct):
    """The whole system.

    brokers: the processes, by id.
    controller: its view of the cluster.
    budget: the disturbances that are left.
    """

    brokers: Annotated[Array[LivingBroker], ById("brokers")]
    controller: ClusterControl
    budget: Budget


def broker_registers(state: State, broker_id: BrokerId) -> bool:
    """A broker's process starts, and registers with the controller.

    Who: a broker that has no process.
    When: the controller has fenced its previous process, whose session has ended. A restart needs one left in
        `restarts`.
    Effect: a record registers it with the next broker epoch, fenced. It has not replayed that record.
    Source: BrokerLifecycleManager.sendBrokerRegistration; ClusterControlManager.registerBroker.
    Left out: a registration whose answer is lost, which the same process repeats while it is fenced; the records
        replayed before it, which no rule reads.
    """
    broker = state.brokers[broker_id]
    registration = state.controller.registrations[broker_id]
    if broker.state != BrokerState.NOT_RUNNING or registration.state != BrokerControlState.FENCED:
        return False
    if registration.broker_epoch > 0:
        if state.budget.restarts == 0:
            return False
        state.budget.restarts -= 1
    broker_lifecycle.register_broker(state.controller, state.brokers, broker_id)
    lifecycle.start_process(broker)
    return True


def broker_replays_record(state: State, broker_id: BrokerId) -> bool:
    """A broker replays the next record of the metadata log."""
    return lifecycle.replay_metadata_record(state.brokers[broker_id])


def broker_sends_heartbeat(state: State, broker_id: BrokerId) -> bool:
    """A broker sends a heartbeat with its metadata offset and the state that it wants."""
    return lifecycle.send_heartbeat(state.brokers[broker_id], state.controller.registrations[broker_id].broker_epoch)


def controller_handles_heartbeat(state: State, rules: LifecycleRules, broker_id: BrokerId) -> bool:
    """The controller handles a broker's heartbeat.

    When: as `handle_heartbeat`.
    Effect: as `handle_heartbeat`; the answer is lost if the process that asked has ended.
    Source: as `handle_heartbeat`.
    """
    broker = state.brokers[broker_id]
    if not broker_lifecycle.handle_heartbeat(state.controller, rules, state.brokers, broker_id):
        return False
    if broker.state == BrokerState.NOT_RUNNING:
        clear(broker.heartbeat)
    return True


def broker_receives_answer(state: State, broker_id: BrokerId) -> bool:
    """A broker acts on the answer to its heartbeat."""
    return lifecycle.handle_heartbeat_answer(state.brokers[broker_id])


def broker_begins_shutdown(state: State, broker_id: BrokerId) -> bool:
    """A broker begins a controlled shutdown."""
    return lifecycle.begin_process_shutdown(state.brokers[broker_id])


def controller_fences_stale_broker(state: State, rules: LifecycleRules, broker_id: BrokerId) -> bool:
    """The controller fences a broker whose session has ended because it has no process."""
    return broker_lifecycle.fence_stale_broker(state.controller, rules, state.brokers, broker_id)
