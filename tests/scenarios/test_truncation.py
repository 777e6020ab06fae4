"""Truncating to the high watermark loses a record, and lets replicas diverge; leader epochs repair both (KIP-101)."""

import pytest

from kafkacheck.impl.broker.epoch_file import end_offset_of_epoch, epoch_with_end
from kafkacheck.impl.broker.log_file import append_to_log
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.spec.cluster.properties import acknowledged_records_survive, logs_agree_below_high_watermark
from tests.scenarios.eras import KAFKA_0_10, KAFKA_0_11, KAFKA_2_0
from tests.scenarios.script import Script, epoch_file
from tests.scenarios.steps import (
    append,
    ask_epoch_end,
    catch_up,
    checkpoint,
    crash,
    fetch,
    flush,
    learn,
    lose_power,
    notice_death,
    propose_with,
    restart,
)

BY_EPOCH = [KAFKA_0_11, KAFKA_2_0]


def follower_one_round_behind(rules: ClusterRules) -> Script:
    """Two messages are acknowledged, and the follower knows so of the first only."""
    run = Script(brokers=2, rules=rules)
    run.act(append, leader=0, message="a")
    run.act(catch_up, follower=1)
    run.act(flush, broker=1)
    run.act(checkpoint, broker=0)
    run.act(checkpoint, broker=1)
    run.act(append, leader=0, message="b")
    run.act(fetch, follower=1)
    run.act(fetch, follower=1)
    run.expect(
        """
        0 leads e0: a b |
        1 follows e0: a | b
        """,
        acknowledged="a b",
    )
    return run


def test_truncation_to_the_high_watermark_loses_a_record():
    """KIP-101, scenario 1: the follower restarts and truncates, and leads before it could fetch the record again."""
    run = follower_one_round_behind(KAFKA_0_10)
    run.act(crash, broker=1)
    run.act(restart, broker=1)
    run.act(learn, broker=1)
    run.expect(
        """
        0 leads e0: a b |
        1 follows e0: a |
        """
    )
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.act(restart, broker=0)
    run.act(learn, broker=0)
    run.act(catch_up, follower=0)
    run.expect(
        """
        0 follows e1: a |
        1 leads e1: a |
        """,
        acknowledged="a b",
    )
    assert not run.holds(acknowledged_records_survive)


@pytest.mark.parametrize("rules", BY_EPOCH)
def test_with_leader_epochs_the_record_survives(rules):
    """The follower asks before it truncates. Its leader is gone before it answers; so it leads with both records."""
    run = follower_one_round_behind(rules)
    run.act(crash, broker=1)
    run.act(restart, broker=1)
    run.act(learn, broker=1)
    run.refuse(fetch, follower=1)
    run.act(crash, broker=0)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(learn, broker=1)
    run.act(restart, broker=0)
    run.act(learn, broker=0)
    run.expect(
        """
        0 follows e1: a | b
        1 leads e1: a b |
        """,
        epochs={0: {0: 0}, 1: {0: 0, 1: 2}},
    )
    run.act(ask_epoch_end, follower=0)
    run.act(catch_up, follower=0)
    run.expect(
        """
        0 follows e1: a b |
        1 leads e1: a b |
        """,
        acknowledged="a b",
    )
    assert run.holds(acknowledged_records_survive)


@pytest.mark.parametrize("rules", BY_EPOCH)
def test_a_leader_that_lives_to_answer_saves_the_record_as_well(rules):
    """The follower's latest epoch is the leader's, so the answer is the leader's log end, and nothing is cut."""
    run = follower_one_round_behind(rules)
    run.act(crash, broker=1)
    run.act(restart, broker=1)
    run.act(learn, broker=1)
    run.act(ask_epoch_end, follower=1)
    run.expect(
        """
        0 leads e0: a b |
        1 follows e0: a | b
        """
    )


def both_lose_power(rules: ClusterRules) -> Script:
    """The follower loses a record that it never flushed, comes back first, leads, and takes another in its place."""
    run = follower_one_round_behind(rules)
    run.act(flush, broker=0)
    run.act(checkpoint, broker=0)
    run.act(lose_power, broker=1, keeps=1)
    run.act(lose_power, broker=0, keeps=2)
    run.act(notice_death, broker=0, new_leader=1)
    run.act(restart, broker=1)
    run.act(learn, broker=1)
    run.act(append, leader=1, message="c")
    run.act(restart, broker=0)
    run.act(learn, broker=0)
    return run


def test_truncation_to_the_high_watermark_lets_the_replicas_diverge():
    """KIP-101, scenario 2: both high watermarks are 2, so nothing is cut, and each has another record at offset 1."""
    run = both_lose_power(KAFKA_0_10)
    run.act(catch_up, follower=0)
    run.expect(
        """
        0 follows e1: a b |
        1 leads e1: a c@1 |
        """
    )
    assert not run.holds(logs_agree_below_high_watermark)
    run.act(propose_with, leader=1, follower=0)


@pytest.mark.parametrize("rules", BY_EPOCH)
def test_with_leader_epochs_the_replicas_agree_again(rules):
    """Epoch 0 ends at offset 1 on the leader. What was acknowledged is lost all the same: each member lost power."""
    run = both_lose_power(rules)
    run.expect(
        """
        0 follows e1: a b |
        1 leads e1: a c@1 |
        """,
        epochs={0: {0: 0}, 1: {0: 0, 1: 1}},
    )
    run.act(ask_epoch_end, follower=0)
    run.expect(
        """
        0 follows e1: a |
        1 leads e1: a c@1 |
        """
    )
    run.act(catch_up, follower=0)
    run.expect(
        """
        0 follows e1: a c@1 |
        1 leads e1: a c@1 |
        """,
        acknowledged="a b c",
    )
    assert run.holds(logs_agree_below_high_watermark)


def test_the_leader_epoch_file_and_its_answers():
    """`0 0`, `1 300`, `2 500`: the answer is the start of the next epoch, or the log's end for the newest one."""
    run = Script(brokers=1, rules=BY_EPOCH[0], messages=1, log_size=600)
    broker = run.state.brokers[0]
    for epoch, end in ((0, 300), (1, 500), (2, 600)):
        for _ in range(broker.log.end_offset, end):
            append_to_log(broker, BY_EPOCH[0], 0, epoch)
    assert epoch_file(broker) == {0: 0, 1: 300, 2: 500}
    assert [end_offset_of_epoch(broker, epoch) for epoch in (0, 1, 2)] == [300, 500, 600]
    assert end_offset_of_epoch(broker, 3) == NO_OFFSET, "the leader has not heard of this epoch"
    assert end_offset_of_epoch(broker, NO_EPOCH) == NO_OFFSET


def test_an_epoch_that_the_leader_never_had_is_answered_with_the_one_before():
    """KIP-101 answers with an offset alone, KIP-279 with the epoch that ends there, too."""
    run = Script(brokers=1, rules=BY_EPOCH[0], messages=1, log_size=600)
    broker = run.state.brokers[0]
    for epoch, end in ((0, 300), (2, 600)):
        for _ in range(broker.log.end_offset, end):
            append_to_log(broker, BY_EPOCH[0], 0, epoch)
    assert end_offset_of_epoch(broker, 1) == 300
    assert [epoch_with_end(broker, rules, 1) for rules in BY_EPOCH] == [1, 0]
