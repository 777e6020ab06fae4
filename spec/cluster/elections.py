"""The properties of elections, and the states that a partition passes through.

Part of Kafka judged: `impl/controller`, by its records only.
Source: `PartitionStateMachine` and `PartitionState` of `kafka.controller`; `PartitionChangeBuilder`; the KIPs and
issues named below.
Left out, and why that is sound: the state that the controller keeps in memory, because a new controller derives it from
its record (`initializePartitionState`), as these properties do.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.enums import PartitionState, Propagation
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def partition_state(metadata: Metadata) -> int:
    """The state of the partition, as a controller derives it from this record."""
    if metadata.replicas == Ids():
        return PartitionState.NON_EXISTENT
    if metadata.leader == NO_LEADER and metadata.leader_epoch == 0:
        return PartitionState.NEW
    if metadata.leader == NO_LEADER or metadata.leader not in metadata.active:
        return PartitionState.OFFLINE
    return PartitionState.ONLINE


def partition_changes_state_legally(before: State, after: State, rules: ClusterRules) -> bool:
    """A partition that exists does not become new again, and goes offline only after it has been created.

    A new partition goes online or offline, an online one offline, and an offline one online. A new or offline one
    ceases to exist when its topic has been deleted. In the ZooKeeper era a partition is new first. In the KRaft era it
    is created with a leader, and may cease to exist at any time.

    Lost if it fails: the controller treats the partition as new: it elects any live replica, and the recorded leaders
    and ISR are void. Or it refuses an election that is due.
    Source: PartitionState.validPreviousStates; ReplicationControlManager (createTopic, deleteTopic).
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
    """The recorded leader is neither fenced nor stopping.

    Lost if it fails: the partition has a leader that does not serve. If that leader fails for good, the controller does
    not replace it, because it is inactive already, and the partition stays without service although other replicas
    live.
    Source: KAFKA-19522; `isAcceptableLeader` of PartitionChangeBuilder.
    """
    metadata = state.controller.history[state.controller.offset]
    return metadata.leader == NO_LEADER or metadata.leader in metadata.active


def elected_leader_is_first(before: State, after: State) -> bool:
    """No active candidate comes earlier in the assignment than the elected leader.

    The candidates are the ISR after a clean election, and all replicas after an unclean one. The assignment has the
    order of broker ids.

    Lost if it fails: a few brokers get most of the leaderships, because only the order of assignments spreads them.
    Source: PartitionLeaderElectionAlgorithms; PartitionChangeBuilder.electAnyLeader.
    """
    old = before.controller.history[before.controller.offset]
    new = after.controller.history[after.controller.offset]
    if new.leader == old.leader or new.leader == NO_LEADER:
        return True
    candidates = new.isr & new.active
    if new.is_recovering and not old.is_recovering:
        candidates = new.replicas & new.active
    return candidates & Ids(range(new.leader)) == Ids()


def deposed_controller_changes_nothing(before: State, after: State) -> bool:
    """Only the active controller makes a change that is recorded.

    Lost if it fails: a deposed controller elects a leader that the active controller does not know. Brokers that
    have heard of the new controller refuse that leader, so the partition has no leader that serves.
    Source: KAFKA-6082.
    """
    if after.controller.offset == before.controller.offset:
        return True
    return after.controller.history[after.controller.offset].controller_epoch == after.controller.epoch


def new_partition(state: State) -> bool:
    """The partition has been created and has no leader yet. Without an example no rule on new partitions is tested."""
    return partition_state(state.controller.history[state.controller.offset]) == PartitionState.NEW


def offline_partition(state: State) -> bool:
    """The partition had a leader and has none. Without an example no election comes late."""
    return partition_state(state.controller.history[state.controller.offset]) == PartitionState.OFFLINE


def recovering_leader(state: State) -> bool:
    """The leader was elected uncleanly and has not recovered. Without an example unclean elections cost nothing."""
    metadata = state.controller.history[state.controller.offset]
    return metadata.is_recovering and metadata.leader != NO_LEADER


def preferred_election_is_needed(before: State, after: State) -> bool:
    """A preferred election is held only if the leader is not the first broker of the assignment.

    Lost if it fails: a leader epoch begins without need, and every follower, producer and consumer must adopt it.
    Source: ELECTION_NOT_NEEDED; `ReplicationControlManager.electLeader`.
    """
    if before.budget.moves == after.budget.moves:
        return True
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    return was.leader != now.leader
