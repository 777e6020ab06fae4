"""Who leads next: in the order of the assignment, or, where nobody is eligible any more, whoever led last."""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.controller import controller_unfences_broker
from kafkacheck.model.cluster.environment import fetch_connection_breaks, leadership_is_moved
from kafkacheck.model.cluster.replication import follower_sends_fetch, leader_counts_old_fetch, leader_reads_old_fetch
from kafkacheck.spec.cluster.elections import leader_is_active
from kafkacheck.spec.cluster.properties import acknowledged_records_survive
from tests.scenarios.script import Script
from tests.scenarios.steps import (
    append,
    catch_up,
    confirm,
    crash,
    elect_uncleanly,
    fetch,
    learn,
    lose_power,
    notice_death,
    propose_with,
    restart,
)

ORDERED = ClusterRules(unclean_election=True, elections_follow_assignment=True)
LAST_KNOWN = ClusterRules(eligible_leader_replicas=True, min_insync_replicas=2)


def unfence(run, broker):
    run.do(controller_unfences_broker, broker_id=broker)


def elect(run, broker):
    run.do(leadership_is_moved, new_leader=broker)


def break_connection(run, follower):
    run.do(fetch_connection_breaks, follower_id=follower)


def send_fetch(run, follower):
    run.do(follower_sends_fetch, follower_id=follower)


def read_old_fetch(run, follower):
    run.do(leader_reads_old_fetch, follower_id=follower)


def count_old_fetch(run, follower):
    run.do(leader_counts_old_fetch, follower_id=follower)


def test_leaders_follow_each_other_in_the_order_of_the_assignment_and_its_head_comes_back():
    run = Script(brokers=3, rules=ORDERED)
    run.act(crash, broker=0)
    run.refuse(notice_death, broker=0, new_leader=2)
    run.act(notice_death, broker=0, new_leader=1)
    run.expect(isr={1, 2}, leader=1)
    run.act(crash, broker=1)
    run.act(notice_death, broker=1, new_leader=2)
    run.act(crash, broker=2)
    run.act(notice_death, broker=2)
    run.expect(isr={2}, leader=-1)

    run.act(restart, broker=1)
    run.act(restart, broker=0)
    for broker in (0, 1):
        run.act(learn, broker=broker)
        run.act(unfence, broker=broker)
    run.refuse(elect_uncleanly, broker=1)
    run.act(elect_uncleanly, broker=0)
    run.expect(isr={0}, leader=0)
    run.refuse(elect, broker=0)


def test_the_preferred_leader_leads_once_it_is_in_sync_again():
    run = Script(brokers=2, rules=ORDERED)
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.act(restart, broker=0)
    run.act(learn, broker=0)
    run.act(unfence, broker=0)
    run.act(learn, broker=1)
    run.refuse(elect, broker=0)
    run.act(fetch, follower=0)
    run.act(propose_with, leader=1, follower=0)
    run.act(confirm, leader=1)
    run.act(elect, broker=0)
    run.expect(isr={0, 1}, leader=0)


def without_eligible_replica(rules, fail, **how):
    """A message is acknowledged on both; both fail, broker 0 last, and start again; neither is eligible any more."""
    run = Script(brokers=2, rules=rules)
    run.act(append, leader=0, message="a")
    run.act(catch_up, follower=1)
    run.expect(acknowledged="a")
    for broker in (1, 0):
        run.act(fail, broker=broker, **how)
        run.act(notice_death, broker=broker)
    for broker in (1, 0):
        run.act(restart, broker=broker)
        run.act(learn, broker=broker)
    for broker in (1, 0):
        run.expect(isr=set(), leader=-1)
        run.act(unfence, broker=broker)
    return run


def test_the_last_known_leader_brings_the_acknowledged_message_back():
    run = without_eligible_replica(LAST_KNOWN, crash)
    run.expect(isr={0}, leader=0)
    run.act(learn, broker=0)
    run.expect(
        """
        0 leads e2: | a
        1 waits: | a
        """
    )
    assert run.holds(acknowledged_records_survive) and run.holds(leader_is_active)


def test_the_last_known_leader_leads_also_without_the_acknowledged_message():
    run = without_eligible_replica(LAST_KNOWN, lose_power, keeps=0)
    run.expect(isr={0}, leader=0)
    run.act(learn, broker=0)
    assert not run.holds(acknowledged_records_survive)


def test_without_that_rule_nobody_leads_any_more():
    run = without_eligible_replica(LAST_KNOWN._replace(last_known_leader_is_elected=False), crash)
    run.expect(isr=set(), leader=-1)


def test_a_fetch_that_was_read_in_an_earlier_epoch_loses_an_acknowledged_message_where_it_counts():
    """KAFKA-15590, as the search found it."""
    for rules, is_lost in ((ClusterRules(), True), (ClusterRules(counted_fetch_is_of_epoch=True), False)):
        run = Script(brokers=3, rules=rules)
        run.act(append, leader=0, message="a")
        run.act(fetch, follower=1)
        run.act(send_fetch, follower=1)
        run.act(break_connection, follower=1)
        run.act(read_old_fetch, follower=1)

        run.act(elect, broker=2)
        for broker in (0, 1, 2):
            run.act(learn, broker=broker)
        run.act(fetch, follower=0)
        run.act(elect, broker=0)
        for broker in (0, 2):
            run.act(learn, broker=broker)
        run.act(append, leader=0, message="b")
        run.act(fetch, follower=2)
        run.act(fetch, follower=2)
        run.expect(acknowledged="")
        run.act(count_old_fetch, follower=1)
        run.expect(acknowledged="b" if is_lost else "")

        run.act(elect, broker=1)
        run.act(learn, broker=1)
        assert run.holds(acknowledged_records_survive) is not is_lost
