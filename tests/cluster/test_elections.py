"""Whom the controller elects: in the order of the assignment, as first leader, and as last known leader."""

import random

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.controller.reassignment import begin_reassignment
from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_starts
from kafkacheck.model.cluster.controller import (
    controller_creates_partition,
    controller_elects_first_leader,
    controller_elects_uncleanly,
    controller_fences_broker,
    controller_unfences_broker,
    zombie_elects_leader,
)
from kafkacheck.model.cluster.elections.election_order import MODEL as ELECTION_ORDER
from kafkacheck.model.cluster.environment import (
    controller_is_replaced,
    found_partition,
    leadership_is_moved,
    process_crashes,
    shutdown_is_asked,
    start_without_partition,
)
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster.elections import (
    deposed_controller_changes_nothing,
    elected_leader_is_first,
    leader_is_active,
)
from tests.cluster.test_controller import now, told

SIZES = {
    "replicas": 3,
    "max_leader_epoch": 5,
    "max_metadata_offset": 9,
    "max_broker_epoch": 2,
    "max_controller_epoch": 1,
}
PLENTY = {"crashes": 3, "expirations": 3, "moves": 3, "failovers": 1}
LAYOUT = Layout(State, {**BOUNDS, **SIZES, **PLENTY})
LIMITS = LAYOUT.bounds.as_tuple()
ORDERED = ClusterRules(elections_follow_assignment=True, unclean_election=True)
LAST_KNOWN = ClusterRules(eligible_leader_replicas=True, min_insync_replicas=2)
ZOOKEEPER = ClusterRules(propagation=Propagation.LEADER_AND_ISR)


def cluster(isr=Ids({0, 1, 2}), leader=0):
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1, 2}), isr)
    now(state).leader = leader
    return state


def take_down(state, rules, broker_id, new_leader):
    return process_crashes(state, broker_id) and controller_fences_broker(state, rules, broker_id, new_leader)


def test_a_failed_leader_is_replaced_by_the_first_of_the_isr():
    assert not take_down(cluster(), ORDERED, 0, 2)
    assert take_down(cluster(), ORDERED, 0, 1)
    assert take_down(cluster(isr=Ids({0, 2})), ORDERED, 0, 2), "broker 1 is not in sync"
    assert take_down(cluster(), ORDERED._replace(elections_follow_assignment=False), 0, 2)


def test_a_leader_that_shuts_down_is_replaced_by_the_first_of_the_isr_that_does_not():
    state = cluster()
    assert shutdown_is_asked(state, ORDERED, 1, 0)
    assert not shutdown_is_asked(state, ORDERED, 0, 1), "broker 1 is stopping"
    assert shutdown_is_asked(state, ORDERED, 0, 2)


def test_the_first_active_replica_is_elected_uncleanly():
    state = cluster(isr=Ids({0}))
    assert take_down(state, ORDERED, 0, NO_LEADER)
    assert not controller_elects_uncleanly(state, ORDERED, 2)
    assert controller_elects_uncleanly(state, ORDERED, 1)


def test_only_the_head_of_the_assignment_is_preferred_and_only_while_it_does_not_lead():
    assert not leadership_is_moved(cluster(), ORDERED, 0)
    assert not leadership_is_moved(cluster(leader=1), ORDERED, 2)
    assert not leadership_is_moved(cluster(leader=1, isr=Ids({1, 2})), ORDERED, 0), "it is not in sync"
    assert leadership_is_moved(cluster(leader=1), ORDERED, 0)


def test_a_reassignment_elects_the_first_of_the_target_that_is_in_sync_and_active():
    state = cluster(isr=Ids({0, 2}))
    assert begin_reassignment(state.controller, ORDERED, LIMITS, Ids({2}))
    assert now(state).leader == 2
    state = cluster(isr=Ids({0, 1, 2}))
    assert take_down(state, ORDERED, 1, 0)
    assert begin_reassignment(state.controller, ORDERED, LIMITS, Ids({1, 2}))
    assert now(state).leader == 0, "it is not complete before broker 1 is in sync"


@pytest.mark.slow
@pytest.mark.long
def test_every_step_in_the_order_of_the_assignment_is_a_step_without_it():
    """What holds where any candidate is elected holds with Kafka's order, too. Tried on some states of each level."""
    strict = ELECTION_ORDER.with_bounds({"max_metadata_offset": 3, "crashes": 1, "expirations": 1, "moves": 1})
    free = strict.with_rules({"elections_follow_assignment": False})
    layout, seen, elections, choice = strict.layout, set(), set(), random.Random(0)
    level = [layout.flatten(state) for state in strict.initial_states()]
    while level:
        found = []
        for flat in level:
            for action, lax in zip(strict.actions, free.actions, strict=True):
                for values in action.combinations():
                    state, other = layout.restore(flat), layout.restore(flat)
                    if action.apply(state, values):
                        assert lax.apply(other, values), (action.name, values)
                        after = layout.flatten(state)
                        assert after == layout.flatten(other)
                        elections.add(action.name)
                        found.append(after)
        new = sorted(set(found) - seen)
        level = choice.sample(new, min(40, len(new)))
        seen.update(level)
    assert {"controller_fences_broker", "shutdown_is_asked", "controller_unfences_broker"} <= elections


def test_a_partition_of_the_zookeeper_era_is_new_before_it_is_online():
    state = LAYOUT.blank()
    start_without_partition(state)
    assert not controller_elects_first_leader(state, ZOOKEEPER, 0), "there is no partition"
    assert not controller_creates_partition(state, ZOOKEEPER, 0), "a leader comes later"
    assert take_down(state, ZOOKEEPER, 0, NO_LEADER)
    assert controller_creates_partition(state, ZOOKEEPER, NO_LEADER)
    assert told(state) == (NO_LEADER, 0, set(), set())
    assert not controller_creates_partition(state, ZOOKEEPER, NO_LEADER), "it exists"
    assert not controller_elects_first_leader(state, ZOOKEEPER, 0), "it is down"
    assert controller_elects_first_leader(state, ZOOKEEPER, 1)
    assert told(state) == (1, 0, {1, 2}, set())
    assert not controller_elects_first_leader(state, ZOOKEEPER, 2), "it is not new"


def test_a_partition_of_the_kraft_era_is_created_with_a_leader():
    state = LAYOUT.blank()
    start_without_partition(state)
    assert take_down(state, ORDERED, 0, NO_LEADER)
    assert not controller_creates_partition(state, ORDERED, NO_LEADER)
    assert not controller_creates_partition(state, ORDERED, 0), "it is down"
    assert not controller_creates_partition(state, ORDERED, 2), "broker 1 comes first"
    assert controller_creates_partition(state, ORDERED, 1)
    assert told(state) == (1, 0, {1, 2}, set())


def without_eligible_replica(rules):
    """Both replicas have crashed, and broker 0 led last; broker 1 is back, and broker 0 is not."""
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
    assert take_down(state, rules, 1, 0) and take_down(state, rules, 0, NO_LEADER)
    assert told(state) == (NO_LEADER, 1, set(), {0, 1})
    assert broker_starts(state, rules, LIMITS, 1)
    return state


def unfence(state, rules, broker_id):
    state.brokers[broker_id].metadata_offset = state.controller.offset
    assert controller_unfences_broker(state, rules, LIMITS, broker_id)


def test_the_last_known_leader_leads_uncleanly_once_it_is_active_and_no_replica_is_eligible():
    state = without_eligible_replica(LAST_KNOWN)
    assert state.controller.last_known_leader == 0
    unfence(state, LAST_KNOWN, 1)
    assert told(state) == (NO_LEADER, 1, set(), {0}), "broker 0 is still eligible"
    assert broker_starts(state, LAST_KNOWN, LIMITS, 0)
    assert told(state) == (NO_LEADER, 1, set(), set()), "it is not active"
    unfence(state, LAST_KNOWN, 0)
    assert told(state) == (0, 2, {0}, set())
    assert now(state).is_recovering
    assert state.controller.last_known_leader == NO_LEADER


def test_the_last_eligible_replica_that_is_expelled_lets_the_last_known_leader_lead():
    state = without_eligible_replica(LAST_KNOWN)
    state.brokers[0].is_stopped_cleanly = True
    state.controller.last_known_leader = 1
    unfence(state, LAST_KNOWN, 1)
    state.brokers[0].is_stopped_cleanly = False
    assert broker_starts(state, LAST_KNOWN, LIMITS, 0)
    assert told(state) == (1, 2, {1}, set()), "broker 1 is active"


def test_nobody_is_elected_where_the_last_known_leader_is_not_to_be():
    rules = LAST_KNOWN._replace(last_known_leader_is_elected=False)
    state = without_eligible_replica(rules)
    assert broker_starts(state, rules, LIMITS, 0)
    for broker_id in (0, 1):
        unfence(state, rules, broker_id)
    assert now(state).leader == NO_LEADER


@pytest.mark.parametrize("is_checked", [True, False])
def test_by_the_old_rule_the_last_known_leader_is_elected_while_it_is_fenced(is_checked):
    rules = LAST_KNOWN._replace(last_known_leader_is_active=is_checked)
    state = without_eligible_replica(rules)
    assert broker_starts(state, rules, LIMITS, 0)
    assert (now(state).leader == NO_LEADER) is is_checked
    assert leader_is_active(state) is is_checked


@pytest.mark.parametrize("is_checked", [True, False])
def test_a_deposed_controller_writes_nothing_and_resigns(is_checked):
    rules = ZOOKEEPER._replace(controller_write_checks_epoch=is_checked)
    before = cluster(isr=Ids({0, 1}))
    assert not zombie_elects_leader(before, rules, 1), "it is in office"
    assert controller_is_replaced(before, rules)
    assert is_checked or not zombie_elects_leader(before, rules, 2), "it is not in sync"
    after = before.copy()
    assert zombie_elects_leader(after, rules, 1)
    assert (now(after).leader == 0) is is_checked
    assert (after.controller.zombie_offset == NO_OFFSET) is is_checked
    assert deposed_controller_changes_nothing(before, after) is is_checked
    assert leadership_is_moved(before, rules, 1)
    assert zombie_elects_leader(before, rules, 0) is is_checked, "the partition has changed since"
    assert now(before).leader == 1


def test_an_election_out_of_order_is_seen():
    before = cluster()
    after = before.copy()
    now(after).leader, now(after).isr = 2, Ids({1, 2})
    assert not elected_leader_is_first(before, after)
    now(after).isr = Ids({0, 2})
    assert not elected_leader_is_first(before, after)
    now(after).active = Ids({1, 2})
    assert elected_leader_is_first(before, after)
    now(after).isr, now(after).is_recovering = Ids({2}), True
    assert not elected_leader_is_first(before, after), "broker 1 could have been elected uncleanly"
