"""Liveness of a cluster: once disturbances stop, its replicas agree again, and what operators asked for is done.

Part of Kafka judged: `impl/broker` and `impl/controller`, by their records only.
Source: Kafka's documentation ("Replicated Logs: Quorums, ISRs, and State Machines"); KAFKA-10706, KAFKA-3143.
Left out, and why that is sound: how soon that happens; fairness only says that it is not put off for ever.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.model.cluster.system import State


def converged(state: State) -> bool:
    """The newest leader leads, and every live replica is in the ISR and has the leader's log, all of it committed.

    Lost to users: the cluster does not heal. A replica lags for ever, an ISR stays small, a write stays
    unacknowledged, or the partition has no leader, although nothing is broken any more.
    Source: Kafka's documentation; KAFKA-10706, KAFKA-3143.
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
    """
    history = state.controller.history
    has_epoch = history[state.controller.offset].leader_epoch + 1 < len(state.brokers[0].epoch_starts)
    return has_epoch and state.controller.offset + 1 < len(history)


def reassignment_is_under_way(state: State) -> bool:
    """A reassignment of the partition is under way; it must end some time."""
    metadata = state.controller.history[state.controller.offset]
    return metadata.target != metadata.replicas or metadata.adding != Ids()


def reassignment_has_ended(state: State) -> bool:
    """No reassignment of the partition is under way.

    Lost if it fails: replicas that nobody wants stay on their brokers, and tools that wait for the end wait for ever.
    Source: KIP-455; KAFKA-19975; finding F6 of `tests/kafka/findings`.
    """
    return not reassignment_is_under_way(state)


def partition_is_offline(state: State) -> bool:
    """The partition has no leader; an operator gives replicas to other brokers then."""
    return state.controller.history[state.controller.offset].leader == NO_LEADER


def active_brokers_have_replicas(state: State) -> bool:
    """The partition is assigned to every active broker.

    Lost if it fails: a partition that has lost its brokers cannot be given to others.
    Source: KIP-455; finding F8 of `tests/kafka/findings`.
    """
    metadata = state.controller.history[state.controller.offset]
    return metadata.active <= metadata.replicas


def broker_is_away(state: State) -> bool:
    """A broker does not run, or is not active; it must come back some time."""
    return not all_brokers_are_back(state)


def all_brokers_are_back(state: State) -> bool:
    """Every broker runs, and is active.

    Lost if it fails: a broker cannot register any more, and takes part in no partition.
    Source: KIP-631; finding F9 of `tests/kafka/findings`.
    """
    active = state.controller.history[state.controller.offset].active
    return all(broker.is_running and broker_id in active for broker_id, broker in enumerate(state.brokers))


def is_served(state: State) -> bool:
    """Whether the newest leader runs, knows that it leads, and has committed all that its log has."""
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER:
        return False
    leader = state.brokers[metadata.leader]
    if not leader.is_running or leader.leader != metadata.leader or leader.leader_epoch != metadata.leader_epoch:
        return False
    return leader.high_watermark == leader.log.end_offset


def has_living_candidate(state: State) -> bool:
    """Whether a broker lives that a clean election may choose, or that leads."""
    metadata = state.controller.history[state.controller.offset]
    candidates = metadata.isr if metadata.isr != Ids() else metadata.elr
    return any(state.brokers[broker_id].is_running for broker_id in candidates)


def writes_wait(state: State) -> bool:
    """A record waits to be committed, or nobody leads, although a broker lives that may lead; that must end."""
    return not writes_are_done(state)


def writes_are_done(state: State) -> bool:
    """All that the leader has is committed and so acknowledged, or every broker that may lead is down.

    It does not matter how many brokers are down for good, as long as one lives that may lead.

    Lost to users: a write is never acknowledged, although enough replicas have it, because the others do not come back.
    Source: KAFKA-13091; Kafka's documentation ("Replicated Logs: Quorums, ISRs, and State Machines").
    """
    return is_served(state) or not has_living_candidate(state)


def consumer_lags(state: State) -> bool:
    """A write waits, or the consumer has not read all that is committed; that must end."""
    return not consumer_has_all(state)


def consumer_has_all(state: State) -> bool:
    """The consumer has read all that the leader has, or every broker that may lead is down.

    Lost to users: a consumer never gets a record, although the brokers that live have it.
    Source: KAFKA-13091.
    """
    if not has_living_candidate(state):
        return True
    leader = state.controller.history[state.controller.offset].leader
    return is_served(state) and (
        state.consumer.is_truncated or state.consumer.position == state.brokers[leader].log.end_offset
    )


def reassignment_awaits_the_living(state: State) -> bool:
    """A reassignment is under way that waits for no dead broker; it must end some time."""
    return not reassignment_has_ended_or_awaits_the_dead(state)


def reassignment_has_ended_or_awaits_the_dead(state: State) -> bool:
    """No reassignment is under way, or a broker of its target is down, or every broker that may lead.

    It does not matter whether brokers are down that the reassignment removes.

    Lost if it fails: a broker that is down for good cannot be replaced.
    Source: KIP-455.
    """
    target = state.controller.history[state.controller.offset].target
    if reassignment_has_ended(state) or not has_living_candidate(state):
        return True
    return any(not state.brokers[broker_id].is_running for broker_id in target)
