"""What elections promise, and which states a partition passes through.

Part of Kafka judged: `impl/controller`, by its records only.
Source: `PartitionStateMachine` and `PartitionState` of `kafka.controller`; `PartitionChangeBuilder`; the KIPs and
issues named below.
Left out, and why that is sound: the controller's own memory of the state, because a new controller finds it from its
record (`initializePartitionState`), and this is how it is found here.
"""

from kafkacheck.checker.schema import contains
from kafkacheck.impl.cluster import State
from kafkacheck.impl.constants import NO_LEADER, PartitionState, Propagation
from kafkacheck.impl.controller.records import Metadata
from kafkacheck.impl.rules import ClusterRules


def partition_state(metadata: Metadata) -> int:
    """The state in which a controller that reads this record finds the partition."""
    if metadata.replicas == 0:
        return PartitionState.NON_EXISTENT
    if metadata.leader == NO_LEADER and metadata.leader_epoch == 0:
        return PartitionState.NEW
    if metadata.leader == NO_LEADER or not contains(metadata.active, metadata.leader):
        return PartitionState.OFFLINE
    return PartitionState.ONLINE


def partition_changes_state_legally(before: State, after: State, rules: ClusterRules) -> bool:
    """A partition that exists does not become new again, and goes offline only after it has been created.

    A new one goes online or offline, an online one offline, and an offline one online. When its topic has been deleted,
    a new one and an offline one go out of existence. In the ZooKeeper era a partition is new first; in the KRaft era it
    is created with a leader, and may cease to exist at any time.

    Lost if it fails: the controller elects as for a new partition, from whoever lives, and leaders and ISR that were
    recorded are void; or it refuses an election that is due.
    Source: PartitionState.validPreviousStates; ReplicationControlManager (createTopic, deleteTopic).
    Holds in: every model of the cluster.
    Fails in: none; it guards the controller's record.
    """
    old = partition_state(before.controller.history[before.controller.offset])
    new = partition_state(after.controller.history[after.controller.offset])
    if old == new:
        return True
    if old == PartitionState.NON_EXISTENT:
        if rules.propagation == Propagation.LEADER_AND_ISR:
            return new == PartitionState.NEW
        return new == PartitionState.ONLINE
    if new == PartitionState.NON_EXISTENT:
        if old == PartitionState.NEW and before.controller.history[before.controller.offset].is_deleting != 0:
            return True
        return old == PartitionState.OFFLINE or rules.propagation == Propagation.METADATA_LOG
    if old == PartitionState.ONLINE:
        return new == PartitionState.OFFLINE
    return new == PartitionState.ONLINE or (old == PartitionState.NEW and new == PartitionState.OFFLINE)


def leader_is_active(state: State) -> bool:
    """The leader on record is neither fenced nor stopping.

    Lost if it fails: the partition has a leader that does not serve. When it fails for good nobody takes it out, as it
    is out already, and the partition stays without service although other replicas live.
    Source: KAFKA-19522; `isAcceptableLeader` of PartitionChangeBuilder.
    Holds in: every model of the cluster.
    Fails in: the museum's entry on the last known leader.
    """
    metadata = state.controller.history[state.controller.offset]
    return metadata.leader == NO_LEADER or contains(metadata.active, metadata.leader)


def elected_leader_is_first(before: State, after: State) -> bool:
    """No active replica that comes earlier in the assignment could have been elected instead.

    After a clean election that is one in the ISR, after an unclean one any. The assignment has the order of ids.

    Lost if it fails: leaderships pile up on few brokers, because the order of assignments is what spreads them.
    Source: PartitionLeaderElectionAlgorithms; PartitionChangeBuilder.electAnyLeader.
    Holds in: cluster.election_order.
    Fails in: models in which any replica can be the first of the assignment.
    """
    old = before.controller.history[before.controller.offset]
    new = after.controller.history[after.controller.offset]
    if new.leader == old.leader or new.leader == NO_LEADER:
        return True
    candidates = new.isr & new.active
    if new.is_recovering and not old.is_recovering:
        candidates = new.replicas & new.active
    return candidates & ((1 << new.leader) - 1) == 0


def deposed_controller_changes_nothing(before: State, after: State) -> bool:
    """Every change on record is made by the controller that is in office then.

    Lost if it fails: a controller that has lost its office elects a leader of whom the controller in office does not
    know, and whom brokers that have heard of the new one refuse: the partition has no leader that serves.
    Source: KAFKA-6082.
    Holds in: cluster.zombie.writes.
    Fails in: the museum's entry on a deposed controller's writes.
    """
    if after.controller.offset == before.controller.offset:
        return True
    return after.controller.history[after.controller.offset].controller_epoch == after.controller.epoch


def new_partition(state: State) -> bool:
    """The partition has been created and has no leader yet. Without an example being new is never put to the test."""
    return partition_state(state.controller.history[state.controller.offset]) == PartitionState.NEW


def offline_partition(state: State) -> bool:
    """The partition had a leader and has none. Without an example no election comes late."""
    return partition_state(state.controller.history[state.controller.offset]) == PartitionState.OFFLINE


def recovering_leader(state: State) -> bool:
    """Somebody was elected uncleanly and leads. Without an example an unclean election gives up nothing."""
    metadata = state.controller.history[state.controller.offset]
    return metadata.is_recovering and metadata.leader != NO_LEADER


def preferred_election_is_needed(before: State, after: State) -> bool:
    """A preferred election is held only where another broker leads than the first of the assignment.

    Lost if it fails: a leader epoch begins for nothing, and every follower, producer and consumer turns to it anew.
    Source: ELECTION_NOT_NEEDED; `ReplicationControlManager.electLeader`.
    Holds in: cluster.election_order.
    Fails in: models in which an election may be asked of any replica, also of the one that leads.
    """
    if before.budget.moves == after.budget.moves:
        return True
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    return was.leader != now.leader
