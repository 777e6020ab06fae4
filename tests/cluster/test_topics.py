"""A topic is deleted and one of the same name created: what the controller and brokers do, rule by rule, and what of
the old topic has no effect on the new one.
"""

import pytest

from kafkacheck.checker.model.charges import charged
from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.isr import propose_isr
from kafkacheck.impl.controller.reassignment import begin_reassignment
from kafkacheck.impl.enums import AlterPartitionError, Propagation, Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import (
    broker_obeys_leader_and_isr,
    broker_obeys_new_controller,
    broker_obeys_stop_replica,
    broker_replays_metadata,
    broker_starts,
)
from kafkacheck.model.cluster.clients import consumer_learns_leader
from kafkacheck.model.cluster.controller import (
    controller_alters_partition,
    controller_creates_partition,
    controller_elects_first_leader,
    controller_elects_uncleanly,
    controller_ends_deletion,
    controller_fences_broker,
    controller_resumes_deletion,
    zombie_ends_deletion,
)
from kafkacheck.model.cluster.environment import controller_is_replaced, process_crashes, start_in_sync
from kafkacheck.model.cluster.environment import topic_deletion_is_asked as free_topic_deletion_is_asked
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.replication import (
    follower_sends_fetch,
    follower_uses_fetch,
    leader_answers_fetch,
    leader_appends,
)
from kafkacheck.model.cluster.system import State
from tests.cluster.test_controller import now

topic_deletion_is_asked = charged(free_topic_deletion_is_asked, "deletions")

SIZES = {
    "max_records": 3,
    "log_size": 2,
    "max_leader_epoch": 5,
    "max_metadata_offset": 9,
    "crashes": 2,
    "deletions": 2,
    "failovers": 1,
    "max_controller_epoch": 1,
}
LAYOUT = Layout(State, {**BOUNDS, **SIZES})
LIMITS = LAYOUT.bounds.as_tuple()
KRAFT = ClusterRules()
ZOOKEEPER = ClusterRules(propagation=Propagation.LEADER_AND_ISR)


def cluster(records=0):
    """Two brokers that have a topic with some records, all of them fetched by the follower."""
    state = LAYOUT.blank()
    assert start_in_sync(state)
    for _ in range(records):
        assert leader_appends(state, KRAFT, 0)
        fetch(state, KRAFT)
    return state


def fetch(state, rules):
    """Broker 1 fetches from its leader."""
    assert follower_sends_fetch(state, rules, LIMITS, 1)
    assert leader_answers_fetch(state, rules, LIMITS, 1)
    assert follower_uses_fetch(state, rules, 1)


def replay(state, rules, *broker_ids):
    for broker_id in broker_ids:
        while broker_replays_metadata(state, rules, broker_id):
            pass


def create_anew(state, rules, *broker_ids):
    """Delete the topic, create it anew with broker 0 as leader, and let some brokers hear of both (KRaft)."""
    assert topic_deletion_is_asked(state, rules)
    assert controller_creates_partition(state, rules, 0)
    replay(state, rules, *broker_ids)


def test_a_topic_of_the_kraft_era_is_gone_at_once_and_the_next_one_begins_anew():
    state = cluster(records=1)
    assert not controller_creates_partition(state, KRAFT, 0), "there is one"
    assert topic_deletion_is_asked(state, KRAFT)
    assert (now(state).replicas, now(state).leader, now(state).topic_id) == (set(), NO_LEADER, 1)
    assert not topic_deletion_is_asked(state, KRAFT), "there is none"
    assert not controller_ends_deletion(state)
    assert controller_creates_partition(state, KRAFT, 0)
    assert (now(state).leader_epoch, now(state).partition_epoch, now(state).isr) == (0, 0, {0, 1})
    replay(state, KRAFT, 0, 1)
    for broker in state.brokers:
        assert (broker.topic_id, broker.log.end_offset, broker.high_watermark, broker.leader) == (1, 0, 0, 0)


def test_deletions_are_charged():
    state = cluster()
    state.budget.deletions = 0
    assert not topic_deletion_is_asked(state, KRAFT)


def test_a_topic_of_the_zookeeper_era_is_gone_when_every_broker_has_deleted_its_replica():
    state = cluster(records=1)
    assert topic_deletion_is_asked(state, ZOOKEEPER)
    assert (now(state).is_deleting, now(state).leader, now(state).replicas) == (1, NO_LEADER, {0, 1})
    assert not topic_deletion_is_asked(state, ZOOKEEPER), "it is queued"
    assert not broker_obeys_leader_and_isr(state, ZOOKEEPER, 0, 1), "nothing is sent of it"
    assert broker_obeys_stop_replica(state, ZOOKEEPER, 0, 1)
    assert not broker_obeys_stop_replica(state, ZOOKEEPER, 0, 1), "it has been obeyed"
    assert not controller_ends_deletion(state), "broker 1 has its replica"
    assert broker_obeys_stop_replica(state, ZOOKEEPER, 1, 1)
    assert controller_ends_deletion(state)
    assert (now(state).replicas, now(state).topic_id, now(state).is_deleting) == (set(), 1, 0)
    assert not broker_obeys_stop_replica(state, ZOOKEEPER, 1, 2), "nobody is asked once it is gone"


def test_a_broker_without_a_replica_answers_before_the_topic_is_gone():
    state = cluster()
    state.brokers[1].has_log = False
    assert topic_deletion_is_asked(state, ZOOKEEPER)
    assert broker_obeys_stop_replica(state, ZOOKEEPER, 0, 1)
    assert not controller_ends_deletion(state), "broker 1 may still be told to become a follower"
    assert broker_obeys_stop_replica(state, ZOOKEEPER, 1, 1)
    assert controller_ends_deletion(state)


def test_a_broker_that_is_down_makes_the_deletion_wait_and_is_asked_again():
    state = cluster(records=1)
    assert process_crashes(state, 1)
    assert topic_deletion_is_asked(state, ZOOKEEPER)
    assert broker_obeys_stop_replica(state, ZOOKEEPER, 0, 1)
    assert controller_fences_broker(state, ZOOKEEPER, 1, NO_LEADER)
    assert not controller_ends_deletion(state)
    assert broker_starts(state, ZOOKEEPER, LIMITS, 1)
    assert now(state).leader == NO_LEADER, "nobody is elected any more"
    assert not controller_elects_uncleanly(state, ZOOKEEPER._replace(unclean_election=True), 1)
    assert not broker_obeys_stop_replica(state, ZOOKEEPER, 1, 1), "that one was for the broker before"
    assert broker_obeys_stop_replica(state, ZOOKEEPER, 1, state.controller.offset)
    assert controller_ends_deletion(state)


def test_a_new_partition_that_is_to_be_deleted_gets_no_first_leader():
    state = LAYOUT.blank()
    for broker in state.brokers:
        broker.is_running = True
    state.controller.history[0].active = Ids({0, 1})
    assert controller_creates_partition(state, ZOOKEEPER, NO_LEADER)
    assert topic_deletion_is_asked(state, ZOOKEEPER)
    assert not controller_elects_first_leader(state, ZOOKEEPER, 0)
    assert not controller_elects_uncleanly(state, ZOOKEEPER._replace(unclean_election=True), 0)
    assert now(state).leader_epoch == 0, "it never had a leader"
    for broker_id in range(2):
        rules = ZOOKEEPER._replace(unled_replica_is_deleted=False)
        assert not broker_obeys_stop_replica(state, rules, broker_id, 2), "by the old rule nobody is asked"
        assert broker_obeys_stop_replica(state, ZOOKEEPER, broker_id, 2)
    assert controller_ends_deletion(state)


def test_a_new_partition_gets_its_first_leader_by_no_unclean_election():
    state = LAYOUT.blank()
    state.controller.history[0].active = Ids({0, 1})
    assert controller_creates_partition(state, ZOOKEEPER, NO_LEADER)
    assert not controller_elects_uncleanly(state, ZOOKEEPER._replace(unclean_election=True), 0)


def changed_hands():
    """A topic whose replicas are deleted, and a new controller before the one that knows it has written so."""
    state = cluster(records=1)
    assert topic_deletion_is_asked(state, ZOOKEEPER)
    for broker_id in range(2):
        assert broker_obeys_stop_replica(state, ZOOKEEPER, broker_id, 1)
    assert not controller_resumes_deletion(state), "it has asked itself"
    assert not zombie_ends_deletion(state, ZOOKEEPER), "it is in office"
    assert controller_is_replaced(state, ZOOKEEPER)
    return state


def test_a_new_controller_asks_everybody_again():
    state = changed_hands()
    assert not controller_ends_deletion(state), "it does not know of the answers"
    assert controller_resumes_deletion(state)
    assert not controller_resumes_deletion(state), "it has"
    assert (now(state).leader_epoch, now(state).leader, now(state).controller_epoch) == (2, NO_LEADER, 1)
    for broker_id in range(2):
        assert not controller_ends_deletion(state)
        assert broker_obeys_stop_replica(state, ZOOKEEPER, broker_id, 2)
    assert controller_ends_deletion(state)


def test_the_first_request_of_a_new_controller_makes_a_replica_anew():
    state = changed_hands()
    assert not broker_obeys_new_controller(state, KRAFT, 0)
    assert controller_resumes_deletion(state)
    assert broker_obeys_new_controller(state, ZOOKEEPER, 0)
    assert state.brokers[0].metadata_offset == 1, "it is told what was on record when the controller came"
    broker = state.brokers[0]
    assert (broker.has_log, broker.log.end_offset, broker.leader, broker.controller_epoch) == (True, 0, NO_LEADER, 1)
    assert not broker_obeys_new_controller(state, ZOOKEEPER, 0), "it has heard"
    assert not broker_obeys_stop_replica(state, ZOOKEEPER, 0, 1), "the controller before is fenced"
    assert broker_obeys_stop_replica(state, ZOOKEEPER, 0, 2)
    assert not broker.has_log


def test_the_first_request_of_a_new_controller_tells_who_knows_the_leader_only_of_itself():
    state = cluster()
    assert controller_is_replaced(state, ZOOKEEPER)
    state.brokers[1].broker_epoch = 1
    assert not broker_obeys_new_controller(state, ZOOKEEPER, 1), "it has started since"
    assert broker_obeys_new_controller(state, ZOOKEEPER, 0)
    assert (state.brokers[0].controller_epoch, state.brokers[0].leader_epoch) == (1, 0)


@pytest.mark.parametrize("is_checked", [True, False])
def test_a_zombie_removes_no_topic(is_checked):
    rules = ZOOKEEPER._replace(controller_write_checks_epoch=is_checked)
    state = changed_hands()
    assert zombie_ends_deletion(state, rules)
    assert (state.controller.zombie_offset, state.controller.zombie_deletes) == (NO_OFFSET, 0), "it has noticed"
    assert (now(state).replicas == Ids()) is not is_checked
    assert not zombie_ends_deletion(state, rules)


@pytest.mark.parametrize("is_checked", [True, False])
def test_the_last_request_of_a_zombie_deletes_no_replica_of_a_new_topic(is_checked):
    state = cluster()
    assert topic_deletion_is_asked(state, ZOOKEEPER)
    assert controller_is_replaced(state, ZOOKEEPER)
    assert controller_resumes_deletion(state)
    for broker_id in range(2):
        assert broker_obeys_stop_replica(state, ZOOKEEPER, broker_id, 2)
    assert controller_ends_deletion(state)
    assert controller_creates_partition(state, ZOOKEEPER, NO_LEADER)
    assert controller_elects_first_leader(state, ZOOKEEPER, 0)
    assert broker_obeys_leader_and_isr(state, ZOOKEEPER, 0, state.controller.offset)
    rules = ZOOKEEPER._replace(leader_and_isr_checks_epochs=is_checked)
    assert broker_obeys_stop_replica(state, rules, 0, 1) is not is_checked
    assert state.brokers[0].has_log is is_checked
    assert not broker_obeys_stop_replica(state, rules, 0, 1), "it has deleted it"


def left_over():
    """A broker that was down while the partition was reassigned, its topic deleted and another one created."""
    state = cluster(records=1)
    assert process_crashes(state, 1)
    assert controller_fences_broker(state, ZOOKEEPER, 1, 0)
    assert begin_reassignment(state.controller, ZOOKEEPER, LIMITS, Ids({0}))
    assert topic_deletion_is_asked(state, ZOOKEEPER)
    assert broker_obeys_stop_replica(state, ZOOKEEPER, 0, state.controller.offset)
    assert controller_ends_deletion(state)
    assert controller_creates_partition(state, ZOOKEEPER, NO_LEADER)
    assert controller_elects_first_leader(state, ZOOKEEPER, 0)
    assert broker_starts(state, ZOOKEEPER, LIMITS, 1)
    return state


def test_a_log_of_a_deleted_topic_is_not_taken_for_that_of_a_new_one():
    state = left_over()
    assert not broker_obeys_leader_and_isr(state, ZOOKEEPER, 1, state.controller.offset)
    assert state.brokers[1].topic_id == 0
    assert broker_obeys_leader_and_isr(state, ZOOKEEPER._replace(log_names_topic_id=False), 1, state.controller.offset)
    assert (state.brokers[1].topic_id, state.brokers[1].log.end_offset) == (1, 1)


def test_requests_of_the_deleted_topic_do_not_come_behind_those_of_the_new_one():
    state = left_over()
    assert broker_obeys_leader_and_isr(state, ZOOKEEPER, 0, state.controller.offset)
    rules = ZOOKEEPER._replace(log_names_topic_id=False, leader_and_isr_checks_epochs=False)
    for offset in range(state.controller.offset):
        assert not broker_obeys_leader_and_isr(state, rules, 0, offset), offset
        assert not broker_obeys_stop_replica(state, rules._replace(stop_replica_checks_epoch=False), 0, offset), offset


def came_back(rules):
    """A broker of the KRaft era that was down while its topic was deleted and another one created."""
    state = cluster(records=1)
    assert process_crashes(state, 1)
    assert controller_fences_broker(state, rules, 1, 0)
    create_anew(state, rules, 0)
    assert broker_starts(state, rules, LIMITS, 1)
    replay(state, rules, 1)
    return state.brokers[1]


def test_a_broker_that_was_down_deletes_the_log_of_the_deleted_topic():
    broker = came_back(KRAFT)
    assert (broker.topic_id, broker.leader, broker.log.end_offset, broker.high_watermark) == (1, 0, 0, 0)
    broker = came_back(KRAFT._replace(stray_log_is_deleted=False))
    assert (broker.topic_id, broker.leader, broker.leader_epoch) == (0, NO_LEADER, NO_EPOCH), "it refuses"
    broker = came_back(KRAFT._replace(stray_log_is_deleted=False, log_names_topic_id=False))
    assert (broker.topic_id, broker.leader, broker.log.end_offset) == (1, 0, 1), "it has a record of the old one"


def test_a_broker_that_was_down_deletes_the_log_where_there_is_no_new_topic():
    state = cluster(records=1)
    assert process_crashes(state, 1)
    assert controller_fences_broker(state, KRAFT, 1, 0)
    assert topic_deletion_is_asked(state, KRAFT)
    assert broker_starts(state, KRAFT, LIMITS, 1)
    replay(state, KRAFT, 1)
    assert not state.brokers[1].has_log


@pytest.mark.parametrize(("names_id", "known"), [(True, NO_OFFSET), (False, 1)])
def test_a_fetch_of_the_deleted_topic_does_not_count_in_the_new_one(names_id, known):
    rules = KRAFT._replace(fetch_names_topic_id=names_id)
    state = cluster(records=1)
    assert follower_sends_fetch(state, rules, LIMITS, 1)
    create_anew(state, rules, 0)
    assert leader_appends(state, rules, 0)
    assert leader_answers_fetch(state, rules, LIMITS, 1)
    assert state.brokers[0].followers[1].end_offset == known
    assert (state.fetches[1].stage == Stage.IDLE) == names_id


@pytest.mark.parametrize(("names_id", "end_offset"), [(True, 0), (False, 1)])
def test_an_answer_of_the_deleted_topic_is_not_used_in_the_new_one(names_id, end_offset):
    rules = KRAFT._replace(fetch_names_topic_id=names_id)
    state = cluster()
    assert follower_sends_fetch(state, rules, LIMITS, 1)
    assert leader_appends(state, rules, 0)
    create_anew(state, rules, 1)
    assert leader_answers_fetch(state, rules, LIMITS, 1), "the leader has not heard yet"
    assert follower_uses_fetch(state, rules, 1)
    assert state.brokers[1].log.end_offset == end_offset


@pytest.mark.parametrize(
    ("names_id", "error", "isr"),
    [(True, AlterPartitionError.FENCED, Ids({0, 1})), (False, AlterPartitionError.NONE, Ids({0}))],
)
def test_a_change_of_the_isr_of_the_deleted_topic_is_not_made_in_the_new_one(names_id, error, isr):
    rules = KRAFT._replace(isr_change_names_topic_id=names_id)
    state = cluster()
    propose_isr(state.brokers[0], 0, state.alter_partitions[0], Ids({0}))
    create_anew(state, rules)
    assert controller_alters_partition(state, rules, LIMITS, 0)
    assert (state.alter_partitions[0].error, now(state).isr) == (error, isr)


def test_a_consumer_takes_metadata_of_a_new_topic_although_its_leader_epoch_is_lower():
    state = cluster()
    state.consumer.leader, state.consumer.leader_epoch = 0, 2
    create_anew(state, KRAFT, 0)
    assert not consumer_learns_leader(state, KRAFT._replace(metadata_names_topic_id=False), 0)
    assert consumer_learns_leader(state, KRAFT, 0)
    assert (state.consumer.topic_id, state.consumer.leader_epoch) == (1, 0)
    assert not consumer_learns_leader(state, KRAFT, 0), "that is no news"
    state.consumer.topic_id = 0
    assert consumer_learns_leader(state, KRAFT._replace(metadata_names_topic_id=False), 0), "the epoch is no lower"
