"""What can be done when AR={0,1,2}, ISR={0,1}, min.insync.replicas=2, and members of the ISR fail.

The table of the documentation of the ZooKeeper era, in which a broker that comes back before the controller has noticed
its end is taken for one that never left. Broker 2 is outside the ISR and down, unless a row says otherwise. *Reads* and
*writes* are with a consumer of committed records and a producer with acks=all.
"""

import pytest

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.spec.cluster.properties import acknowledged_records_survive
from tests.scenarios.eras import KAFKA_0_11
from tests.scenarios.script import Script
from tests.scenarios.steps import (
    append,
    ask_epoch_end,
    catch_up,
    checkpoint,
    confirm,
    crash,
    elect_uncleanly,
    learn,
    notice_death,
    propose_with,
    read,
    restart,
)

CLEAN = KAFKA_0_11._replace(min_insync_replicas=2)
UNCLEAN = CLEAN._replace(unclean_election=True)
BOTH = [CLEAN, UNCLEAN]


def two_in_sync(rules: ClusterRules) -> Script:
    """Brokers 0 and 1 have an acknowledged record; broker 2 has nothing, is out of sync, and down."""
    run = Script(brokers=3, isr={0, 1}, rules=rules)
    run.act(append, leader=0, message="a")
    run.act(catch_up, follower=1)
    run.act(crash, broker=2)
    run.act(notice_death, broker=2)
    run.act(checkpoint, broker=0)
    run.act(checkpoint, broker=1)
    run.expect(
        """
        0 leads e0: a |
        1 follows e0: a |
        2 is down:
        """,
        isr={0, 1},
        acknowledged="a",
    )
    return run


def rejoin(run: Script, leader: int, follower: int) -> None:
    """A broker that came back catches up with the leader and joins the ISR."""
    run.act(restart, broker=follower)
    run.act(learn, broker=follower)
    run.act(ask_epoch_end, follower=follower)
    run.act(catch_up, follower=follower)
    run.act(propose_with, leader=leader, follower=follower)
    run.act(confirm, leader=leader)


def writes(run: Script, leader: int, follower: int | None = None) -> None:
    """A message is written and acknowledged."""
    run.act(append, leader=leader, message="w")
    if follower is not None:
        run.act(catch_up, follower=follower)
    run.expect(acknowledged="a w")


@pytest.mark.parametrize("rules", BOTH)
def test_one_fails_and_comes_back(rules):
    """Row 1: without writes until both are there again."""
    run = two_in_sync(rules)
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.expect(isr={1}, leader=1)
    run.act(read)
    run.refuse(append, leader=1, message="b")
    rejoin(run, leader=1, follower=0)
    run.expect(isr={0, 1}, leader=1)
    writes(run, leader=1, follower=0)


@pytest.mark.parametrize("rules", BOTH)
def test_one_fails_and_does_not_come_back(rules):
    """Row 1: with min.insync.replicas=1 writes are served again."""
    run = two_in_sync(rules)
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.refuse(append, leader=1, message="b")
    run.configure(min_insync_replicas=1)
    writes(run, leader=1)


def one_after_the_other(rules: ClusterRules) -> Script:
    """Broker 0 fails, and then broker 1, the last member of the ISR: nobody leads."""
    run = two_in_sync(rules)
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.configure(min_insync_replicas=1)
    writes(run, leader=1)
    run.configure(min_insync_replicas=2)
    run.act(crash, broker=1)
    run.act(notice_death, broker=1)
    run.expect(
        """
        0 is down: a
        1 is down: a w@1
        2 is down:
        """,
        isr={1},
        leader=-1,
    )
    return run


@pytest.mark.parametrize("rules", BOTH)
def test_both_fail_one_after_the_other_and_come_back(rules):
    """Row 2a: the one that failed last leads, and all is well."""
    run = one_after_the_other(rules)
    run.act(restart, broker=1)
    run.act(learn, broker=1)
    run.expect(isr={1}, leader=1)
    run.act(read)
    run.refuse(append, leader=1, message="b")
    rejoin(run, leader=1, follower=0)
    run.expect(isr={0, 1})
    assert run.holds(acknowledged_records_survive)


def test_both_fail_and_the_one_that_failed_first_comes_back_clean():
    """Row 2b: it is not in the ISR, so it is not elected; the other one is waited for."""
    run = one_after_the_other(CLEAN)
    run.act(restart, broker=0)
    run.expect(isr={1}, leader=-1)
    run.refuse(elect_uncleanly, broker=0)
    run.refuse(append, leader=0, message="b")
    run.refuse(read)


def test_both_fail_and_the_one_that_failed_first_comes_back_unclean():
    """Row 2b: it is elected all the same. Reads are served; what was acknowledged after it failed is lost."""
    run = one_after_the_other(UNCLEAN)
    run.act(restart, broker=0)
    run.act(elect_uncleanly, broker=0)
    run.act(learn, broker=0)
    run.expect(isr={0}, leader=0)
    run.refuse(append, leader=0, message="b")
    assert not run.holds(acknowledged_records_survive)
    run.configure(min_insync_replicas=1)
    run.act(append, leader=0, message="c")
    run.act(read)
    run.act(restart, broker=1)
    run.act(learn, broker=1)
    run.act(ask_epoch_end, follower=1)
    run.act(catch_up, follower=1)
    run.expect(
        """
        0 leads e3: a c@3 |
        1 follows e3: a c@3 |
        2 is down:
        """
    )


@pytest.mark.parametrize("rules", BOTH)
def test_both_fail_and_only_the_one_that_failed_last_comes_back(rules):
    """Row 2c: as row 1, it leads and serves reads; writes want min.insync.replicas=1."""
    run = one_after_the_other(rules)
    run.act(restart, broker=1)
    run.act(learn, broker=1)
    run.expect(isr={1}, leader=1)
    run.act(read)
    run.refuse(append, leader=1, message="b")
    run.configure(min_insync_replicas=1)
    run.act(append, leader=1, message="b")
    run.expect(acknowledged="a w b")


def test_both_fail_for_good_and_the_one_outside_the_isr_may_lead_only_unclean():
    """Row 2d: as row 2b; the replica outside the ISR has nothing at all."""
    run = one_after_the_other(CLEAN)
    run.act(restart, broker=2)
    run.refuse(elect_uncleanly, broker=2)
    run = one_after_the_other(UNCLEAN)
    run.act(restart, broker=2)
    run.act(elect_uncleanly, broker=2)
    run.act(learn, broker=2)
    run.expect(isr={2}, leader=2)
    assert not run.holds(acknowledged_records_survive)


def both_at_once(rules: ClusterRules) -> Script:
    """Both fail before anybody could notice: the record still has both in the ISR."""
    run = two_in_sync(rules)
    run.act(crash, broker=0)
    run.act(crash, broker=1)
    run.expect(isr={0, 1}, leader=0)
    return run


@pytest.mark.parametrize("rules", BOTH)
def test_both_fail_at_once_and_the_leader_comes_back(rules):
    """Row 3: it leads on, and serves reads. Writes wait for the other one, until that is found dead as well."""
    run = both_at_once(rules)
    run.act(restart, broker=0)
    run.act(learn, broker=0)
    run.act(read)
    run.act(append, leader=0, message="w")
    run.expect(isr={0, 1}, leader=0, acknowledged="a")
    run.act(notice_death, broker=1)
    run.act(learn, broker=0)
    run.refuse(append, leader=0, message="b")
    run.configure(min_insync_replicas=1)
    run.act(append, leader=0, message="b")
    run.expect(isr={0}, leader=0)
    assert run.acknowledged().split()[-1] == "b"


@pytest.mark.parametrize("rules", BOTH)
def test_both_fail_at_once_and_the_follower_comes_back(rules):
    """Row 3: the controller finds the leader dead, and the follower leads; it was in the ISR."""
    run = both_at_once(rules)
    run.act(restart, broker=1)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.expect(isr={1}, leader=1)
    run.act(read)
    run.refuse(append, leader=1, message="b")
    run.configure(min_insync_replicas=1)
    writes(run, leader=1)


@pytest.mark.parametrize("rules", BOTH)
def test_both_fail_at_once_and_both_come_back(rules):
    """Row 3: with both of them back, writes are served again without a change of the configuration."""
    run = both_at_once(rules)
    run.act(restart, broker=0)
    run.act(learn, broker=0)
    run.act(append, leader=0, message="w")
    run.expect(acknowledged="a")
    run.act(restart, broker=1)
    run.act(learn, broker=1)
    run.act(ask_epoch_end, follower=1)
    run.act(catch_up, follower=1)
    run.expect(isr={0, 1}, leader=0, acknowledged="a w")
    assert run.holds(acknowledged_records_survive)
