"""The leader-epoch file on its way to the disk: what a power loss leaves of it."""

import pytest

from checker.layout import Layout
from impl.broker.epoch_file import assign_epoch, broker_writes_epoch_file
from impl.broker.log_file import append_to_log, truncate_log
from impl.broker.recovery import lose_unflushed, recover_log, stop_process
from impl.cluster import State
from impl.constants import NO_OFFSET
from impl.rules import ClusterRules
from model.cluster import BOUNDS
from model.environment import found_partition

LAYOUT = Layout(State, {**BOUNDS, "epoch_files": 1, "log_size": 2, "max_records": 2})
RULES = ClusterRules()


def starts(broker):
    return {epoch: start for epoch, start in enumerate(broker.epoch_starts) if start != NO_OFFSET}


def with_truncated_epoch(rules):
    """Broker 1 has begun epoch 1 behind a record of epoch 0, which is flushed, and has cut epoch 1 since."""
    state = LAYOUT.blank()
    found_partition(state, 0b11, 0b11)
    broker = state.brokers[1]
    append_to_log(broker, rules, 0, 0)
    broker.flushed_offset = 1
    assign_epoch(broker, 1, 1)
    truncate_log(broker, rules, 1)
    assert starts(broker) == {0: 0}
    return state


def epochs_after_power_loss(state, rules):
    broker = state.brokers[1]
    stop_process(state, 1)
    lose_unflushed(broker, broker.log.end_offset)
    recover_log(broker, rules)
    return starts(broker)


@pytest.mark.parametrize(("is_forced", "found"), [(True, {0: 0}), (False, {})])
def test_a_power_loss_empties_an_epoch_file_that_was_not_forced(is_forced, found):
    """KAFKA-16541."""
    rules = RULES._replace(epoch_file_is_forced=is_forced)
    assert epochs_after_power_loss(with_truncated_epoch(rules), rules) == found


@pytest.mark.parametrize(("is_newest", "found"), [(True, {0: 0, 2: 1}), (False, {0: 0})])
def test_a_background_write_takes_no_newer_epoch_back(is_newest, found):
    """KAFKA-17142."""
    rules = RULES._replace(late_write_is_newest=is_newest, append_awaits_epoch_file=False)
    state = with_truncated_epoch(rules)
    append_to_log(state.brokers[1], rules, 1, 2)
    state.brokers[1].flushed_offset = 2
    assert broker_writes_epoch_file(state, rules, 1)
    assert not broker_writes_epoch_file(state, rules, 1), "nothing is under way"
    assert epochs_after_power_loss(state, rules) == found


@pytest.mark.parametrize(("is_awaited", "found"), [(True, {0: 0}), (False, {0: 0, 1: 1})])
def test_a_truncated_epoch_comes_back_if_an_append_does_not_wait_for_the_file(is_awaited, found):
    rules = RULES._replace(append_awaits_epoch_file=is_awaited)
    state = with_truncated_epoch(rules)
    append_to_log(state.brokers[1], rules, 1, 0)
    assert epochs_after_power_loss(state, rules) == found
