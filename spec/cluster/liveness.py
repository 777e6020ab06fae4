"""Liveness of a cluster: once disturbances stop, its replicas agree again, and all of them are in sync.

Part of Kafka judged: `impl/broker` and `impl/controller`, by their records only.
Source: Kafka's documentation ("Replicated Logs: Quorums, ISRs, and State Machines"); KAFKA-10706, KAFKA-3143.
Left out, and why that is sound: how soon that happens; fairness only says that it is not put off for ever.
"""

from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.model.cluster.system import State


def converged(state: State) -> bool:
    """The newest leader leads, and every live replica is in the ISR and has the leader's log, all of it committed.

    Lost to users: the cluster does not heal. A replica lags for ever, an ISR stays small, a write stays
    unacknowledged, or the partition has no leader, although nothing is broken any more.
    Source: Kafka's documentation; KAFKA-10706, KAFKA-3143.
    Holds in: cluster.convergence, cluster.convergence.zookeeper, cluster.convergence.unclean: some time after each
        state of `disturbed`.
    Fails in: cluster.convergence.stuck.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER:
        return False
    leader = state.brokers[metadata.leader]
    if not leader.is_running or leader.leader != metadata.leader or leader.leader_epoch != metadata.leader_epoch:
        return False
    for broker_id, broker in enumerate(state.brokers):
        if broker.is_running and broker_id in metadata.replicas:
            if broker_id not in metadata.isr:
                return False
            if broker.log.end_offset != leader.log.end_offset or broker.high_watermark != leader.log.end_offset:
                return False
            for offset in range(leader.log_start_offset, leader.log.end_offset):
                if broker.log.records[offset].id != leader.log.records[offset].id:
                    return False
    return True


def disturbed(state: State) -> bool:
    """The cluster has not converged; it must converge some time after the last disturbance."""
    return not converged(state)


def bounds_leave_room(state: State) -> bool:
    """The bounds leave the controller room for one more change and one more leader epoch.

    Lost if it fails: nothing of Kafka's. A behaviour would end at a bound before it reaches its goal, and liveness
    would be judged by the bounds.
    Source: `has_room` of `model/cluster/system.py`.
    Holds in: every model with liveness properties of the cluster.
    Fails in: none; it guards those models' bounds.
    """
    history = state.controller.history
    has_epoch = history[state.controller.offset].leader_epoch + 1 < len(state.brokers[0].epoch_starts)
    return has_epoch and state.controller.offset + 1 < len(history)
