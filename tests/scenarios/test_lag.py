"""`replica.lag.max.messages=4` throws a healthy follower out at every burst; `replica.lag.time.max.ms` does not."""

import itertools

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.search import check
from kafkacheck.impl.broker.lag import FetchProgress, LagRules, is_out_of_sync
from kafkacheck.impl.enums import LagRule
from kafkacheck.model.replica_lag.base import MODEL
from kafkacheck.model.replica_lag.environment import clock_ticks, follower_dies, producer_bursts, start_in_sync
from kafkacheck.model.replica_lag.system import State, follower_fetches, leader_drops_lagging

LAYOUT = Layout(State, {"max_messages": 60, "max_time": 60})
LIMITS = LAYOUT.bounds.as_tuple()
MESSAGES = LagRules(rule=LagRule.MAX_MESSAGES, most_messages=4)
TIME = LagRules(rule=LagRule.MAX_TIME)


class Partition:
    """A leader with one follower under one rule; `history` is what became of the ISR."""

    def __init__(self, rules):
        self.state, self.rules, self.history = LAYOUT.blank(), rules, ""
        start_in_sync(self.state)

    def burst(self, messages):
        assert producer_bursts(self.state, LIMITS, messages)
        self.look()

    def tick(self):
        """Time passes; the follower fetches if it lives."""
        was_in_sync = self.state.is_in_sync
        if follower_fetches(self.state) and self.state.is_in_sync and not was_in_sync:
            self.history += "joins "
        self.look()
        assert clock_ticks(self.state, LIMITS)

    def look(self):
        """The leader looks for members that lag."""
        if leader_drops_lagging(self.state, self.rules):
            self.history += "leaves "


@pytest.mark.parametrize(
    ("rules", "history"), [(MESSAGES, "leaves joins leaves joins leaves joins "), (TIME, "")], ids=["messages", "time"]
)
def test_bursts_make_the_isr_flap_by_messages_and_not_by_time(rules, history):
    partition = Partition(rules)
    for _ in range(3):
        partition.burst(5)
        for _ in range(3):
            partition.tick()
    assert partition.history == history


@pytest.mark.parametrize("rules", [MESSAGES, TIME], ids=["messages", "time"])
def test_a_few_messages_at_a_time_harm_nobody(rules):
    partition = Partition(rules)
    for _ in range(6):
        partition.burst(4)
        partition.tick()
        partition.tick()
    assert partition.history == ""


@pytest.mark.parametrize("rules", [MESSAGES, TIME], ids=["messages", "time"])
def test_a_busy_leader_keeps_a_follower_that_is_always_a_little_behind(rules):
    """It never fetches from the leader's end, but from where that was at its last fetch."""
    partition = Partition(rules)
    for _ in range(6):
        partition.burst(2)
        partition.tick()
    assert partition.history == ""


@pytest.mark.parametrize("rules", [MESSAGES, TIME], ids=["messages", "time"])
def test_a_dead_follower_leaves_however_few_messages_come(rules):
    partition = Partition(rules)
    partition.tick()
    assert follower_dies(partition.state)
    partition.burst(1)
    assert partition.history == ""
    for _ in range(4):
        partition.tick()
    assert partition.history == "leaves "


@pytest.mark.parametrize("rules", [MESSAGES, TIME], ids=["messages", "time"])
def test_a_dead_follower_stays_while_it_lacks_nothing(rules):
    partition = Partition(rules)
    assert follower_dies(partition.state)
    for _ in range(6):
        partition.tick()
    assert partition.history == ""


def test_a_lag_time_of_one_tick_is_too_short():
    """A fetch tells what the follower had before it, so a message is known to be there only two fetches later."""
    verdicts = [check(MODEL.with_rules({"longest_time": ticks}), engine="interpreted").verdict for ticks in (1, 2)]
    assert verdicts == [Verdict.VIOLATED, Verdict.HOLDS]


def test_the_cluster_lets_each_follower_lag_whom_either_rule_finds():
    """`leader_proposes_shrink` asks only whether the follower is at the leader's end: it covers both rules."""
    progress = LAYOUT.blank().progress
    assert isinstance(progress, FetchProgress)
    found = 0
    for end, leader_end, now, *times in itertools.product(range(4), range(4), range(4), range(3), range(3)):
        progress.end_offset, progress.last_caught_up_time, progress.last_fetch_time = end, *times
        for rules in (MESSAGES._replace(most_messages=1), TIME):
            if is_out_of_sync(progress, rules, leader_end, now):
                found += 1
                assert end != leader_end
    assert found > 100
