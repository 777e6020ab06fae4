"""The properties of topics that are deleted and created anew fail where they must: on states made by hand."""

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.log_file import append_to_log
from kafkacheck.impl.enums import Propagation, Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import found_partition
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import elections as cluster_elections
from kafkacheck.spec.cluster import eligible as cluster_eligible
from kafkacheck.spec.cluster import messages as cluster_messages
from kafkacheck.spec.cluster import properties as cluster
from kafkacheck.spec.cluster import record as cluster_record
from kafkacheck.spec.cluster import topics as cluster_topics

LAYOUT = Layout(State, {**BOUNDS, "deletions": 2, "failovers": 1, "max_controller_epoch": 1})
KRAFT = ClusterRules()
ZOOKEEPER = ClusterRules(propagation=Propagation.LEADER_AND_ISR)


def state_of(records=0):
    """Two brokers in epoch 0, broker 0 leading, with a record or none."""
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
    for broker in state.brokers:
        for record in range(records):
            append_to_log(broker, KRAFT, record, 0)
    return state


def next_change(state):
    """A copy in which the controller has made one more change, and that change."""
    after = state.copy()
    after.controller.offset += 1
    was = after.controller.history[after.controller.offset - 1]
    change = after.controller.history[after.controller.offset]
    for field in ("topic_id", "leader", "leader_epoch", "isr", "replicas", "target", "active", "is_deleting"):
        setattr(change, field, getattr(was, field))
    return after, change


def without_topic(state):
    """The same where the change removes the topic."""
    after, change = next_change(state)
    change.replicas = change.target = change.isr = Ids()
    change.leader_epoch = change.is_deleting = 0
    change.leader = NO_LEADER
    change.topic_id += 1
    return after, change


def test_a_record_of_another_topic_is_seen():
    state = state_of(records=1)
    assert cluster_topics.records_stay_in_their_topic(state)
    state.brokers[1].topic_id = 1
    assert not cluster_topics.records_stay_in_their_topic(state)
    state.producers.topic_ids[0] = 1
    assert not cluster_topics.records_stay_in_their_topic(state), "broker 0 has it for the old topic"


def test_a_replica_that_does_not_begin_empty_is_seen():
    before = state_of(records=1)
    after = before.copy()
    assert cluster_topics.topics_begin_empty(before, after)
    after.brokers[1].topic_id = 1
    assert not cluster_topics.topics_begin_empty(before, after)
    after.brokers[1].log.end_offset = 0
    assert cluster_topics.topics_begin_empty(before, after)
    after.brokers[1].high_watermark = 1
    assert not cluster_topics.topics_begin_empty(before, after)
    before.brokers[1].has_log = False
    before.brokers[1].topic_id = 1
    assert not cluster_topics.topics_begin_empty(before, after)


def test_a_fetch_of_another_topic_that_counts_is_seen():
    before = state_of(records=1)
    fetch = before.fetches[1]
    fetch.stage, fetch.leader, fetch.leader_epoch, fetch.topic_id = Stage.REQUESTED, 0, 0, 1
    after = before.copy()
    after.fetches[1].stage = Stage.IDLE
    assert cluster_topics.fetches_stay_in_their_topic(before, after)
    after.brokers[0].followers[1].end_offset = 0
    assert not cluster_topics.fetches_stay_in_their_topic(before, after)
    before.fetches[1].topic_id = 0
    assert cluster_topics.fetches_stay_in_their_topic(before, after)


def test_an_answer_of_another_topic_is_seen():
    before = state_of()
    fetch = before.fetches[1]
    fetch.stage, fetch.leader, fetch.leader_epoch, fetch.topic_id = Stage.REQUESTED, 0, 0, 1
    after = before.copy()
    after.fetches[1].stage = Stage.ANSWERED
    assert not cluster_messages.only_leaders_answer(before, after, KRAFT)
    assert cluster_messages.only_leaders_answer(before, after, KRAFT._replace(fetch_names_topic_id=False))
    used = after.copy()
    used.fetches[1].stage = Stage.IDLE
    assert cluster_messages.stale_answers_have_no_effect(after, used, KRAFT)
    append_to_log(used.brokers[1], KRAFT, 0, 0)
    assert not cluster_messages.stale_answers_have_no_effect(after, used, KRAFT)


def test_a_topic_id_that_changes_or_is_given_twice_is_seen():
    before = state_of()
    after, change = next_change(before)
    assert cluster_topics.topic_ids_are_new(before, after)
    change.topic_id = 1
    assert not cluster_topics.topic_ids_are_new(before, after)
    after, change = without_topic(before)
    assert cluster_topics.topic_ids_are_new(before, after)
    change.topic_id = 0
    assert not cluster_topics.topic_ids_are_new(before, after)


def test_a_deletion_that_does_not_await_the_replicas_is_seen():
    before = state_of()
    after, change = next_change(before)
    change.is_deleting = 1
    assert not cluster_topics.deletion_awaits_replicas(before, after, ZOOKEEPER), "somebody leads"
    change.leader = NO_LEADER
    assert cluster_topics.deletion_awaits_replicas(before, after, ZOOKEEPER)
    assert not cluster_topics.deletion_awaits_replicas(before, after, KRAFT), "there is no queue"
    assert not cluster_topics.deletion_awaits_replicas(before, without_topic(before)[0], ZOOKEEPER), "it was not queued"
    gone, _ = without_topic(after)
    assert not cluster_topics.deletion_awaits_replicas(after, gone, ZOOKEEPER)
    for broker in after.brokers:
        broker.has_log = False
    assert cluster_topics.deletion_awaits_replicas(after, gone, ZOOKEEPER)
    taken_back, change = next_change(after)
    change.is_deleting = 0
    assert not cluster_topics.deletion_awaits_replicas(after, taken_back, ZOOKEEPER)


def test_a_replica_that_is_deleted_for_nothing_is_seen():
    before = state_of()
    after = before.copy()
    after.brokers[1].has_log = False
    assert not cluster_topics.replicas_are_deleted_when_told(before, after, KRAFT), "it is assigned"
    before.controller.history[0].is_deleting = 1
    assert cluster_topics.replicas_are_deleted_when_told(before, after, KRAFT)
    before.controller.history[0].replicas = Ids({0})
    assert not cluster_topics.replicas_are_deleted_when_told(before, after, KRAFT), "it is not among those asked"
    before.controller.history[0].is_deleting = 0
    assert cluster_topics.replicas_are_deleted_when_told(before, after, KRAFT)
    before.controller.history[0].replicas = Ids({0, 1})
    after.brokers[1].is_running = False
    assert cluster_topics.replicas_are_deleted_when_told(before, after, KRAFT), "the disk is lost"


def test_a_replica_that_outlives_its_assignment_is_seen():
    before, change = next_change(state_of())
    change.replicas = Ids({0})
    after = before.copy()
    after.brokers[1].metadata_offset = before.controller.offset
    assert not cluster_topics.replicas_are_deleted_when_told(before, after, KRAFT)
    assert cluster_topics.replicas_are_deleted_when_told(before, after, ZOOKEEPER), "it waits for StopReplica"
    after.brokers[1].has_log = False
    assert cluster_topics.replicas_are_deleted_when_told(before, after, KRAFT)


def test_a_replica_of_a_topic_that_is_gone_is_seen():
    before = state_of()
    before.controller.history[0].topic_id = 1
    after = before.copy()
    assert cluster_topics.deleted_topics_stay_deleted(before, after), "it had it before"
    before.brokers[1].has_log = False
    assert not cluster_topics.deleted_topics_stay_deleted(before, after)
    after.brokers[1].topic_id = 1
    assert cluster_topics.deleted_topics_stay_deleted(before, after)


def test_a_zombie_that_did_not_wait_for_the_replicas_is_seen():
    before = state_of()
    before.controller.history[0].is_deleting = 1
    after = before.copy()
    assert cluster_topics.zombie_awaited_replicas(before, after)
    after.controller.zombie_deletes = 1
    assert not cluster_topics.zombie_awaited_replicas(before, after)
    for broker in before.brokers:
        broker.has_log = False
    assert cluster_topics.zombie_awaited_replicas(before, after)
    before.controller.history[0].is_deleting = 0
    assert not cluster_topics.zombie_awaited_replicas(before, after), "nothing is to be deleted"


def test_what_is_left_of_a_deleted_topic_on_record_is_seen():
    state = state_of()
    metadata = state.controller.history[0]
    state.controller.last_known_leader = NO_LEADER
    metadata.topic_id = 1
    assert cluster_topics.topics_are_recorded_anew(state)
    for field, value in (("elr", Ids({1})), ("is_recovering", True), ("adding", Ids({1})), ("target", Ids({0}))):
        other = state.copy()
        setattr(other.controller.history[0], field, value)
        assert not cluster_topics.topics_are_recorded_anew(other), field
        other.controller.history[0].partition_epoch = 1
        assert cluster_topics.topics_are_recorded_anew(other), "it is the new topic's own"
    state.controller.last_known_leader = 1
    assert not cluster_topics.topics_are_recorded_anew(state)
    metadata.topic_id = 0
    assert cluster_topics.topics_are_recorded_anew(state), "there was none before"
    gone, change = without_topic(state)
    assert not cluster_topics.topics_are_recorded_anew(gone)
    gone.controller.last_known_leader = NO_LEADER
    assert cluster_topics.topics_are_recorded_anew(gone)
    change.isr = Ids({0})
    assert not cluster_topics.topics_are_recorded_anew(gone)


def test_a_deletion_is_queued_or_over():
    state = state_of()
    assert cluster_topics.deletion_is_over(state)
    state.controller.history[0].is_deleting = 1
    assert cluster_topics.deletion_is_queued(state)
    assert not cluster_topics.deletion_is_over(state)


def test_only_a_new_controller_says_again_that_a_topic_is_queued():
    before = state_of()
    was = before.controller.history[0]
    was.is_deleting, was.leader, was.leader_epoch, was.partition_epoch = 1, NO_LEADER, 1, 1
    after, change = next_change(before)
    change.partition_epoch, change.leader_epoch = 1, 2
    assert not cluster_record.leader_epoch_counts_leaders(before, after, KRAFT)
    change.controller_epoch = 1
    assert cluster_record.leader_epoch_counts_leaders(before, after, KRAFT)
    change.leader_epoch = 1
    assert cluster_record.every_change_has_an_effect(before, after)
    change.controller_epoch = 0
    assert not cluster_record.every_change_has_an_effect(before, after)


def test_eligible_leader_replicas_of_a_deleted_topic_are_not_missed():
    rules = KRAFT._replace(eligible_leader_replicas=True, min_insync_replicas=2)
    before = state_of()
    before.controller.history[0].elr, before.controller.history[0].isr = Ids({1}), Ids({0})
    after, change = next_change(before)
    assert not cluster_eligible.leavers_stay_eligible(before, after, rules)
    change.topic_id = 1
    assert cluster_eligible.leavers_stay_eligible(before, after, rules)


def test_a_broker_that_obeys_what_is_not_sent_is_seen():
    before = state_of()
    before.brokers[1].leader_epoch = NO_EPOCH
    after = state_of()
    assert cluster_record.only_assigned_brokers_obey(before, after, ZOOKEEPER)
    before.controller.history[0].is_deleting = 1
    assert not cluster_record.only_assigned_brokers_obey(before, after, ZOOKEEPER)
    after.brokers[1].controller_epoch = 1
    assert cluster_record.only_assigned_brokers_obey(before, after, ZOOKEEPER), "a new controller tells of everything"
    before.controller.history[0].is_deleting = 0
    before.controller.history[0].isr = Ids()
    assert not cluster_record.only_assigned_brokers_obey(before, after, ZOOKEEPER), "the partition is new"


def test_a_broker_that_takes_no_part_is_seen():
    state = state_of()
    assert cluster_topics.assigned_brokers_take_part(state, KRAFT)
    state.brokers[1].leader_epoch = NO_EPOCH
    assert not cluster_topics.assigned_brokers_take_part(state, KRAFT)
    assert cluster_topics.assigned_brokers_take_part(state, ZOOKEEPER), "a request may be late"
    state.brokers[1].is_running = False
    assert cluster_topics.assigned_brokers_take_part(state, KRAFT)
    state.brokers[0].topic_id = 1
    assert not cluster_topics.assigned_brokers_take_part(state, KRAFT)
    state.controller.history[0].leader = NO_LEADER
    assert cluster_topics.assigned_brokers_take_part(state, KRAFT)


def test_a_consumer_knows_an_older_topic_only_while_a_newer_one_is_led():
    state = state_of()
    assert cluster_topics.knows_newest_topic(state), "it knows none"
    state.consumer.leader = 0
    assert cluster_topics.knows_newest_topic(state)
    state.controller.history[0].topic_id = 1
    assert cluster_topics.knows_older_topic(state)
    state.controller.history[0].leader = NO_LEADER
    assert cluster_topics.knows_newest_topic(state)


def test_what_a_deleted_topic_had_is_not_missed_and_logs_of_two_topics_are_not_compared():
    state = state_of(records=1)
    state.producers.acknowledged[0] = 0
    for broker_id in range(2):
        state.brokers[broker_id].high_watermark = 1
    state.brokers[0].log.records[0].id = 1
    assert not cluster.acknowledged_records_survive(state)
    assert not cluster.logs_match_by_epoch(state)
    assert not cluster.logs_agree_below_high_watermark(state)
    state.brokers[0].topic_id = state.controller.history[0].topic_id = 1
    assert cluster.acknowledged_records_survive(state)
    assert cluster.logs_match_by_epoch(state)
    assert cluster.logs_agree_below_high_watermark(state)


def test_a_partition_of_the_zookeeper_era_goes_out_of_existence_from_offline_or_when_a_new_one_is_queued():
    online = state_of()
    gone, _ = without_topic(online)
    assert not cluster_elections.partition_changes_state_legally(online, gone, ZOOKEEPER)
    assert cluster_elections.partition_changes_state_legally(online, gone, KRAFT)
    offline = online.copy()
    offline.controller.history[0].leader, offline.controller.history[0].leader_epoch = NO_LEADER, 1
    assert cluster_elections.partition_changes_state_legally(offline, gone, ZOOKEEPER)
    offline.controller.history[0].leader_epoch = 0
    assert not cluster_elections.partition_changes_state_legally(offline, gone, ZOOKEEPER), "it is new"
    offline.controller.history[0].is_deleting = 1
    assert cluster_elections.partition_changes_state_legally(offline, gone, ZOOKEEPER)


def test_leader_epochs_and_versions_of_each_topic_begin_with_0():
    before = state_of()
    after, change = without_topic(before)
    assert cluster_record.leader_epoch_counts_leaders(before, after, KRAFT)
    assert cluster_record.every_change_has_an_effect(before, after)
    change.leader_epoch = 1
    assert not cluster_record.leader_epoch_counts_leaders(before, after, KRAFT)
    change.leader_epoch = 0
    change.partition_epoch = 1
    assert not cluster_record.every_change_has_an_effect(before, after)
