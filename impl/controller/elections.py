"""Elections without a failure, unclean elections, and the change of the controller itself.

Part of Kafka modelled: preferred and reassignment elections, unclean election, and controller fail-over
(`PartitionLeaderElectionAlgorithms`, `ReplicationControlManager`, `KafkaController.onControllerFailover`).
Source: apache/kafka (commit 1eb7644349); KIP-106, KIP-704, KAFKA-6082.
Left out, and why that is sound: the reason for moving a leader; any active member of the ISR may be preferred at any
time, because an operator may put it at the head of the assignment. The four kinds of election (offline partition,
controlled shutdown, reassignment, preferred replica) choose by one order and differ only in their candidates.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.controller.partition_change import (
    begin_change,
    electable,
    first_of,
    is_choice,
    resign_zombie,
    set_leader,
    set_uncleanly_elected,
)
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.controller.topics import have_all_deleted
from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules


def elect_preferred(controller: Controller, rules: ClusterRules, new_leader: int) -> bool:
    """Elect an active member of the ISR, possibly the leader itself, without a failure; whether that was possible.

    If the order of the assignment is fixed, this is the preferred election: its head is elected, unless it leads.
    """
    metadata = controller.history[controller.offset]
    if metadata.leader == NO_LEADER:
        return False
    if new_leader not in metadata.isr & metadata.active:
        return False
    if rules.elections_follow_assignment:
        if new_leader != first_of(metadata.replicas) or new_leader == metadata.leader:
            return False
    begin_change(controller)
    set_leader(controller, new_leader)
    return True


def elect_uncleanly(controller: Controller, rules: ClusterRules, new_leader: int) -> bool:
    """Elect a replica that may lack committed records, because no other is left.

    Who: the active controller.
    When: unclean election is allowed; the partition had a leader and has none; the topic is not queued for deletion; no
        electable replica is active, and this replica is active.
    Effect: the replica leads under the next leader epoch, alone in the ISR, and is recovering.
    Source: PartitionChangeBuilder, OfflinePartitionLeaderElectionStrategy; KIP-106, KIP-704.
    Left out: elections that an operator requests, which are possible in the same states.
    """
    metadata = controller.history[controller.offset]
    if not rules.unclean_election or metadata.leader != NO_LEADER:
        return False
    if metadata.is_deleting != 0 or (metadata.isr == Ids() and metadata.leader_epoch == 0):
        return False
    if electable(metadata.isr, metadata.elr) & metadata.active != Ids():
        return False
    if not is_choice(rules, metadata.active & metadata.replicas, new_leader):
        return False
    begin_change(controller)
    set_uncleanly_elected(controller, new_leader)
    return True


def replace_controller(controller: Controller, rules: ClusterRules, stopped: Ids, deleted: Ids) -> None:
    """Make another controller active; the old one lives on and does not notice.

    The new controller checks which brokers are alive and fences the others. Before KAFKA-3143 it only waits for
    notifications, and gets none about the brokers in `stopped`, which failed earlier. The brokers in `deleted` have
    told the old controller that they have no replica of the topic under deletion.
    """
    metadata = controller.history[controller.offset]
    if have_all_deleted(metadata, deleted):
        controller.zombie_deletes = metadata.is_deleting
    controller.zombie_offset = controller.offset
    controller.epoch += 1
    if not rules.new_controller_fences_dead:
        controller.unnoticed = controller.unnoticed | stopped


def elect_as_zombie(controller: Controller, rules: ClusterRules, new_leader: int) -> bool:
    """Write an election without knowing that the controller is deposed (ZooKeeper era).

    Who: the zombie controller.
    When: the zombie has not noticed that it is deposed. Before KAFKA-6082, which adds the check of the controller
        epoch, two more conditions hold: nobody has changed the partition since, and the replica is an active member of
        the ISR in the zombie's record.
    Effect: the write fails because the controller epoch has changed, so the zombie notices and resigns. Before
        KAFKA-6082 the replica is recorded as leader, in the zombie's controller epoch.
    Source: KafkaZkClient.setTopicPartitionStatesRaw (expectedControllerEpochZkVersion), ControllerMovedException;
        KAFKA-6082.
    Left out: a write that fails by the version alone, which the zombie would try again.
    """
    if rules.propagation != Propagation.LEADER_AND_ISR or controller.zombie_offset == NO_OFFSET:
        return False
    if rules.controller_write_checks_epoch:
        resign_zombie(controller)
        return True
    known = controller.history[controller.zombie_offset]
    if new_leader not in known.isr & known.active:
        return False
    if known.partition_epoch != controller.history[controller.offset].partition_epoch:
        return False
    begin_change(controller)
    controller.history[controller.offset].controller_epoch = known.controller_epoch
    set_leader(controller, new_leader)
    controller.zombie_offset = controller.offset
    return True
