"""How the controller manages brokers: sessions, fencing, registration, controlled shutdown.

Part of Kafka modelled: `ClusterControlManager`, `BrokerHeartbeatManager` and the broker changes of
`ReplicationControlManager` (KRaft); `BrokerChange` and `ControlledShutdown` of `KafkaController` (ZooKeeper era).
Source: apache/kafka (commit 1eb7644349); KIP-380, KIP-631, KIP-966.
Left out, and why that is sound: the time of a session: the controller may find a stopped broker at once, later or
never.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.controller.partition_change import (
    begin_change,
    bump_for_brokers,
    electable,
    is_choice,
    maybe_elect_last_known,
    set_isr,
    set_leader,
    without,
)
from kafkacheck.impl.controller.reassignment import maybe_complete_reassignment
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules


def can_take_out(metadata: Metadata, rules: ClusterRules, broker_id: int, new_leader: int) -> bool:
    """Whether the controller may take out an active broker so that `new_leader` leads afterwards."""
    if broker_id not in metadata.active:
        return False
    if metadata.leader != broker_id:
        return new_leader == metadata.leader
    candidates = electable(without(metadata.isr, broker_id, rules), metadata.elr)
    return is_choice(rules, candidates & metadata.replicas & (metadata.active - {broker_id}), new_leader)


def take_out(controller: Controller, rules: ClusterRules, broker_id: int, new_leader: int) -> bool:
    """Fence a broker, take it out of the ISR, and elect `new_leader` if it led. Return whether that was possible."""
    if not can_take_out(controller.history[controller.offset], rules, broker_id, new_leader):
        return False
    begin_change(controller)
    metadata = controller.history[controller.offset]
    metadata.active -= {broker_id}
    isr = without(metadata.isr, broker_id, rules)
    was_leader = metadata.leader == broker_id
    if isr != metadata.isr:
        set_isr(controller, rules, isr)
        if not was_leader:
            bump_for_brokers(metadata, rules)
    if was_leader:
        set_leader(controller, new_leader)
    return True


def handle_broker_fenced(controller: Controller, rules: ClusterRules, broker_id: int, new_leader: int) -> bool:
    """Fence a broker whose session has expired. If it led, elect another leader.

    Who: the active controller.
    When: the broker is active, and a controller listened when it failed.
    Effect: the broker leaves the ISR, unless it is the last member and the ISR must not be empty. If it led, the next
        leader epoch begins, and an active electable replica leads, or nobody if there is none.
    Source: ReplicationControlManager.handleBrokerFenced; KafkaController.onBrokerFailure.
    """
    if broker_id in controller.unnoticed:
        return False
    return take_out(controller, rules, broker_id, new_leader)


def begin_shutdown(controller: Controller, rules: ClusterRules, broker_id: int, new_leader: int) -> bool:
    """Fence a broker that asks for a controlled shutdown. Return whether that was possible."""
    if not take_out(controller, rules, broker_id, new_leader):
        return False
    controller.stopping |= {broker_id}
    return True


def activate(controller: Controller, rules: ClusterRules, bounds: Bounds, broker_id: int) -> None:
    """Unfence a broker within the change that has begun.

    If nobody leads, the broker leads if it is electable or the last known leader.
    """
    metadata = controller.history[controller.offset]
    metadata.active |= {broker_id}
    if metadata.leader == NO_LEADER and rules.propagation == Propagation.METADATA_LOG:
        maybe_complete_reassignment(controller, rules, bounds)
    is_electing = metadata.leader == NO_LEADER and metadata.is_deleting == 0
    if is_electing and broker_id in electable(metadata.isr, metadata.elr) & metadata.replicas:
        set_leader(controller, broker_id)
    maybe_elect_last_known(controller, rules)


def handle_broker_unfenced(
    controller: Controller, rules: ClusterRules, bounds: Bounds, broker_id: int, broker_epoch: int, replayed_offset: int
) -> bool:
    """Let a fenced broker take part again; its heartbeat says how far it has replayed the metadata (KRaft era).

    Who: the active controller.
    When: the broker is fenced, is not stopping, and has replayed its own registration.
    Effect: the broker is active; it leads if nobody does and it is electable or the last known leader.
    Source: ReplicationControlManager.handleBrokerUnfenced; BrokerHeartbeatManager.calculateNextBrokerState.
    """
    if rules.propagation != Propagation.METADATA_LOG:
        return False
    if broker_id in controller.history[controller.offset].active or broker_id in controller.stopping:
        return False
    if controller.history[replayed_offset].broker_epochs[broker_id] != broker_epoch:
        return False
    begin_change(controller)
    activate(controller, rules, bounds, broker_id)
    return True


def expel_unclean(controller: Controller, rules: ClusterRules, bounds: Bounds, broker_id: int, new_leader: int) -> None:
    """Remove a broker that may have lost records from ISR, ELR and leadership (KIP-966), then maybe elect.

    If it leads, because its former process is not fenced yet, `new_leader` leads.
    """
    metadata = controller.history[controller.offset]
    if broker_id in metadata.isr | metadata.elr:
        set_isr(controller, rules, metadata.isr - {broker_id})
        if metadata.leader == broker_id:
            set_leader(controller, new_leader)
        maybe_complete_reassignment(controller, rules, bounds)
        metadata.elr -= {broker_id}
    maybe_elect_last_known(controller, rules)


def is_refused_as_orphan(controller: Controller, rules: ClusterRules, broker_id: int, is_stopped_cleanly: bool) -> bool:
    """Whether the controller fails at a registration, and resigns.

    After an unclean stop the controller takes the broker out of each partition that its index of eligible replicas
    names for the broker. It fails if the topic of such a partition is deleted.
    """
    if not rules.eligible_leader_replicas or not rules.unclean_restart_is_noticed or is_stopped_cleanly:
        return False
    return broker_id in controller.orphaned_entries


def register_start(
    controller: Controller,
    rules: ClusterRules,
    bounds: Bounds,
    broker_id: int,
    broker_epoch: int,
    is_stopped_cleanly: bool,
) -> bool:
    """Register a broker that starts, under its next broker epoch.

    Who: the active controller.
    When: the controller does not count the broker as alive. KRaft refuses a registration while the former process's
        session is valid; a controller of the ZooKeeper era takes the broker out first (KIP-380). Before KIP-380 a quick
        bounce went unnoticed. After an unclean stop the controller also fails if its index of eligible replicas names a
        deleted topic for the broker.
    Effect: the record has the broker epoch. With eligible leader replicas, a broker that did not stop cleanly leaves
        ISR and ELR. In the ZooKeeper era the broker is active at once.
    Source: ClusterControlManager.registerBroker; KafkaController.onBrokerStartup; KIP-966.
    Left out: a stale entry of a topic that exists, by which the partition may change once more. The next controller's
        index, which begins without stale and orphaned entries if it has loaded a snapshot.
    """
    if rules.bounce_is_noticed and broker_id in controller.history[controller.offset].active:
        return False
    if is_refused_as_orphan(controller, rules, broker_id, is_stopped_cleanly):
        return False
    controller.stopping -= {broker_id}
    controller.unnoticed -= {broker_id}
    begin_change(controller)
    controller.history[controller.offset].broker_epochs[broker_id] = broker_epoch
    if rules.eligible_leader_replicas and rules.unclean_restart_is_noticed and not is_stopped_cleanly:
        expel_unclean(controller, rules, bounds, broker_id, NO_LEADER)
    if rules.propagation == Propagation.LEADER_AND_ISR:
        activate(controller, rules, bounds, broker_id)
    return True


def take_over_unclean(
    controller: Controller, rules: ClusterRules, bounds: Bounds, broker_id: int, new_leader: int
) -> bool:
    """Fence a broker that may have lost records, and expel it; `new_leader` leads if it led. Whether that can be."""
    if not can_take_out(controller.history[controller.offset], rules, broker_id, new_leader):
        return False
    begin_change(controller)
    controller.history[controller.offset].active -= {broker_id}
    expel_unclean(controller, rules, bounds, broker_id, new_leader)
    return True


def register_unfenced_start(
    controller: Controller,
    rules: ClusterRules,
    bounds: Bounds,
    broker_id: int,
    broker_epoch: int,
    is_stopped_cleanly: bool,
    new_leader: int,
) -> bool:
    """Register a broker that starts before its former process is fenced (KRaft era).

    Who: the active controller.
    When: the session of the former process has ended, and the controller has not looked for stale brokers since, so
        that the broker is still active on record.
    Effect: the broker is fenced under its next broker epoch, and leaves the ISR as if its former process were fenced
        now; with eligible leader replicas it leaves the ELR, too, if it did not stop cleanly. If it led, `new_leader`
        leads. Before KAFKA-18106 the partition changed only in that last case: the broker stayed in the ISR and went on
        as the leader of the same epoch.
    Source: ClusterControlManager.registerBroker, ReplicationControlManager.handleBrokerShutdown; KAFKA-18106.
    Left out: a reassignment that the change lets end; Kafka 4.0, which elects no last known leader by this change, and
        by the next one a fenced broker (KAFKA-19522).
    """
    metadata = controller.history[controller.offset]
    if rules.propagation != Propagation.METADATA_LOG or broker_id not in metadata.active:
        return False
    if is_refused_as_orphan(controller, rules, broker_id, is_stopped_cleanly):
        return False
    if rules.eligible_leader_replicas and rules.unclean_restart_is_noticed and not is_stopped_cleanly:
        if not take_over_unclean(controller, rules, bounds, broker_id, new_leader):
            return False
    elif rules.new_incarnation_leaves_isr:
        if not take_out(controller, rules, broker_id, new_leader):
            return False
    elif new_leader != metadata.leader:
        return False
    else:
        begin_change(controller)
        controller.history[controller.offset].active -= {broker_id}
    controller.history[controller.offset].broker_epochs[broker_id] = broker_epoch
    return True
