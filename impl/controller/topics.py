"""How the controller creates the partition.

Part of Kafka modelled: `NonExistentPartition`, `NewPartition` and `OnlinePartition` in `PartitionStateMachine`
(`initializeLeaderAndIsrForPartitions`, ZooKeeper era); `ReplicationControlManager.createTopic` (KRaft).
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: the placement of replicas: the partition is created on all brokers, and others live on
without it; deletion, not covered.
"""

from checker.schema import everyone
from impl.cluster import State
from impl.constants import NO_LEADER, Propagation
from impl.controller.partition_change import begin_change, has_room, is_choice
from impl.replication.records import OptionalReplicaId, ReplicaId
from impl.rules import ClusterRules


def set_first_leader(state: State, leader: int) -> None:
    """Record the first leader, in leader epoch 0, and every active replica as in sync."""
    metadata = state.controller.history[state.controller.offset]
    metadata.leader = leader
    metadata.isr = metadata.active & metadata.replicas
    metadata.partition_epoch = state.controller.offset


def controller_creates_partition(state: State, rules: ClusterRules, new_leader: OptionalReplicaId) -> bool:
    """The controller creates the partition on all brokers.

    Who: the controller in office.
    When: there is no such partition; in the KRaft era some broker is active.
    Effect: in the ZooKeeper era only the assignment is recorded, and the partition is new. In the KRaft era the first
        active broker of the assignment leads at once, and the active ones are the ISR.
    Source: KafkaController.onNewPartitionCreation; ReplicationControlManager.createTopic.
    Left out: nothing.
    """
    before = state.controller.history[state.controller.offset]
    if before.replicas != 0 or not has_room(state):
        return False
    if rules.propagation == Propagation.LEADER_AND_ISR and new_leader != NO_LEADER:
        return False
    if rules.propagation == Propagation.METADATA_LOG:
        if new_leader == NO_LEADER or not is_choice(state, rules, before.active, new_leader):
            return False
    begin_change(state)
    metadata = state.controller.history[state.controller.offset]
    metadata.replicas = everyone(len(state.brokers))
    metadata.target = metadata.replicas
    metadata.isr = 0
    metadata.leader = NO_LEADER
    metadata.leader_epoch = 0
    metadata.partition_epoch = state.controller.offset
    if new_leader != NO_LEADER:
        set_first_leader(state, new_leader)
    return True


def controller_elects_first_leader(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """The controller brings a new partition online (ZooKeeper era).

    Who: the controller in office, which may be another one than created the partition.
    When: the partition has an assignment and never had a leader; the replica is active.
    Effect: the first active replica of the assignment leads in leader epoch 0, and the active ones are the ISR. Where
        none is active the partition stays new.
    Source: PartitionStateMachine.initializeLeaderAndIsrForPartitions; leaderForOffline comes only later.
    Left out: nothing.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.replicas == 0 or metadata.isr != 0 or metadata.leader_epoch != 0:
        return False
    if not has_room(state) or not is_choice(state, rules, metadata.active & metadata.replicas, new_leader):
        return False
    begin_change(state)
    set_first_leader(state, new_leader)
    return True
