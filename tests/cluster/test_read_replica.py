"""Whom a leader sends a consumer to, and when the consumer turns back to its leader (KIP-392)."""

from copy import deepcopy

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.leader import forget_followers
from kafkacheck.impl.broker.log_file import append_to_log
from kafkacheck.impl.controller.elections import elect_preferred
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER, NO_OFFSET, NO_RECORD
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.clients import (
    consumer_ends_lease,
    consumer_finds_replica_offline,
    consumer_is_refused,
    consumer_learns_leader,
    consumer_reads,
    consumer_reads_from_read_replica,
    leader_names_read_replica,
)
from kafkacheck.model.cluster.environment import found_partition
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.replication import leader_appends
from kafkacheck.model.cluster.system import State

SIZES = {"replicas": 3, "log_size": 2, "max_records": 2, "max_log_start": 2, "read_replicas": 1}
LAYOUT = Layout(State, {**BOUNDS, **SIZES})
RULES = ClusterRules()


def cluster(isr=Ids({0, 1, 2}), position=0, known=(0, 1, 1)):
    """Three brokers with a record, which broker 0 has committed and sees its followers at `known`; a consumer of it."""
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1, 2}), isr)
    assert leader_appends(state, RULES, 0)
    state.brokers[0].high_watermark = 1
    for follower_id in (1, 2):
        state.brokers[0].followers[follower_id].end_offset = known[follower_id]
        append_to_log(state.brokers[follower_id], RULES, 0, 0)
    assert consumer_learns_leader(state, RULES, 0)
    state.consumer.position = position
    return state


def reader_of(follower_id, **settings):
    """The same, with the consumer sent to a follower."""
    state = cluster(**settings)
    assert leader_names_read_replica(state, RULES, follower_id)
    return state


def named(state, rules=RULES):
    """Whom the broker asked may name."""
    found = []
    for follower_id in range(3):
        copy = deepcopy(state)
        if leader_names_read_replica(copy, rules, follower_id):
            assert copy.consumer.read_replica == follower_id
            found.append(follower_id)
    return found


def test_a_leader_names_any_follower_in_the_isr():
    assert named(cluster()) == [1, 2]
    assert named(cluster(isr=Ids({0, 1}))) == [1]
    assert named(cluster(isr=Ids({0, 1})), RULES._replace(read_replica_is_in_sync=False)) == [1, 2], (
        "before KAFKA-14372"
    )


def test_a_leader_names_nobody_who_is_behind_the_consumer():
    assert named(cluster(position=1, known=(0, 0, 1))) == [2]
    assert named(cluster(known=(0, -1, 0))) == [2], "who has not fetched in this epoch is not known"


def test_only_who_leads_in_the_consumers_epoch_names_anybody():
    state = cluster()
    state.brokers[0].leader_epoch = 1
    assert named(state) == []
    state = cluster()
    state.consumer.must_validate = True
    assert named(state) == []


def test_a_former_leader_names_a_follower_by_the_rule_before_kafka_13778():
    """Where it knows no ISR it could name nobody by the rule that came later (KAFKA-14372)."""
    state = reader_of(1)
    state.brokers[1].followers[2].end_offset = 0
    assert named(state) == []
    before = RULES._replace(only_leader_names_read_replica=False)
    assert named(state, before) == []
    assert named(state, before._replace(read_replica_is_in_sync=False)) == [2]
    forget_followers(state.brokers[1])
    assert named(state, before._replace(read_replica_is_in_sync=False)) == []


def known_after_moves(rules, *leaders):
    """What broker 0, which led, knows of broker 1 once these have led after it."""
    state = cluster()
    for leader in leaders:
        assert elect_preferred(state.controller, rules, leader)
        assert broker_replays_metadata(state, rules, 0)
    return state.brokers[0].followers[1].end_offset


def test_what_a_leader_knew_of_its_followers_is_forgotten_with_its_epoch_or_by_the_old_rule_when_it_leads_again():
    before = RULES._replace(only_leader_names_read_replica=False)
    assert known_after_moves(RULES, 2) == NO_OFFSET
    assert known_after_moves(before, 2) == 1
    assert known_after_moves(before, 2, 0) == NO_OFFSET


def test_a_consumer_reads_from_its_read_replica_alone():
    state = reader_of(1)
    assert not consumer_reads(state, RULES), "the leader has the record"
    assert not consumer_reads_from_read_replica(state, RULES), "the follower does not know that it is committed"
    assert not consumer_is_refused(state, RULES), "it answers without records"
    state.brokers[1].high_watermark = 1
    assert consumer_reads_from_read_replica(state, RULES)
    assert (state.consumer.position, state.consumer.records[0], state.consumer.read_replica) == (1, 0, 1)
    assert not consumer_reads_from_read_replica(state, RULES)


def test_who_has_no_read_replica_neither_reads_from_one_nor_gives_one_up():
    state = cluster()
    assert not consumer_reads_from_read_replica(state, RULES)
    assert not consumer_is_refused(state, RULES)
    assert not consumer_ends_lease(state, RULES)
    assert not consumer_finds_replica_offline(state, 0)
    assert state.consumer.records[0] == NO_RECORD


def stop(state):
    state.brokers[1].is_running = False


def forget_partition(state):
    state.brokers[1].leader, state.brokers[1].leader_epoch = NO_LEADER, NO_EPOCH


def begin_epoch(state):
    state.brokers[1].leader_epoch = 1


@pytest.mark.parametrize("fails", [stop, forget_partition, begin_epoch])
def test_after_an_error_the_consumer_goes_back_to_its_leader(fails):
    state = reader_of(1)
    fails(state)
    assert not consumer_is_refused(state, RULES._replace(error_ends_read_replica=False)), "before KAFKA-14379"
    assert state.consumer.read_replica == 1
    assert consumer_is_refused(state, RULES)
    assert state.consumer.read_replica == NO_LEADER
    assert consumer_reads(state, RULES)


def test_after_unknown_leader_epoch_the_consumer_asks_the_same_follower_again():
    state = reader_of(1)
    state.consumer.leader_epoch = state.brokers[0].leader_epoch = 1
    state.brokers[1].high_watermark = 1
    state.consumer.position = 2
    assert not consumer_is_refused(state, RULES)
    assert not consumer_reads_from_read_replica(state, RULES)


@pytest.mark.parametrize(
    ("position", "start", "is_outside"), [(0, 0, False), (1, 0, False), (2, 0, True), (0, 1, True)]
)
def test_out_of_range_is_a_position_above_the_log_or_below_its_start(position, start, is_outside):
    state = reader_of(1)
    state.consumer.position = position
    state.brokers[1].log_start_offset = start
    assert not consumer_is_refused(state, RULES._replace(out_of_range_ends_read_replica=False))
    assert consumer_is_refused(state, RULES) is is_outside
    assert (state.consumer.read_replica == NO_LEADER) is is_outside
    assert state.consumer.position == position, "what is outside a follower's log need not be outside the leader's"


def test_a_lease_ends():
    state = reader_of(1)
    assert not consumer_ends_lease(state, RULES._replace(read_replica_is_leased=False))
    assert consumer_ends_lease(state, RULES)
    assert state.consumer.read_replica == NO_LEADER


@pytest.mark.parametrize("part", ["active", "replicas"])
def test_metadata_in_which_the_read_replica_is_offline_or_not_assigned_ends_it(part):
    state = reader_of(1)
    assert not consumer_finds_replica_offline(state, 2)
    setattr(state.controller.history[0], part, Ids({0, 2}))
    state.brokers[2].is_running = False
    assert not consumer_finds_replica_offline(state, 2), "it does not run"
    state.brokers[2].is_running = True
    assert consumer_finds_replica_offline(state, 2)
    assert state.consumer.read_replica == NO_LEADER


def test_a_new_leader_epoch_ends_it():
    state = reader_of(1)
    state.brokers[2].leader_epoch = 1
    assert consumer_learns_leader(state, RULES, 2)
    assert state.consumer.read_replica == NO_LEADER
