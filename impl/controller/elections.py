"""Elections without a failure, unclean elections, and the change of the controller itself.

Part of Kafka modelled: preferred and reassignment elections, unclean election, and controller fail-over
(`PartitionLeaderElectionAlgorithms`, `ReplicationControlManager`, `KafkaController.onControllerFailover`).
Source: apache/kafka (commit 1eb7644349); KIP-106, KIP-704, KAFKA-6082.
Left out, and why that is sound: the reason for moving a leader; any active member of the ISR may be preferred at any
time, because an operator may put it at the head of the assignment. The four kinds of election (offline partition,
controlled shutdown, reassignment, preferred replica) choose by one order and differ only in their candidates.
"""

from kafkacheck.checker.schema import contains, including
from kafkacheck.impl.constants import NO_LEADER, NO_OFFSET, Propagation
from kafkacheck.impl.controller.partition_change import (
    begin_change,
    electable,
    first_of,
    has_room,
    is_choice,
    resign_zombie,
    set_leader,
    set_uncleanly_elected,
)
from kafkacheck.impl.controller.topics import have_all_deleted
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def move_leadership(state: State, rules: ClusterRules, new_leader: int) -> bool:
    """Elect an active member of the ISR, possibly the leader itself, without a failure; whether that was possible.

    If the order of the assignment is fixed, this is the preferred election: its head is elected, unless it leads.
    """
    metadata = state.controller.history[state.controller.offset]
    if not has_room(state) or metadata.leader == NO_LEADER:
        return False
    if not contains(metadata.isr & metadata.active, new_leader):
        return False
    if rules.elections_follow_assignment:
        if new_leader != first_of(state, metadata.replicas) or new_leader == metadata.leader:
            return False
    begin_change(state)
    set_leader(state, new_leader)
    return True


def controller_elects_uncleanly(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """The controller elects a replica that may lack committed records, because no other is left.

    Who: the controller in office.
    When: unclean election is allowed; the partition had a leader and has none; the topic is not queued for deletion; no
        electable replica is active, and this replica is active.
    Effect: the replica leads under the next leader epoch, alone in the ISR, and is recovering.
    Source: PartitionChangeBuilder, OfflinePartitionLeaderElectionStrategy; KIP-106, KIP-704.
    Left out: elections that an operator requests, which are possible in the same states.
    """
    metadata = state.controller.history[state.controller.offset]
    if not rules.unclean_election or metadata.leader != NO_LEADER or not has_room(state):
        return False
    if metadata.is_deleting != 0 or (metadata.isr == 0 and metadata.leader_epoch == 0):
        return False
    if electable(metadata.isr, metadata.elr) & metadata.active != 0:
        return False
    if not is_choice(state, rules, metadata.active & metadata.replicas, new_leader):
        return False
    begin_change(state)
    set_uncleanly_elected(state, new_leader)
    return True


def replace_controller(state: State, rules: ClusterRules) -> None:
    """Put another controller into office; the old one lives on and does not notice.

    The new one checks which brokers are alive and fences the others. By the old rule it waits for notifications of
    changes, and gets none of a broker that failed before (KAFKA-3143).
    """
    controller = state.controller
    if have_all_deleted(state):
        controller.zombie_deletes = controller.history[controller.offset].is_deleting
    controller.zombie_offset = controller.offset
    controller.epoch += 1
    if not rules.new_controller_fences_dead:
        for broker_id in range(len(state.brokers)):
            if not state.brokers[broker_id].is_running:
                controller.unnoticed = including(controller.unnoticed, broker_id)


def zombie_elects_leader(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """A controller that does not know it is deposed writes an election (ZooKeeper era).

    Who: the zombie controller.
    When: it has not noticed. The old rule compares only the partition's version: nobody has changed the partition
        since, and the replica is an active member of the ISR in the zombie's record.
    Effect: the write fails because the controller epoch has changed, so the zombie notices and resigns. By the old rule
        the replica is recorded as leader, in the zombie's controller epoch.
    Source: KafkaZkClient.setTopicPartitionStatesRaw (expectedControllerEpochZkVersion), ControllerMovedException;
        KAFKA-6082.
    Left out: a write that fails by the version alone, which the zombie would try again.
    """
    controller = state.controller
    if rules.propagation != Propagation.LEADER_AND_ISR or controller.zombie_offset == NO_OFFSET:
        return False
    if rules.controller_write_checks_epoch:
        resign_zombie(state)
        return True
    known = controller.history[controller.zombie_offset]
    if not has_room(state) or not contains(known.isr & known.active, new_leader):
        return False
    if known.partition_epoch != controller.history[controller.offset].partition_epoch:
        return False
    begin_change(state)
    controller.history[controller.offset].controller_epoch = known.controller_epoch
    set_leader(state, new_leader)
    controller.zombie_offset = controller.offset
    return True
