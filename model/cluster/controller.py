"""What the controller does, and what brokers tell it.

In Kafka the controller learns from heartbeats and answers whether a broker runs, how far it has replayed the metadata,
and whether its replica is deleted. The functions here read this from the broker's record instead.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.controller.alter_partition import alter_partition, alter_partition_as_zombie
from kafkacheck.impl.controller.brokers import handle_broker_fenced, handle_broker_unfenced
from kafkacheck.impl.controller.elections import elect_as_zombie, elect_uncleanly
from kafkacheck.impl.controller.reassignment import end_reassignment
from kafkacheck.impl.controller.topics import (
    create_partition,
    elect_first_leader,
    end_deletion,
    end_deletion_as_zombie,
    resume_deletion,
)
from kafkacheck.impl.ids import OptionalReplicaId, ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State, has_room


def deleted_replicas(state: State) -> Ids:
    """The brokers that have told the active controller that they have no replica of the topic under deletion.

    Answers to a former controller do not count, because no controller records them.
    """
    controller = state.controller
    deleted = Ids()
    for broker_id, broker in enumerate(state.brokers):
        known = controller.history[broker.metadata_offset]
        is_of_topic = known.is_deleting != 0 and known.topic_id == controller.history[controller.offset].topic_id
        if is_of_topic and known.controller_epoch == controller.epoch and not broker.has_log:
            deleted |= {broker_id}
    return deleted


def controller_alters_partition(state: State, rules: ClusterRules, bounds: Bounds, leader_id: ReplicaId) -> bool:
    """The controller receives a leader's ISR change, makes or refuses it, and answers."""
    return has_room(state) and alter_partition(
        state.controller, rules, bounds, state.alter_partitions[leader_id], leader_id
    )


def zombie_answers_alter_partition(state: State, rules: ClusterRules, leader_id: ReplicaId) -> bool:
    """A controller that does not know it is deposed receives a leader's ISR change."""
    return alter_partition_as_zombie(state.controller, rules, state.alter_partitions[leader_id], leader_id)


def controller_fences_broker(
    state: State, rules: ClusterRules, broker_id: ReplicaId, new_leader: OptionalReplicaId
) -> bool:
    """The controller gets no heartbeat of a broker that does not run, and elects another leader if that broker led."""
    if state.brokers[broker_id].is_running or not has_room(state):
        return False
    return handle_broker_fenced(state.controller, rules, broker_id, new_leader)


def controller_unfences_broker(state: State, rules: ClusterRules, bounds: Bounds, broker_id: ReplicaId) -> bool:
    """The controller gets a heartbeat of a fenced broker, which may take part again (KRaft era)."""
    broker = state.brokers[broker_id]
    if not broker.is_running or not has_room(state):
        return False
    return handle_broker_unfenced(
        state.controller, rules, bounds, broker_id, broker.broker_epoch, broker.metadata_offset
    )


def controller_elects_uncleanly(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """The controller elects a replica that may lack committed records, because no other is left."""
    return has_room(state) and elect_uncleanly(state.controller, rules, new_leader)


def zombie_elects_leader(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """A controller that does not know it is deposed writes an election (ZooKeeper era)."""
    if not rules.controller_write_checks_epoch and not has_room(state):
        return False
    return elect_as_zombie(state.controller, rules, new_leader)


def controller_ends_reassignment(state: State, rules: ClusterRules) -> bool:
    """The controller makes the second of the two rounds that end a reassignment (ZooKeeper era)."""
    return has_room(state) and end_reassignment(state.controller, rules)


def controller_creates_partition(state: State, rules: ClusterRules, new_leader: OptionalReplicaId) -> bool:
    """The controller creates the partition on all brokers."""
    return has_room(state) and create_partition(state.controller, rules, new_leader)


def controller_elects_first_leader(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """The controller brings a new partition online (ZooKeeper era)."""
    return has_room(state) and elect_first_leader(state.controller, rules, new_leader)


def controller_resumes_deletion(state: State) -> bool:
    """A new controller resumes the deletion of a topic that a former controller queued (ZooKeeper era)."""
    return has_room(state) and resume_deletion(state.controller)


def controller_ends_deletion(state: State) -> bool:
    """The controller removes a topic whose replicas are all deleted (ZooKeeper era)."""
    return has_room(state) and end_deletion(state.controller, deleted_replicas(state))


def zombie_ends_deletion(state: State, rules: ClusterRules) -> bool:
    """A zombie controller removes a topic whose replicas are all deleted (ZooKeeper era)."""
    if not rules.controller_write_checks_epoch and not has_room(state):
        return False
    return end_deletion_as_zombie(state.controller, rules)
