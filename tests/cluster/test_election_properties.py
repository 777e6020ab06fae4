"""The states of a partition: which may follow each other, and which steps are seen to be illegal."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.enums import PartitionState, Propagation
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.spec.cluster.elections import (
    leader_is_active,
    new_partition,
    offline_partition,
    partition_changes_state_legally,
    partition_state,
    preferred_election_is_needed,
    recovering_leader,
)
from tests.cluster.test_cluster_properties import state_of

ZOOKEEPER = ClusterRules(propagation=Propagation.LEADER_AND_ISR)
KRAFT = ClusterRules()

LEGAL = {
    (PartitionState.NON_EXISTENT, PartitionState.NEW),
    (PartitionState.NEW, PartitionState.ONLINE),
    (PartitionState.NEW, PartitionState.OFFLINE),
    (PartitionState.ONLINE, PartitionState.OFFLINE),
    (PartitionState.OFFLINE, PartitionState.ONLINE),
    (PartitionState.OFFLINE, PartitionState.NON_EXISTENT),
} | {(each, each) for each in PartitionState}


def partition_in(wanted):
    """Two brokers and a record from which a controller finds the partition in that state."""
    state = state_of()
    metadata = state.controller.history[0]
    if wanted is PartitionState.NON_EXISTENT:
        metadata.replicas = metadata.isr = Ids()
        metadata.leader = NO_LEADER
    elif wanted is PartitionState.NEW:
        metadata.isr, metadata.leader = 0, NO_LEADER
    elif wanted is PartitionState.OFFLINE:
        metadata.leader, metadata.leader_epoch = NO_LEADER, 1
    assert partition_state(metadata) == wanted
    return state


@pytest.mark.parametrize("before", PartitionState)
@pytest.mark.parametrize("after", PartitionState)
def test_only_some_states_follow_each_other(before, after):
    """As `validPreviousStates` says."""
    is_legal = partition_changes_state_legally(partition_in(before), partition_in(after), ZOOKEEPER)
    assert is_legal is ((before, after) in LEGAL)


def test_in_the_kraft_era_a_partition_is_created_with_a_leader():
    nothing = partition_in(PartitionState.NON_EXISTENT)
    assert partition_changes_state_legally(nothing, partition_in(PartitionState.ONLINE), KRAFT)
    assert not partition_changes_state_legally(nothing, partition_in(PartitionState.NEW), KRAFT)


def test_a_leader_that_is_fenced_leaves_the_partition_offline():
    state = partition_in(PartitionState.ONLINE)
    assert leader_is_active(state)
    state.controller.history[0].active = Ids({1})
    assert not leader_is_active(state)
    assert partition_state(state.controller.history[0]) == PartitionState.OFFLINE


def test_examples_are_what_they_are_called():
    for wanted in PartitionState:
        state = partition_in(wanted)
        assert new_partition(state) is (wanted is PartitionState.NEW)
        assert offline_partition(state) is (wanted is PartitionState.OFFLINE)
        assert not recovering_leader(state)
    state = partition_in(PartitionState.ONLINE)
    state.controller.history[0].is_recovering = True
    assert recovering_leader(state)


def test_a_preferred_election_that_changes_nothing_is_seen():
    before = partition_in(PartitionState.ONLINE)
    after = before.copy()
    record = after.controller.history[0]
    record.leader_epoch += 1
    assert preferred_election_is_needed(before, after), "a leader epoch for another reason"
    before.budget.moves = after.budget.moves + 1
    assert not preferred_election_is_needed(before, after)
    record.leader = 1
    assert preferred_election_is_needed(before, after)
