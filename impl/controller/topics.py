"""How the controller creates the partition and deletes its topic, whose name may then be used again.

Part of Kafka modelled: `NonExistentPartition`, `NewPartition` and `OnlinePartition` in `PartitionStateMachine`
(`initializeLeaderAndIsrForPartitions`), `TopicDeletionManager` and the replicas' deletion in `ReplicaStateMachine`
(ZooKeeper era); `ReplicationControlManager` (`createTopic`, `deleteTopic`; KRaft).
Source: apache/kafka (commit 1eb7644349); KIP-516.
Left out, and why that is sound: the placement of replicas: the partition is created on all brokers, and others live on
without it. The states of a replica that is deleted (DeletionStarted, DeletionIneligible, DeletionSuccessful), because
they follow from the answers to the active controller: a stopped broker is asked again when it has started, and a new
controller asks every broker again. That a deletion waits for a reassignment to end: it may be requested at any later
time.
"""

from kafkacheck.checker.schema import Ids, clear, copy
from kafkacheck.impl.controller.partition_change import begin_change, is_choice, resign_zombie, set_leader
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules


def set_first_leader(metadata: Metadata, leader: int) -> None:
    """Record the first leader, in leader epoch 0, and every active replica as in sync."""
    metadata.leader = leader
    metadata.isr = metadata.active & metadata.replicas


def create_partition(controller: Controller, rules: ClusterRules, new_leader: int) -> bool:
    """Create the partition on all brokers.

    Who: the active controller.
    When: the partition does not exist, or has been deleted; in the KRaft era some broker is active.
    Effect: in the ZooKeeper era only the assignment is recorded, and the partition is new. In the KRaft era the first
        active broker of the assignment leads at once, and the active ones are the ISR.
    Source: KafkaController.onNewPartitionCreation; ReplicationControlManager.createTopic.
    """
    before = controller.history[controller.offset]
    if before.replicas != Ids():
        return False
    if rules.propagation == Propagation.LEADER_AND_ISR and new_leader != NO_LEADER:
        return False
    if rules.propagation == Propagation.METADATA_LOG:
        if new_leader == NO_LEADER or not is_choice(rules, before.active, new_leader):
            return False
    begin_change(controller)
    metadata = controller.history[controller.offset]
    metadata.replicas = Ids(range(len(metadata.broker_epochs)))
    metadata.target = metadata.replicas
    if new_leader != NO_LEADER:
        set_first_leader(metadata, new_leader)
    return True


def elect_first_leader(controller: Controller, rules: ClusterRules, new_leader: int) -> bool:
    """Bring a new partition online (ZooKeeper era).

    Who: the active controller, which need not be the one that created the partition.
    When: the partition has an assignment and never had a leader; the replica is active.
    Effect: the first active replica of the assignment leads in leader epoch 0, and the active ones are the ISR. If none
        is active, the partition stays new.
    Source: PartitionStateMachine.initializeLeaderAndIsrForPartitions; leaderForOffline comes only later.
    """
    metadata = controller.history[controller.offset]
    if metadata.replicas == Ids() or metadata.isr != Ids() or metadata.leader_epoch != 0 or metadata.is_deleting != 0:
        return False
    if not is_choice(rules, metadata.active & metadata.replicas, new_leader):
        return False
    begin_change(controller)
    set_first_leader(controller.history[controller.offset], new_leader)
    return True


def remove_topic(controller: Controller) -> None:
    """Make the change that removes the topic from the record; the next topic has the next id.

    The index of eligible replicas forgets the topic for replicas that are eligible now; its stale entries stay as
    orphans.
    """
    before = controller.history[controller.offset]
    controller.offset += 1
    metadata = controller.history[controller.offset]
    clear(metadata)
    metadata.controller_epoch = controller.epoch
    metadata.topic_id = before.topic_id + 1
    metadata.active = before.active
    copy(metadata.broker_epochs, before.broker_epochs)
    controller.last_known_leader = NO_LEADER
    controller.orphaned_entries |= controller.stale_entries - before.elr
    controller.stale_entries = Ids()


def take_offline(controller: Controller) -> None:
    """Within the begun change: leave the partition without a leader, if it has ever had one."""
    if controller.history[controller.offset].isr != Ids():
        set_leader(controller, NO_LEADER)


def begin_deletion(controller: Controller, rules: ClusterRules) -> bool:
    """Begin to delete the topic; return whether that was possible.

    In the KRaft era the topic leaves the record at once. In the ZooKeeper era it is queued for deletion and has no
    leader, and brokers are asked to delete their replicas; if it never had a leader, its leader epoch stays.
    """
    metadata = controller.history[controller.offset]
    if metadata.replicas == Ids() or metadata.is_deleting != 0:
        return False
    if rules.propagation == Propagation.METADATA_LOG:
        remove_topic(controller)
    else:
        begin_change(controller)
        controller.history[controller.offset].is_deleting = 1
        take_offline(controller)
    return True


def have_all_deleted(metadata: Metadata, deleted: Ids) -> bool:
    """Whether a topic is being deleted, and `deleted` has every broker of its assignment: none has a replica of it."""
    return metadata.is_deleting != 0 and metadata.replicas <= deleted


def resume_deletion(controller: Controller) -> bool:
    """Resume the deletion of a topic that a former controller queued (ZooKeeper era).

    Who: the active controller.
    When: the topic is queued for deletion, and the newest change is another controller's.
    Effect: the next leader epoch has no leader. Every broker of the assignment is asked again, in this controller's
        epoch, even if it has deleted its replica.
    Source: KafkaController.onControllerFailover; TopicDeletionManager (init, tryTopicDeletion, onPartitionDeletion);
        ReplicaStateMachine.initializeReplicaState, which takes every replica on a live broker for online.
    Left out: a separate leader epoch for each replica that goes offline.
    """
    metadata = controller.history[controller.offset]
    if metadata.is_deleting == 0 or metadata.controller_epoch == controller.epoch:
        return False
    begin_change(controller)
    take_offline(controller)
    return True


def end_deletion(controller: Controller, deleted: Ids) -> bool:
    """Remove a topic whose replicas are all deleted (ZooKeeper era).

    Who: the active controller, which need not be the one that began the deletion.
    When: every broker of the assignment is among the brokers `deleted`, which have told this controller that their
        replica is deleted. A stopped broker keeps the topic from being removed until it has started and been asked
        again (ReplicaDeletionIneligible).
    Effect: the partition does not exist, and one of the same name may be created.
    Source: TopicDeletionManager.completeDeleteTopic, resumeDeletions, markTopicIneligibleForDeletion.
    Left out: that the topic's znodes are removed one by one: a controller that ends in between leaves a topic without a
        recorded leader, which is deleted like one that never had a leader (KAFKA-6650).
    """
    if not have_all_deleted(controller.history[controller.offset], deleted):
        return False
    remove_topic(controller)
    return True


def end_deletion_as_zombie(controller: Controller, rules: ClusterRules) -> bool:
    """Remove, without knowing that the controller is deposed, a topic whose replicas are all deleted (ZooKeeper era).

    Who: the zombie controller, which does not know that it is deposed.
    When: all brokers had answered the zombie before it was deposed. Before KAFKA-6082 also: a topic of that name
        exists.
    Effect: the write fails because the controller epoch has changed, so the zombie notices and resigns. Before
        KAFKA-6082 the topic that has the name now is removed from the record.
    Source: KafkaZkClient.deleteTopicZNode (expectedControllerEpochZkVersion), ControllerMovedException; KAFKA-6082.
    Left out: answers that reach the zombie later.
    """
    if rules.propagation != Propagation.LEADER_AND_ISR or controller.zombie_deletes == 0:
        return False
    if rules.controller_write_checks_epoch:
        resign_zombie(controller)
        return True
    if controller.history[controller.offset].replicas == Ids():
        return False
    zombie_epoch = controller.history[controller.zombie_offset].controller_epoch
    remove_topic(controller)
    controller.history[controller.offset].controller_epoch = zombie_epoch
    resign_zombie(controller)
    return True
