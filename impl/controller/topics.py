"""How the controller creates the partition and deletes its topic, after which one of the same name may be created.

Part of Kafka modelled: `NonExistentPartition`, `NewPartition` and `OnlinePartition` in `PartitionStateMachine`
(`initializeLeaderAndIsrForPartitions`), `TopicDeletionManager` and the replicas' deletion in `ReplicaStateMachine`
(ZooKeeper era); `ReplicationControlManager` (`createTopic`, `deleteTopic`; KRaft).
Source: apache/kafka (commit 1eb7644349); KIP-516.
Left out, and why that is sound: the placement of replicas: the partition is created on all brokers, and others live on
without it. The states of a replica that is deleted (DeletionStarted, DeletionIneligible, DeletionSuccessful), because a
new controller finds them from who has deleted: a broker that does not run is asked again when it has started.
"""

from checker.schema import contains, everyone
from impl.cluster import State
from impl.constants import NO_LEADER, Propagation
from impl.controller.partition_change import begin_change, clear_partition, has_room, is_choice, set_leader
from impl.replication.records import OptionalReplicaId, ReplicaId
from impl.rules import ClusterRules


def set_first_leader(state: State, leader: int) -> None:
    """Record the first leader, in leader epoch 0, and every active replica as in sync."""
    metadata = state.controller.history[state.controller.offset]
    metadata.leader = leader
    metadata.isr = metadata.active & metadata.replicas
    metadata.partition_epoch = 0


def controller_creates_partition(state: State, rules: ClusterRules, new_leader: OptionalReplicaId) -> bool:
    """The controller creates the partition on all brokers.

    Who: the controller in office.
    When: there is no such partition, or none any more; in the KRaft era some broker is active.
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
    metadata.partition_epoch = 0
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
    if metadata.replicas == 0 or metadata.isr != 0 or metadata.leader_epoch != 0 or metadata.is_deleting != 0:
        return False
    if not has_room(state) or not is_choice(state, rules, metadata.active & metadata.replicas, new_leader):
        return False
    begin_change(state)
    set_first_leader(state, new_leader)
    return True


def remove_topic(state: State) -> None:
    """Within the change that has begun: let nothing be on record of the topic; the next one has the next id."""
    metadata = state.controller.history[state.controller.offset]
    metadata.topic_id += 1
    clear_partition(metadata)
    state.controller.last_known_leader = NO_LEADER


def begin_deletion(state: State, rules: ClusterRules) -> bool:
    """Begin to delete the topic; whether that was possible.

    In the KRaft era it is gone from the record at once. In the ZooKeeper era it is queued, nobody leads it from now on,
    and brokers are asked to delete their replicas.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.replicas == 0 or metadata.is_deleting != 0 or not has_room(state):
        return False
    begin_change(state)
    if rules.propagation == Propagation.METADATA_LOG:
        remove_topic(state)
    else:
        state.controller.history[state.controller.offset].is_deleting = 1
        set_leader(state, NO_LEADER)
    return True


def has_deleted(state: State, broker_id: int) -> bool:
    """Whether a broker has answered that it has no replica of the topic that is being deleted."""
    broker = state.brokers[broker_id]
    known = state.controller.history[broker.metadata_offset]
    topic_id = state.controller.history[state.controller.offset].topic_id
    return not broker.has_log and known.is_deleting != 0 and known.topic_id == topic_id


def controller_ends_deletion(state: State) -> bool:
    """The controller removes a topic whose replicas are all deleted (ZooKeeper era).

    Who: the controller in office, which may be another one than began.
    When: every broker of the assignment has answered that it has deleted its replica. One that does not run keeps the
        topic from being removed until it has started and been asked again (ReplicaDeletionIneligible).
    Effect: the partition is nonexistent, and one of the same name may be created.
    Source: TopicDeletionManager.completeDeleteTopic, resumeDeletions, haltTopicDeletion.
    Left out: nothing.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.is_deleting == 0 or not has_room(state):
        return False
    for broker_id in range(len(state.brokers)):
        if contains(metadata.replicas, broker_id) and not has_deleted(state, broker_id):
            return False
    begin_change(state)
    remove_topic(state)
    return True
