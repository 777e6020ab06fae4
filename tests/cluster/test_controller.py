"""What the controller does, rule by rule: elections, fencing, ISR changes, registration, reassignment."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.isr import propose_isr
from kafkacheck.impl.broker.leader import has_enough_replicas
from kafkacheck.impl.controller.configuration import lower_min_insync_replicas
from kafkacheck.impl.controller.elections import elect_preferred
from kafkacheck.impl.controller.reassignment import begin_reassignment
from kafkacheck.impl.enums import AlterPartitionError, Propagation, Stage
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_learns_epoch, broker_obeys_leader_and_isr, broker_starts
from kafkacheck.model.cluster.controller import (
    controller_alters_partition,
    controller_elects_uncleanly,
    controller_ends_reassignment,
    controller_fences_broker,
    controller_unfences_broker,
    zombie_answers_alter_partition,
)
from kafkacheck.model.cluster.environment import controller_is_replaced, found_partition, process_crashes
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.system import State, stop_process

SIZES = {"replicas": 3, "max_leader_epoch": 5, "max_metadata_offset": 8, "crashes": 3, "min_isr_changes": 1}
LAYOUT = Layout(State, {**BOUNDS, **SIZES})
LIMITS = LAYOUT.bounds.as_tuple()
RULES = ClusterRules()
ELR = RULES._replace(eligible_leader_replicas=True, min_insync_replicas=2)


def cluster(isr=Ids({0, 1, 2}), crashed=()):
    """Three brokers; broker 0 leads in epoch 0; some have crashed, which the controller has not noticed."""
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1, 2}), isr)
    state.budget.crashes = 3
    for broker_id in crashed:
        assert process_crashes(state, broker_id)
    return state


def now(state):
    return state.controller.history[state.controller.offset]


def told(state):
    metadata = now(state)
    return metadata.leader, metadata.leader_epoch, metadata.isr, metadata.elr


def test_a_failed_leader_is_replaced_from_the_isr_under_the_next_epoch():
    state = cluster(isr=Ids({0, 1}), crashed=[0])
    assert not controller_fences_broker(state, RULES, 0, 2), "broker 2 is out of sync"
    assert not controller_fences_broker(state, RULES, 0, NO_LEADER), "somebody can lead"
    assert controller_fences_broker(state, RULES, 0, 1)
    assert told(state) == (1, 1, {1}, set())


@pytest.mark.parametrize("clears", [True, False])
def test_nobody_is_eligible_any_more_when_fewer_replicas_may_commit(clears):
    state = cluster(isr=Ids({0, 1}), crashed=[1])
    rules = ELR._replace(min_isr_change_clears_elr=clears)
    assert controller_fences_broker(state, rules, 1, 0)
    assert told(state) == (0, 0, {0}, {1})
    state.controller.last_known_leader = 2
    assert lower_min_insync_replicas(state.controller, rules, LIMITS)
    assert told(state) == (0, 0, {0}, set() if clears else {1})
    assert now(state).partition_epoch == (2 if clears else 1), "a leader's change of the record before is refused"
    assert state.controller.last_known_leader == (NO_LEADER if clears else 2)
    assert not lower_min_insync_replicas(state.controller, rules, LIMITS), "it is 1 now"


def test_a_leader_goes_by_the_min_insync_replicas_that_it_has_heard_of():
    state = cluster(isr=Ids({0}))
    assert lower_min_insync_replicas(state.controller, ELR, LIMITS)
    assert now(state).partition_epoch == 0, "nobody was eligible, so that the partition has not changed"
    history = state.controller.history
    assert not has_enough_replicas(ELR, history[0], Ids({0}))
    assert has_enough_replicas(ELR, history[1], Ids({0}))


def test_a_failed_follower_leaves_the_isr_without_a_new_leader():
    state = cluster(crashed=[2])
    assert controller_fences_broker(state, RULES, 2, 0)
    assert told(state) == (0, 0, {0, 1}, set())
    state = cluster(crashed=[2])
    assert controller_fences_broker(state, RULES._replace(propagation=Propagation.LEADER_AND_ISR), 2, 0)
    assert told(state) == (0, 1, {0, 1}, set()), "brokers of the ZooKeeper era obey only newer epochs"


def test_the_last_member_stays_in_the_isr_unless_eligible_leader_replicas_are_kept():
    state = cluster(isr=Ids({0}), crashed=[0])
    assert controller_fences_broker(state, RULES, 0, NO_LEADER)
    assert told(state) == (NO_LEADER, 1, {0}, set())
    state = cluster(isr=Ids({0, 1}), crashed=[1, 0])
    assert controller_fences_broker(state, ELR, 1, 0)
    assert told(state) == (0, 0, {0}, {1})
    assert controller_fences_broker(state, ELR, 0, NO_LEADER)
    assert told(state) == (NO_LEADER, 1, set(), {0, 1})


def test_an_unclean_restart_ends_eligibility_and_the_other_eligible_replica_leads():
    state = cluster(isr=Ids({0, 1}), crashed=[1, 0])
    controller_fences_broker(state, ELR, 1, 0)
    controller_fences_broker(state, ELR, 0, NO_LEADER)
    state.brokers[1].is_stopped_cleanly = True
    assert broker_starts(state, ELR, LIMITS, 0) and broker_starts(state, ELR, LIMITS, 1)
    assert told(state) == (NO_LEADER, 1, set(), {1})
    for broker_id in (0, 1):
        state.brokers[broker_id].metadata_offset = state.controller.offset
        assert controller_unfences_broker(state, ELR, LIMITS, broker_id)
    assert told(state) == (1, 2, {1}, set())


def test_an_unclean_election_needs_leave_and_nobody_else():
    state = cluster(isr=Ids({0}), crashed=[0])
    allowed = RULES._replace(unclean_election=True)
    assert not controller_elects_uncleanly(state, allowed, 1), "there is a leader as far as the controller knows"
    controller_fences_broker(state, RULES, 0, NO_LEADER)
    assert not controller_elects_uncleanly(state, RULES, 1)
    assert controller_elects_uncleanly(state, allowed, 1)
    assert told(state) == (1, 2, {1}, set())
    assert now(state).is_recovering


def propose(state, isr, leader_id=0, **changes):
    propose_isr(state.brokers[leader_id], leader_id, state.alter_partitions[leader_id], isr)
    for name, value in changes.items():
        setattr(state.alter_partitions[leader_id], name, value)
    assert controller_alters_partition(state, RULES, LIMITS, leader_id)
    assert state.alter_partitions[leader_id].stage == Stage.ANSWERED
    return state.alter_partitions[leader_id].error


def test_an_isr_change_is_made_with_the_next_partition_epoch_and_the_same_leader_epoch():
    state = cluster(isr=Ids({0}))
    assert propose(state, Ids({0, 1})) == AlterPartitionError.NONE
    assert told(state) == (0, 0, {0, 1}, set())
    assert now(state).partition_epoch == 1


def test_an_isr_change_of_an_old_epoch_or_with_a_fenced_or_restarted_member_is_refused():
    state = cluster(isr=Ids({0}))
    assert elect_preferred(state.controller, RULES, 0)
    assert propose(state, Ids({0, 1})) == AlterPartitionError.FENCED, "an old leader epoch"
    assert propose(cluster(), Ids({0, 1, 2}), leader_id=1) == AlterPartitionError.FENCED, "not the leader"
    assert propose(cluster(), Ids({0, 1, 2}), broker_epoch=1) == AlterPartitionError.FENCED, "not the registered broker"
    state = cluster(isr=Ids({0}), crashed=[1])
    controller_fences_broker(state, RULES, 1, 0)
    assert propose(state, Ids({0, 1})) == AlterPartitionError.INELIGIBLE_REPLICA
    state = cluster(isr=Ids({0}))
    state.brokers[0].followers[1].broker_epoch = 0
    now(state).broker_epochs[1] = 1
    assert propose(state, Ids({0, 1})) == AlterPartitionError.INELIGIBLE_REPLICA


def test_a_zombie_answers_only_what_needs_no_change_and_nothing_ahead_of_it():
    state = cluster(isr=Ids({0}))
    state.budget.failovers = 1
    assert controller_is_replaced(state, RULES)
    assert propose(state, Ids({0, 1})) == AlterPartitionError.NONE
    leader = state.brokers[0]
    leader.isr, leader.partition_epoch = Ids({0, 1}), 1
    propose_isr(state.brokers[0], 0, state.alter_partitions[0], Ids({0}))
    assert not zombie_answers_alter_partition(state, RULES, 0), "the leader is ahead: NOT_CONTROLLER"
    assert zombie_answers_alter_partition(state, RULES._replace(repeated_change_checks_epoch=False), 0)
    assert state.alter_partitions[0].partition_epoch == 0


MENDED = RULES._replace(grown_target_is_awaited=True)


@pytest.mark.parametrize("rules", [RULES, MENDED, MENDED._replace(reassignment_awaits_target=False)])
def test_a_reassignment_ends_when_its_whole_target_is_in_sync(rules):
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1}), Ids({0}))
    assert begin_reassignment(state.controller, rules, LIMITS, Ids({1, 2}))
    assert (now(state).replicas, now(state).adding) == ({0, 1, 2}, {2})
    propose_isr(state.brokers[0], 0, state.alter_partitions[0], Ids({0, 2}))
    state.alter_partitions[0].partition_epoch = 1
    assert controller_alters_partition(state, rules, LIMITS, 0)
    if rules == MENDED:
        assert now(state).replicas == {0, 1, 2}
    else:
        assert (now(state).replicas, *told(state)) == ({1, 2}, 2, 1, {2}, set())


def test_a_reassignment_that_only_removes_ends_at_once():
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
    assert begin_reassignment(state.controller, RULES, LIMITS, Ids({1}))
    assert (now(state).replicas, *told(state)) == ({1}, 1, 1, {1}, set())


def test_a_bounce_is_noticed_first():
    state = cluster(crashed=[1])
    assert not broker_starts(state, RULES, LIMITS, 1)
    assert broker_starts(state, RULES._replace(bounce_is_noticed=False), LIMITS, 1)
    assert now(state).isr == {0, 1, 2}


@pytest.mark.parametrize("is_obeyed", [True, False])
def test_a_request_with_a_broker_epoch_that_is_not_known_yet_is_obeyed_but_by_the_old_rule(is_obeyed):
    """KAFKA-9839."""
    rules = ClusterRules(propagation=Propagation.LEADER_AND_ISR, newer_broker_epoch_is_obeyed=is_obeyed)
    layout = Layout(State, {**BOUNDS, "late_registrations": 1, "max_leader_epoch": 5, "max_metadata_offset": 8})
    state = layout.blank()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
    stop_process(state, 1)
    assert controller_fences_broker(state, rules, 1, 0) and broker_starts(state, rules, layout.bounds.as_tuple(), 1)
    newest = state.controller.offset
    assert broker_obeys_leader_and_isr(state, rules, 1, newest)
    assert state.brokers[1].leader == (0 if is_obeyed else NO_LEADER)
    assert broker_learns_epoch(state, 1) and not broker_learns_epoch(state, 1)
    assert not broker_obeys_leader_and_isr(state, rules, 1, newest), "it is not sent again"


@pytest.mark.parametrize(
    ("is_told_first", "replicas", "isr"), [(True, Ids({0}), Ids({0, 1})), (False, Ids({0, 1}), Ids({0}))]
)
def test_a_reassignment_in_two_rounds_shrinks_the_assignment_first_and_the_isr_by_the_old_rule(
    is_told_first, replicas, isr
):
    """KAFKA-1097."""
    rules = ClusterRules(propagation=Propagation.LEADER_AND_ISR, assignment_is_told_first=is_told_first)
    layout = Layout(State, {**BOUNDS, "reassignment_rounds": 1, "max_leader_epoch": 5})
    state, limits = layout.blank(), layout.bounds.as_tuple()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
    assert not controller_ends_reassignment(state, rules)
    assert begin_reassignment(state.controller, rules, limits, Ids({0}))
    assert (now(state).replicas, now(state).isr) == (replicas, isr)
    assert not begin_reassignment(state.controller, rules, limits, Ids({0, 1})), "one is under way"
    assert controller_ends_reassignment(state, rules)
    assert (now(state).replicas, now(state).isr) == ({0}, {0})
    assert not controller_ends_reassignment(state, rules)
