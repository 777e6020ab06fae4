"""The steps of brokers: some they take by themselves, others at the controller's request."""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.epoch_file import write_epoch_file
from kafkacheck.impl.broker.metadata import (
    obey_leader_and_isr,
    obey_new_controller,
    obey_stop_replica,
    replay_delta,
    replay_metadata,
)
from kafkacheck.impl.broker.recovery import checkpoint_high_watermark, flush, shut_down, start_up
from kafkacheck.impl.broker.registration import learn_broker_epoch
from kafkacheck.impl.controller.brokers import register_start, register_unfenced_start
from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import MetadataOffset, OptionalReplicaId, ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State, end_connections, has_room, note_commits, note_replayed_metadata


def broker_starts(state: State, rules: ClusterRules, bounds: Bounds, broker_id: ReplicaId) -> bool:
    """A stopped broker starts, recovers its log, and registers with the controller."""
    broker = state.brokers[broker_id]
    metadata_offset = state.controller.offset
    if broker.is_running or not has_room(state):
        return False
    if not register_start(
        state.controller, rules, bounds, broker_id, broker.broker_epoch + 1, broker.is_stopped_cleanly
    ):
        return False
    start_up(broker, rules, bounds, metadata_offset)
    return True


def broker_starts_unfenced(
    state: State, rules: ClusterRules, bounds: Bounds, broker_id: ReplicaId, new_leader: OptionalReplicaId
) -> bool:
    """A stopped broker starts, recovers its log, and registers before the controller has fenced its former process."""
    broker = state.brokers[broker_id]
    metadata_offset = state.controller.offset
    if broker.is_running or not has_room(state):
        return False
    if not register_unfenced_start(
        state.controller, rules, bounds, broker_id, broker.broker_epoch + 1, broker.is_stopped_cleanly, new_leader
    ):
        return False
    start_up(broker, rules, bounds, metadata_offset)
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
    if not broker.is_running or broker_id not in state.controller.stopping:
        return False
    shut_down(broker)
    end_connections(state, broker_id)
    return True


def broker_writes_epoch_file(state: State, rules: ClusterRules, broker_id: ReplicaId) -> bool:
    """A broker writes its leader-epoch file in the background, some time after it has truncated its log."""
    return write_epoch_file(state.brokers[broker_id], rules)


def broker_checkpoints_high_watermark(state: State, rules: ClusterRules, broker_id: ReplicaId) -> bool:
    """A broker writes the high watermarks of its replicas to `replication-offset-checkpoint`."""
    return checkpoint_high_watermark(state.brokers[broker_id], rules)


def broker_flushes(state: State, broker_id: ReplicaId) -> bool:
    """A broker flushes its log to the disk."""
    return flush(state.brokers[broker_id])


def broker_learns_epoch(state: State, broker_id: ReplicaId) -> bool:
    """A broker learns its broker epoch from ZooKeeper's answer to its registration (ZooKeeper era)."""
    return learn_broker_epoch(state.brokers[broker_id])


def broker_replays_metadata(state: State, rules: ClusterRules, broker_id: ReplicaId) -> bool:
    """A broker replays the next record of the metadata log (KRaft era)."""
    broker = state.brokers[broker_id]
    if rules.propagation != Propagation.METADATA_LOG:
        return False
    if not broker.is_running or broker.metadata_offset >= state.controller.offset:
        return False
    high_watermark = broker.high_watermark
    metadata = state.controller.history[broker.metadata_offset + 1]
    replay_metadata(broker, rules, broker_id, metadata, state.fetches[broker_id], state.alter_partitions[broker_id])
    note_replayed_metadata(state)
    note_commits(state, rules, broker_id, high_watermark)
    return True


def broker_replays_delta(state: State, rules: ClusterRules, broker_id: ReplicaId, offset: MetadataOffset) -> bool:
    """A broker replays the metadata log up to any offset as one change (KRaft era).

    A model with this action does not have `broker_replays_metadata`.
    """
    broker = state.brokers[broker_id]
    if rules.propagation != Propagation.METADATA_LOG or not broker.is_running:
        return False
    if offset <= broker.metadata_offset or offset > state.controller.offset:
        return False
    high_watermark = broker.high_watermark
    metadata = state.controller.history[offset]
    change = state.alter_partitions[broker_id]
    replay_delta(broker, rules, broker_id, metadata, offset, state.fetches[broker_id], change)
    note_replayed_metadata(state)
    note_commits(state, rules, broker_id, high_watermark)
    return True


def is_overtaken(state: State, broker_id: int, offset: int) -> bool:
    """Whether the broker has obeyed a newer request on the connection of this one, which keeps the order.

    A deposed controller has a connection of its own, so its last request may still come.
    """
    broker = state.brokers[broker_id]
    if offset > broker.metadata_offset:
        return False
    is_of_zombie = state.controller.history[offset].controller_epoch < broker.controller_epoch
    return not is_of_zombie or offset != state.controller.zombie_offset


def broker_obeys_leader_and_isr(
    state: State, rules: ClusterRules, broker_id: ReplicaId, offset: MetadataOffset
) -> bool:
    """A broker receives a LeaderAndIsr request and obeys it (ZooKeeper era)."""
    if rules.propagation != Propagation.LEADER_AND_ISR:
        return False
    if offset > state.controller.offset:
        return False
    broker = state.brokers[broker_id]
    metadata = state.controller.history[offset]
    fetch = state.fetches[broker_id]
    change = state.alter_partitions[broker_id]
    high_watermark = broker.high_watermark
    if not obey_leader_and_isr(
        broker, rules, broker_id, metadata, offset, is_overtaken(state, broker_id, offset), fetch, change
    ):
        return False
    note_commits(state, rules, broker_id, high_watermark)
    return True


def newest_of_predecessor(state: State) -> int:
    """The newest change that the active controller found on record when it became active."""
    newest = 0
    for offset, metadata in enumerate(state.controller.history):
        if offset <= state.controller.offset and metadata.controller_epoch < state.controller.epoch:
            newest = offset
    return newest


def broker_obeys_new_controller(state: State, rules: ClusterRules, broker_id: ReplicaId) -> bool:
    """A broker receives the first LeaderAndIsr request of a new controller and obeys it (ZooKeeper era)."""
    if rules.propagation != Propagation.LEADER_AND_ISR:
        return False
    offset = newest_of_predecessor(state)
    broker = state.brokers[broker_id]
    metadata = state.controller.history[offset]
    fetch = state.fetches[broker_id]
    change = state.alter_partitions[broker_id]
    high_watermark = broker.high_watermark
    if not obey_new_controller(broker, rules, broker_id, metadata, offset, state.controller.epoch, fetch, change):
        return False
    note_commits(state, rules, broker_id, high_watermark)
    return True


def broker_obeys_stop_replica(state: State, rules: ClusterRules, broker_id: ReplicaId, offset: MetadataOffset) -> bool:
    """A broker receives a StopReplica request and deletes its replica (ZooKeeper era)."""
    if rules.propagation != Propagation.LEADER_AND_ISR:
        return False
    if offset > state.controller.offset:
        return False
    broker = state.brokers[broker_id]
    metadata = state.controller.history[offset]
    return obey_stop_replica(broker, rules, broker_id, metadata, offset, is_overtaken(state, broker_id, offset))
