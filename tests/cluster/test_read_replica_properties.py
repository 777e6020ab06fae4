"""What is seen of a consumer that is sent to a follower by mistake, or stays there; and what its liveness rests on."""

from copy import deepcopy

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.search import check
from kafkacheck.impl.broker.log_file import append_to_log
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.clients import (
    consumer_ends_lease,
    consumer_finds_replica_offline,
    consumer_is_refused,
    consumer_learns_leader,
    consumer_reads,
    consumer_reads_from_read_replica,
    consumer_validates_position,
)
from kafkacheck.model.cluster.controller import controller_fences_broker
from kafkacheck.model.cluster.environment import found_partition, start_in_sync
from kafkacheck.model.cluster.family import BOUNDS, CLUSTER
from kafkacheck.model.cluster.read_replica.base import MODEL
from kafkacheck.model.cluster.read_replica.unleased import MODEL as UNLEASED
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import read_replica as spec

LAYOUT = Layout(State, {**BOUNDS, "read_replicas": 1})
LEASED, FOR_GOOD = ClusterRules(), ClusterRules(read_replica_is_leased=False)


def reader(read_replica=NO_LEADER, high_watermarks=(1, 1)):
    """Two brokers with a record, and a consumer in their epoch that has read nothing."""
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
    for broker, high_watermark in zip(state.brokers, high_watermarks, strict=True):
        append_to_log(broker, LEASED, 0, 0)
        broker.high_watermark = high_watermark
    state.brokers[0].followers[1].end_offset = 1
    state.consumer.leader = state.consumer.leader_epoch = 0
    state.consumer.read_replica = read_replica
    return state


def changed(state, **fields):
    """A copy, with other fields of the consumer."""
    copy = deepcopy(state)
    for name, value in fields.items():
        setattr(copy.consumer, name, value)
    return copy


def read_by(state):
    """The consumer after it has read the record."""
    copy = changed(state, position=1)
    copy.consumer.records[0] = 0
    return copy


def test_a_consumer_that_is_sent_by_right_is_no_mistake():
    assert spec.read_replicas_are_in_sync(reader(), reader(1))
    assert spec.read_replicas_are_in_sync(reader(1), reader(1))
    assert spec.read_replicas_are_in_sync(reader(1), reader())


def test_a_consumer_that_is_sent_outside_the_isr_or_behind_itself_is_seen():
    before = reader()
    before.brokers[0].isr = Ids({0})
    assert not spec.read_replicas_are_in_sync(before, changed(before, read_replica=1))
    before = reader()
    before.brokers[0].followers[1].end_offset = -1
    assert not spec.read_replicas_are_in_sync(before, changed(before, read_replica=1))
    assert not spec.read_replicas_are_in_sync(reader(), reader(0)), "to the leader"


@pytest.mark.parametrize(("field", "value"), [("is_running", False), ("leader", 1), ("leader_epoch", 1)])
def test_a_consumer_that_is_sent_by_somebody_else_than_its_leader_is_seen(field, value):
    before = reader()
    setattr(before.brokers[0], field, value)
    assert not spec.read_replicas_are_in_sync(before, changed(before, read_replica=1))


def test_a_consumer_that_is_sent_on_by_a_follower_is_seen():
    assert not spec.read_replicas_are_in_sync(reader(0), reader(1))


def test_a_read_replica_that_outlives_its_epoch_is_seen():
    assert spec.read_replica_ends_with_epoch(reader(1), changed(reader(), leader_epoch=1))
    assert not spec.read_replica_ends_with_epoch(reader(1), changed(reader(1), leader_epoch=1))
    assert not spec.read_replica_ends_with_epoch(reader(1), changed(reader(1), must_validate=True))


@pytest.mark.parametrize(("read_replica", "source"), [(NO_LEADER, 0), (1, 1)])
def test_a_read_from_somebody_else_is_seen(read_replica, source):
    before = reader(read_replica)
    assert spec.reads_come_from_read_replica(before, before)
    assert spec.reads_come_from_read_replica(before, read_by(before))
    before.brokers[source].high_watermark = 0
    assert not spec.reads_come_from_read_replica(before, read_by(before)), "not committed there"
    before = changed(reader(read_replica), must_validate=True)
    assert not spec.reads_come_from_read_replica(before, read_by(before)), "it must validate"
    before = reader(read_replica)
    before.brokers[source].log.records[0].id = -1
    assert not spec.reads_come_from_read_replica(before, read_by(before)), "another record"


def test_a_read_replica_that_is_given_up_without_a_reason_is_seen():
    before = reader(1)
    assert spec.read_replica_is_kept(before, reader(), LEASED)
    assert spec.read_replica_is_kept(before, changed(reader(), leader_epoch=1), FOR_GOOD)
    assert not spec.read_replica_is_kept(before, reader(), FOR_GOOD)
    before.controller.history[0].active = Ids({0})
    assert spec.read_replica_is_kept(before, reader(), FOR_GOOD)
    before = reader(1)
    before.brokers[1].is_running = False
    assert spec.read_replica_is_kept(before, reader(), FOR_GOOD)


def test_what_is_waited_for_and_what_is_not():
    assert spec.has_more_to_read(reader())
    assert not spec.has_more_to_read(reader(high_watermarks=(0, 0)))
    assert not spec.has_more_to_read(changed(reader(), is_truncated=True))
    assert not spec.has_read_on(reader())
    assert spec.has_read_on(reader(high_watermarks=(1, 0))), "a member of the ISR is yet to hear of it"
    lags_outside = reader(high_watermarks=(1, 0))
    lags_outside.brokers[0].isr = Ids({0})
    assert not spec.has_read_on(lags_outside)
    assert spec.waits_at_follower(reader(1, high_watermarks=(1, 0)))
    assert spec.reads_from_follower(reader(1))


def judged(model, pairs, weakly_fair, strongly_fair=()):
    """Whether the model meets these liveness properties with this fairness alone."""
    again = CLUSTER.model(
        name=model.name,
        initial=start_in_sync,
        bounds=model.bounds,
        rules=model.rules,
        actions=[action.function for action in model.actions],
        leads_to=pairs,
        weakly_fair=list(weakly_fair),
        strongly_fair=list(strongly_fair),
    )
    return check(again).verdict is Verdict.HOLDS


READS_ON = [(spec.has_more_to_read, spec.has_read_on)]
GIVES_UP = [(spec.read_replica_refuses, spec.read_replica_is_given_up)]


FAIR = [consumer_validates_position, consumer_reads, consumer_ends_lease]
TWO_RECORDS = MODEL.with_bounds({"log_size": 2, "max_records": 2, "crashes": 0})


@pytest.mark.slow
@pytest.mark.long
def test_each_fairness_is_needed_to_read_on():
    """With two records, as without a second one there is nothing to read once a position must be validated."""
    assert judged(TWO_RECORDS, READS_ON, FAIR, [consumer_reads_from_read_replica])
    assert not judged(TWO_RECORDS, READS_ON, FAIR[1:], [consumer_reads_from_read_replica])
    assert not judged(MODEL, READS_ON, [consumer_reads], [consumer_reads_from_read_replica])
    assert not judged(MODEL, READS_ON, [consumer_ends_lease], [consumer_reads_from_read_replica])
    assert not judged(MODEL, READS_ON, [*FAIR, consumer_reads_from_read_replica]), "weakly fair"


@pytest.mark.slow
def test_before_kafka_14379_news_of_the_follower_was_needed():
    """Once its metadata had the follower offline, or a new leader epoch, the consumer gave it up by that rule, too."""
    before = UNLEASED.with_rules({"error_ends_read_replica": False})
    news = [consumer_learns_leader, controller_fences_broker, broker_replays_metadata, consumer_finds_replica_offline]
    assert not judged(before, GIVES_UP, [consumer_is_refused])
    assert judged(before, GIVES_UP, [consumer_is_refused, *news])
