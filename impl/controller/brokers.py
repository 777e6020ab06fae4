"""How the controller manages brokers: sessions, fencing, registration, controlled shutdown.

Part of Kafka modelled: `ClusterControlManager`, `BrokerHeartbeatManager` and the broker changes of
`ReplicationControlManager` (KRaft); `BrokerChange` and `ControlledShutdown` of `KafkaController` (ZooKeeper era).
Source: apache/kafka (commit 1eb7644349); KIP-380, KIP-631, KIP-966.
Left out, and why that is sound: the time of a session: the controller may find a stopped broker at once, later or
never.
"""

from kafkacheck.checker.schema import contains, excluding, including
from kafkacheck.impl.broker.recovery import recover_log
from kafkacheck.impl.broker.registration import begin_registration
from kafkacheck.impl.constants import NO_LEADER, Propagation
from kafkacheck.impl.controller.partition_change import (
    begin_change,
    bump_for_brokers,
    electable,
    has_room,
    is_choice,
    maybe_elect_last_known,
    set_isr,
    set_leader,
    without,
)
from kafkacheck.impl.replication.records import OptionalReplicaId, ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State, stop_process


def can_take_out(state: State, rules: ClusterRules, broker_id: int, new_leader: int) -> bool:
    """Whether the controller may take out an active broker so that `new_leader` leads afterwards."""
    metadata = state.controller.history[state.controller.offset]
    if not has_room(state) or not contains(metadata.active, broker_id):
        return False
    if metadata.leader != broker_id:
        return new_leader == metadata.leader
    candidates = electable(without(metadata.isr, broker_id, rules), metadata.elr)
    return is_choice(state, rules, candidates & metadata.replicas & excluding(metadata.active, broker_id), new_leader)


def take_out(state: State, rules: ClusterRules, broker_id: int, new_leader: int) -> None:
    """Remove a broker from the active ones, from the ISR and from the leadership."""
    begin_change(state)
    metadata = state.controller.history[state.controller.offset]
    metadata.active = excluding(metadata.active, broker_id)
    isr = without(metadata.isr, broker_id, rules)
    was_leader = metadata.leader == broker_id
    if isr != metadata.isr:
        set_isr(state, rules, isr)
        if not was_leader:
            bump_for_brokers(state, rules)
    if was_leader:
        set_leader(state, new_leader)


def controller_fences_broker(
    state: State, rules: ClusterRules, broker_id: ReplicaId, new_leader: OptionalReplicaId
) -> bool:
    """The controller finds that a broker's session has expired, and elects another leader if it led.

    Who: the controller in office.
    When: the broker does not run, and a controller listened when it failed; a change and a leader epoch are left.
    Effect: the broker leaves the ISR, unless it is the last member and the ISR must not be empty. If it led, any active
        electable replica leads under the next leader epoch, or nobody.
    Source: ReplicationControlManager.handleBrokerFenced; KafkaController.onBrokerFailure.
    """
    if state.brokers[broker_id].is_running or contains(state.controller.unnoticed, broker_id):
        return False
    if not can_take_out(state, rules, broker_id, new_leader):
        return False
    take_out(state, rules, broker_id, new_leader)
    return True


def is_up_to_date(state: State, broker_id: int) -> bool:
    """Whether a running broker has replayed the record of its own registration."""
    broker = state.brokers[broker_id]
    if not broker.is_running:
        return False
    return state.controller.history[broker.metadata_offset].broker_epochs[broker_id] == broker.broker_epoch


def activate(state: State, rules: ClusterRules, broker_id: int) -> None:
    """Mark a broker as active; it leads if nobody does and it is electable or the last known leader."""
    metadata = state.controller.history[state.controller.offset]
    metadata.active = including(metadata.active, broker_id)
    is_electing = metadata.leader == NO_LEADER and metadata.is_deleting == 0
    if is_electing and contains(electable(metadata.isr, metadata.elr) & metadata.replicas, broker_id):
        set_leader(state, broker_id)
    maybe_elect_last_known(state, rules)


def controller_unfences_broker(state: State, rules: ClusterRules, broker_id: ReplicaId) -> bool:
    """The controller lets a fenced broker take part again (KRaft era).

    Who: the controller in office.
    When: the broker is fenced, runs, is not stopping, and has replayed its own registration.
    Effect: the broker is active; it leads if nobody does and it is electable or the last known leader.
    Source: ReplicationControlManager.handleBrokerUnfenced; BrokerHeartbeatManager.calculateNextBrokerState.
    """
    metadata = state.controller.history[state.controller.offset]
    if rules.propagation != Propagation.METADATA_LOG:
        return False
    if contains(metadata.active, broker_id) or contains(state.controller.stopping, broker_id):
        return False
    if not has_room(state) or not is_up_to_date(state, broker_id):
        return False
    begin_change(state)
    activate(state, rules, broker_id)
    return True


def can_start(state: State, rules: ClusterRules, broker_id: int) -> bool:
    """Whether a stopped broker may start and register now.

    KRaft refuses a registration while the former process's session is valid; a controller of the ZooKeeper era takes
    the broker out first (KIP-380). Before KIP-380 a quick bounce went unnoticed.
    """
    if state.brokers[broker_id].is_running or not has_room(state):
        return False
    if not rules.bounce_is_noticed:
        return True
    return not contains(state.controller.history[state.controller.offset].active, broker_id)


def expel_unclean(state: State, rules: ClusterRules, broker_id: int) -> None:
    """Remove a broker that may have lost records from ISR, ELR and leadership (KIP-966), then maybe elect."""
    metadata = state.controller.history[state.controller.offset]
    if contains(metadata.isr | metadata.elr, broker_id):
        set_isr(state, rules, excluding(metadata.isr, broker_id))
        metadata.elr = excluding(metadata.elr, broker_id)
    if metadata.leader == broker_id:
        set_leader(state, NO_LEADER)
    maybe_elect_last_known(state, rules)


def broker_starts(state: State, rules: ClusterRules, broker_id: ReplicaId) -> bool:
    """A stopped broker starts, recovers its log, and registers with the controller.

    Who: a broker that does not run.
    When: the controller does not take it for alive; in the ZooKeeper era at any time.
    Effect: it has the next broker epoch. It reads high watermark and leader-epoch file from the disk. With eligible
        leader replicas, it leaves ISR and ELR if it did not stop cleanly. In the ZooKeeper era it is active at once.
    Source: LogManager.loadLogs; ClusterControlManager.registerBroker; KafkaController.onBrokerStartup; KIP-966.
    Left out: the time between start and registration, in which the broker does nothing.
    """
    broker = state.brokers[broker_id]
    if not can_start(state, rules, broker_id):
        return False
    recover_log(broker, rules)
    broker.is_running = True
    broker.broker_epoch += 1
    begin_registration(broker.registration)
    broker.metadata_offset = state.controller.offset
    state.controller.stopping = excluding(state.controller.stopping, broker_id)
    state.controller.unnoticed = excluding(state.controller.unnoticed, broker_id)
    begin_change(state)
    state.controller.history[state.controller.offset].broker_epochs[broker_id] = broker.broker_epoch
    if rules.eligible_leader_replicas and rules.unclean_restart_is_noticed and not broker.is_stopped_cleanly:
        expel_unclean(state, rules, broker_id)
    broker.is_stopped_cleanly = False
    if rules.propagation == Propagation.LEADER_AND_ISR:
        activate(state, rules, broker_id)
    return True


def begin_shutdown(state: State, rules: ClusterRules, broker_id: int, new_leader: int) -> bool:
    """Begin a running broker's controlled shutdown: the controller takes it out; whether that was possible."""
    if not state.brokers[broker_id].is_running:
        return False
    if not can_take_out(state, rules, broker_id, new_leader):
        return False
    take_out(state, rules, broker_id, new_leader)
    state.controller.stopping = including(state.controller.stopping, broker_id)
    return True


def broker_stops(state: State, broker_id: ReplicaId) -> bool:
    """A broker ends its controlled shutdown.

    Who: a broker that asked for it.
    When: the controller has taken it out.
    Effect: everything is flushed and the high watermark checkpointed; the process ends cleanly.
    Source: BrokerServer.shutdown, LogManager.shutdown; ControlledShutdown.
    Left out: the controller's answer as a message.
    """
    broker = state.brokers[broker_id]
    if not broker.is_running or not contains(state.controller.stopping, broker_id):
        return False
    broker.flushed_offset = broker.log.end_offset
    broker.high_watermark_checkpoint = broker.high_watermark
    stop_process(state, broker_id)
    broker.is_stopped_cleanly = True
    return True
