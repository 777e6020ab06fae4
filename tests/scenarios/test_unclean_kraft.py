"""After an unclean election in the KRaft era the leader stays alone until it has declared that it has recovered."""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.controller import controller_unfences_broker
from kafkacheck.model.cluster.replication import leader_ends_recovery
from kafkacheck.spec.cluster.properties import acknowledged_records_survive, recovering_leader_is_alone
from tests.scenarios.script import Script
from tests.scenarios.steps import (
    append,
    catch_up,
    confirm,
    crash,
    elect_uncleanly,
    learn,
    notice_death,
    propose_with,
    restart,
)


def unfence(run, broker):
    run.do(controller_unfences_broker, broker_id=broker)


def declare_recovered(run, leader):
    run.do(leader_ends_recovery, leader_id=leader)


def test_the_isr_grows_again_only_after_the_leader_has_recovered():
    run = Script(brokers=2, isr={0}, rules=ClusterRules(unclean_election=True))
    run.act(append, leader=0, message="a")
    run.expect(acknowledged="a")
    run.act(crash, broker=0)
    run.act(notice_death, broker=0)
    run.act(elect_uncleanly, broker=1)
    run.act(learn, broker=1)
    run.act(append, leader=1, message="b")
    assert not run.holds(acknowledged_records_survive)

    run.act(restart, broker=0)
    run.act(learn, broker=0)
    run.act(unfence, broker=0)
    run.act(learn, broker=1)
    run.act(catch_up, follower=0)
    run.expect(
        """
        0 follows e2: b@2 |
        1 leads e2: b@2 |
        """,
        isr={1},
    )
    run.refuse(propose_with, leader=1, follower=0)
    assert run.holds(recovering_leader_is_alone)

    run.act(declare_recovered, leader=1)
    run.act(confirm, leader=1)
    run.refuse(declare_recovered, leader=0)
    run.act(learn, broker=1)
    run.refuse(declare_recovered, leader=1)
    run.act(propose_with, leader=1, follower=0)
    run.act(confirm, leader=1)
    run.expect(isr={0, 1}, leader=1)
