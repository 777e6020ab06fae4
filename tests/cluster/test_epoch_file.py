"""The leader-epoch file on its way to the disk: what a power loss leaves of it."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.epoch_file import assign_epoch
from kafkacheck.impl.broker.log_file import append_to_log, truncate_log
from kafkacheck.impl.broker.recovery import lose_unflushed, recover_log
from kafkacheck.impl.controller.elections import elect_preferred
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata, broker_starts, broker_writes_epoch_file
from kafkacheck.model.cluster.controller import (
    controller_alters_partition,
    controller_fences_broker,
    controller_unfences_broker,
)
from kafkacheck.model.cluster.environment import found_partition
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.replication import (
    follower_sends_fetch,
    follower_uses_fetch,
    leader_answers_fetch,
    leader_appends,
    leader_learns_of_change,
    leader_proposes_shrink,
)
from kafkacheck.model.cluster.system import State, stop_process
from kafkacheck.spec.cluster.properties import logs_agree_below_high_watermark

LAYOUT = Layout(State, {**BOUNDS, "epoch_files": 1, "log_size": 2, "max_records": 2})
LIMITS = LAYOUT.bounds.as_tuple()
RULES = ClusterRules()


def starts(broker):
    return {epoch: start for epoch, start in enumerate(broker.epoch_starts) if start != NO_OFFSET}


def with_truncated_epoch(rules):
    """Broker 1 has begun epoch 1 behind a record of epoch 0, which is flushed, and has cut epoch 1 since."""
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
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
    rules = RULES._replace(late_write_is_newest=is_newest)
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


def fetch_once(state, rules, follower_id):
    assert follower_sends_fetch(state, rules, LIMITS, follower_id)
    assert leader_answers_fetch(state, rules, LIMITS, follower_id)
    assert follower_uses_fetch(state, rules, follower_id)


def replay(state, rules, broker_id):
    while broker_replays_metadata(state, rules, broker_id):
        pass


def parted(rules):
    """Broker 1 has the record of broker 0 in place of one that it has led with, and broker 2 the latter; 2 is out."""
    sizes = {"replicas": 3, "epoch_files": 1, "log_size": 2, "max_records": 3}
    state = Layout(State, {**BOUNDS, **sizes, "max_leader_epoch": 6, "max_metadata_offset": 9}).blank()
    found_partition(state, Ids({0, 1, 2}), Ids({0, 1, 2}))
    assert leader_appends(state, rules, 0)
    fetch_once(state, rules, 1)
    fetch_once(state, rules, 2)
    assert leader_appends(state, rules, 0)
    assert elect_preferred(state.controller, rules, 1)
    replay(state, rules, 1)
    assert leader_appends(state, rules, 1)
    replay(state, rules, 2)
    fetch_once(state, rules, 2)
    assert elect_preferred(state.controller, rules, 0)
    replay(state, rules, 0)
    replay(state, rules, 1)
    for _ in range(2):
        fetch_once(state, rules, 1)
    assert leader_proposes_shrink(state, rules, 0, 2)
    assert controller_alters_partition(state, rules, LIMITS, 0) and leader_learns_of_change(state, rules, 0)
    fetch_once(state, rules, 1)
    assert state.brokers[0].high_watermark == 2
    return state


@pytest.mark.parametrize("is_awaited", [True, False])
def test_a_committed_record_is_replaced_behind_a_leader_whose_truncated_epoch_came_back(is_awaited):
    rules = RULES._replace(append_awaits_epoch_file=is_awaited)
    state = parted(rules)
    stop_process(state, 0)
    assert controller_fences_broker(state, rules, 0, 1)
    stop_process(state, 1)
    lose_unflushed(state.brokers[1], 2)
    assert controller_fences_broker(state, rules, 1, NO_LEADER)
    assert broker_starts(state, rules, LIMITS, 1)
    replay(state, rules, 1)
    assert controller_unfences_broker(state, rules, LIMITS, 1)
    replay(state, rules, 1)
    replay(state, rules, 2)
    for _ in range(3):
        fetch_once(state, rules, 2)
    assert state.brokers[2].high_watermark == 2
    assert logs_agree_below_high_watermark(state) is is_awaited
