"""High watermark, ISR and acknowledgements, as the documentation tells them for the ZooKeeper era."""

from kafkacheck.impl.enums import Acks
from kafkacheck.spec.cluster.properties import acknowledged_records_survive
from tests.scenarios.eras import KAFKA_0_10
from tests.scenarios.script import Script
from tests.scenarios.steps import (
    append,
    catch_up,
    confirm,
    crash,
    fetch,
    learn,
    notice_death,
    propose_with,
    propose_without,
    read,
    restart,
)


def test_the_high_watermark_moves_over_two_fetch_rounds():
    """A fetch brings the record; only the next one tells the leader that it arrived, and a third one the follower."""
    run = Script(brokers=2, rules=KAFKA_0_10)
    run.act(append, leader=0, message="a")
    run.expect(
        """
        0 leads e0: | a
        1 follows e0: |
        """,
        acknowledged="",
    )
    run.refuse(read)
    run.act(fetch, follower=1)
    run.expect(
        """
        0 leads e0: | a
        1 follows e0: | a
        """,
        acknowledged="",
    )
    run.act(fetch, follower=1)
    run.expect(
        """
        0 leads e0: a |
        1 follows e0: | a
        """,
        acknowledged="a",
    )
    run.act(read)
    run.act(fetch, follower=1)
    run.expect(
        """
        0 leads e0: a |
        1 follows e0: a |
        """,
        consumed="a",
    )


def test_the_high_watermark_is_that_of_the_slowest_member_of_the_isr():
    run = Script(brokers=3, rules=KAFKA_0_10)
    for message in "abc":
        run.act(append, leader=0, message=message)
    run.act(catch_up, follower=1)
    run.act(fetch, follower=2)
    run.act(fetch, follower=2)
    run.expect(
        """
        0 leads e0: a | b c
        1 follows e0: | a b c
        2 follows e0: | a b
        """,
        isr={0, 1, 2},
        acknowledged="a",
    )


def test_a_member_that_lags_leaves_the_isr_and_joins_it_again_when_it_has_caught_up():
    run = Script(brokers=3, rules=KAFKA_0_10)
    run.act(append, leader=0, message="a")
    run.act(catch_up, follower=1)
    run.expect(isr={0, 1, 2}, acknowledged="")

    run.act(propose_without, leader=0, follower=2)
    run.expect(isr={0, 1, 2}, acknowledged="")
    run.act(confirm, leader=0)
    run.expect(
        """
        0 leads e0: a |
        1 follows e0: | a
        2 follows e0: |
        """,
        isr={0, 1},
        acknowledged="a",
    )

    run.refuse(propose_with, leader=0, follower=2)
    run.act(fetch, follower=2)
    run.refuse(propose_with, leader=0, follower=2)
    run.act(fetch, follower=2)
    run.act(propose_with, leader=0, follower=2)
    run.act(append, leader=0, message="b")
    run.act(catch_up, follower=1)
    run.expect(isr={0, 1}, acknowledged="a")  # who is about to join is waited for
    run.act(confirm, leader=0)
    run.act(catch_up, follower=2)
    run.expect(isr={0, 1, 2}, acknowledged="a b")


def test_acks_1_loses_a_record_that_no_follower_had_yet():
    run = Script(brokers=2, rules=KAFKA_0_10._replace(acks=Acks.LEADER))
    run.act(append, leader=0, message="a")
    run.expect(acknowledged="a")
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.expect(
        """
        0 is down: a
        1 leads e1: |
        """
    )
    assert not run.holds(acknowledged_records_survive)

    run.act(restart, broker=0)
    run.act(learn, broker=0)
    run.expect(
        """
        0 follows e1: |
        1 leads e1: |
        """
    )


def test_acks_all_keeps_what_was_acknowledged():
    run = Script(brokers=2, rules=KAFKA_0_10)
    run.act(append, leader=0, message="a")
    run.act(catch_up, follower=1)
    run.expect(acknowledged="a")
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.expect(
        """
        0 is down: a
        1 leads e1: a |
        """
    )
    assert run.holds(acknowledged_records_survive)


def test_acks_all_duplicates_a_record_whose_leader_crashes_before_it_answers():
    """A follower has it already and leads; the producer was told nothing, and sends it again."""
    run = Script(brokers=3, rules=KAFKA_0_10)
    run.act(append, leader=0, message="a")
    run.act(fetch, follower=1)
    run.expect(acknowledged="")
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.act(learn, broker=2)
    run.act(append, leader=1, message="a")
    run.act(catch_up, follower=2)
    run.expect(
        """
        0 is down: a
        1 leads e1: a a@1 |
        2 follows e1: a a@1 |
        """,
        isr={1, 2},
        acknowledged="a",
    )


def test_acks_all_does_not_duplicate_it_where_a_follower_without_it_leads():
    """The leader is elected in the order of the ISR, not by the end of its log; longer logs are cut."""
    run = Script(brokers=3, rules=KAFKA_0_10)
    run.act(append, leader=0, message="a")
    run.act(fetch, follower=1)
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=2)
    run.act(learn, broker=2)
    run.act(learn, broker=1)
    run.expect(
        """
        0 is down: a
        1 follows e1: |
        2 leads e1: |
        """
    )
    run.act(append, leader=2, message="a")
    run.act(catch_up, follower=1)
    run.expect(
        """
        0 is down: a
        1 follows e1: a@1 |
        2 leads e1: a@1 |
        """,
        acknowledged="a",
    )
