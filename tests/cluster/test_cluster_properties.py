"""The cluster's properties fail where they must: on small states made by hand, one mistake each.

Those that an entry of the museum breaks are seen to fail there as well.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.log_file import append_to_log
from kafkacheck.impl.enums import Propagation, Stage
from kafkacheck.impl.log import truncate_to
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import found_partition
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import clients as cluster_clients
from kafkacheck.spec.cluster import measures as cluster_measures
from kafkacheck.spec.cluster import messages as cluster_messages
from kafkacheck.spec.cluster import properties as cluster
from kafkacheck.spec.cluster import record as cluster_record
from kafkacheck.spec.cluster import steps as cluster_steps

LAYOUT = Layout(State, {**BOUNDS, "log_size": 2, "max_records": 3, "max_log_start": 1})
OLD_FETCHES = Layout(State, {**BOUNDS, "old_fetches": 1, "losses": 1})


def state_of(*logs):
    """Two brokers in epoch 0, broker 0 leading; each log a list of (record, epoch)."""
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
    for broker, log in zip(state.brokers, logs, strict=False):
        for record, epoch in log:
            append_to_log(broker, ClusterRules(), record, epoch)
    return state


def test_a_good_state_satisfies_everything():
    state = state_of([(0, 0)], [(0, 0)])
    state.producers.acknowledged[0] = 0
    for name, judge in vars(cluster).items():
        if getattr(judge, "__module__", "") == "kafkacheck.spec.cluster.properties" and name not in (
            "acknowledged_record",
            "deposed_leader",
        ):
            assert judge(state), name


def test_a_record_that_the_leader_lacks_is_lost():
    state = state_of([], [(0, 0)])
    state.producers.acknowledged[0] = 0
    assert not cluster.acknowledged_records_survive(state)
    state.brokers[0].leader_epoch = 1
    assert cluster.acknowledged_records_survive(state), "it does not lead in the controller's epoch"


def test_a_reassignment_that_leaves_fewer_copies_is_seen():
    before = state_of([(0, 0)], [])
    before.producers.acknowledged[0] = 0
    after = before.copy()
    after.controller.history[0].replicas = Ids({0})
    assert cluster_steps.reassignment_keeps_copies(before, after)
    after.controller.history[0].replicas = Ids({1})
    assert not cluster_steps.reassignment_keeps_copies(before, after)


def test_logs_of_one_epoch_that_differ_below_do_not_match():
    assert cluster.logs_match_by_epoch(state_of([(0, 0)], [(1, 1)]))
    assert not cluster.logs_match_by_epoch(state_of([(0, 0), (2, 2)], [(1, 1), (2, 2)]))


def test_what_two_brokers_hold_committed_is_compared():
    state = state_of([(0, 0)], [(1, 0)])
    state.brokers[0].high_watermark = 1
    assert cluster.logs_agree_below_high_watermark(state)
    state.brokers[1].high_watermark = 1
    assert not cluster.logs_agree_below_high_watermark(state)
    state.brokers[1].must_truncate = True
    assert cluster.logs_agree_below_high_watermark(state)


def test_two_leaders_of_one_epoch_are_seen():
    state = state_of()
    state.brokers[1].leader = 1
    assert not cluster.one_leader_in_epoch(state)
    state.brokers[1].leader_epoch = 1
    assert cluster.one_leader_in_epoch(state)


def test_a_member_that_the_leader_does_not_wait_for_is_seen():
    state = state_of()
    state.brokers[0].isr = Ids({0})
    assert not cluster.isr_is_covered(state)
    state.brokers[0].pending_isr = Ids({0, 1})
    assert cluster.isr_is_covered(state)


def test_an_inactive_member_is_seen_unless_it_is_the_last():
    state = state_of()
    state.controller.history[0].active = Ids({0})
    assert not cluster.isr_has_no_inactive(state)
    state.controller.history[0].isr = Ids({1})
    assert cluster.isr_has_no_inactive(state)


def test_a_high_watermark_outside_the_log_or_falling_is_seen():
    state = state_of([(0, 0)])
    state.brokers[0].high_watermark = 1
    after = state.copy()
    after.brokers[0].high_watermark = 0
    assert not cluster_steps.high_watermark_does_not_fall(state, after)
    after.brokers[0].leader_epoch = 1
    assert cluster_steps.high_watermark_does_not_fall(state, after)
    state.brokers[1].high_watermark = 1
    assert not cluster.high_watermark_is_within_log(state)


def test_a_step_back_to_an_older_epoch_is_seen():
    state = state_of()
    state.brokers[1].leader_epoch = 1
    assert not cluster_steps.leader_epoch_does_not_fall(state, state_of())


def test_a_fetch_of_another_epoch_that_counts_is_seen():
    state = state_of([(0, 0)])
    fetch = state.fetches[1]
    fetch.stage, fetch.leader, fetch.leader_epoch = Stage.REQUESTED, 0, 1
    after = state.copy()
    after.fetches[1].stage = Stage.IDLE
    assert cluster_steps.stale_fetches_have_no_effect(state, after)
    after.brokers[0].followers[1].end_offset = 0
    assert not cluster_steps.stale_fetches_have_no_effect(state, after)


def test_a_consumer_that_reads_above_another_history_is_seen():
    state = state_of([(0, 0), (1, 0)])
    state.consumer.leader, state.consumer.position = 0, 1
    state.consumer.records[0] = 0
    after = state.copy()
    after.consumer.position = 2
    after.consumer.records[1] = 1
    assert cluster_clients.consumer_reads_one_history(state, after)
    after.consumer.records[0] = 2
    assert not cluster_clients.consumer_reads_one_history(state, after)
    assert not cluster_clients.consumed_records_survive(after)


def test_measures_count_what_the_controller_recorded_and_who_believes_to_lead():
    state = state_of([], [])
    assert (cluster_measures.isr_size(state), cluster_measures.live_leaders(state)) == (2, 1)
    state.controller.history[0].isr = Ids({0})
    state.brokers[1].leader = 1
    assert (cluster_measures.isr_size(state), cluster_measures.live_leaders(state)) == (1, 2)
    state.brokers[0].is_running = False
    assert cluster_measures.live_leaders(state) == 1


def with_old_fetch(leader_epoch):
    """Broker 0 leads in an epoch and has read a fetch of broker 1 in epoch 0; and what it may count."""
    before = OLD_FETCHES.blank()
    found_partition(before, Ids({0, 1}), Ids({0, 1}))
    before.brokers[0].leader_epoch = leader_epoch
    fetch = before.old_fetches[1]
    fetch.stage, fetch.leader, fetch.leader_epoch, fetch.offset = Stage.ANSWERED, 0, 0, 1
    after = before.copy()
    after.old_fetches[1].stage = Stage.IDLE
    after.brokers[0].followers[1].end_offset = 1
    return before, after


def test_a_fetch_read_in_an_earlier_epoch_may_not_be_counted():
    assert not cluster_steps.stale_old_fetches_have_no_effect(*with_old_fetch(1))
    assert cluster_steps.stale_old_fetches_have_no_effect(*with_old_fetch(0))


def test_a_leader_goes_back_to_no_earlier_start_of_a_broker():
    before, after = with_old_fetch(0)
    before.brokers[0].followers[1].broker_epoch, after.brokers[0].followers[1].broker_epoch = 1, 0
    assert cluster_steps.known_broker_epochs_do_not_fall(before, after), "the leader has not replayed the new start"
    before.controller.history[0].broker_epochs[1] = 1
    assert not cluster_steps.known_broker_epochs_do_not_fall(before, after)
    after.brokers[0].leader_epoch = 1
    assert cluster_steps.known_broker_epochs_do_not_fall(before, after), "another epoch"


def test_an_old_fetch_is_read_only_where_it_fits_and_counts_then():
    before, after = with_old_fetch(0)
    assert cluster_steps.read_fetches_count(before, after)
    after.brokers[0].followers[1].end_offset = 0
    assert not cluster_steps.read_fetches_count(before, after)
    before.controller.history[0].broker_epochs[1] = 1
    assert cluster_steps.read_fetches_count(before, after), "the leader knows of a newer start of the broker"

    before.old_fetches[1].stage, after.old_fetches[1].stage = Stage.REQUESTED, Stage.ANSWERED
    assert not cluster_steps.read_fetches_fit(before, after), "the leader has no record"
    append_to_log(before.brokers[0], ClusterRules(), 0, 1)
    assert cluster_steps.read_fetches_fit(before, after)
    before.old_fetches[1].asked_epoch = 0
    assert not cluster_steps.read_fetches_fit(before, after), "the leader has another record there"
    before.old_fetches[1].asked_epoch = 1
    assert cluster_steps.read_fetches_fit(before, after)
    after.old_fetches[1].stage = Stage.IDLE
    assert not cluster_steps.read_fetches_fit(before, after), "it would have been answered"
    after.brokers[0].is_running = False
    assert cluster_steps.read_fetches_fit(before, after), "its leader has stopped"
    after.brokers[0].is_running, after.old_fetches[1].stage = True, Stage.ANSWERED
    before.brokers[0].leader_epoch = 1
    assert not cluster_steps.read_fetches_fit(before, after)


def test_an_old_fetch_to_a_process_that_has_ended_is_seen():
    before, _ = with_old_fetch(0)
    after = before.copy()
    after.brokers[0].is_running = False
    assert not cluster_messages.connections_end_with_process(before, after)
    after.old_fetches[1].stage = Stage.IDLE
    assert cluster_messages.connections_end_with_process(before, after)


def test_a_process_that_ends_without_a_reason_is_seen():
    before = state_of()
    after = before.copy()
    after.brokers[1].is_running = False
    assert not cluster_messages.disturbances_are_real(before, after)
    before.controller.stopping = Ids({1})
    assert cluster_messages.disturbances_are_real(before, after)


def test_a_power_loss_that_takes_what_was_flushed_is_seen():
    before = state_of([(0, 0)], [(0, 0)])
    after = before.copy()
    before.budget.power_losses = after.budget.power_losses + 1
    after.brokers[1].is_running = False
    truncate_to(after.brokers[1].log, 0)
    assert cluster_messages.disturbances_are_real(before, after)
    before.brokers[1].flushed_offset = 1
    assert not cluster_messages.disturbances_are_real(before, after)


def test_a_loss_of_nothing_is_seen():
    before = OLD_FETCHES.blank()
    found_partition(before, Ids({0, 1}), Ids({0, 1}))
    after = before.copy()
    after.budget.losses = before.budget.losses - 1
    assert not cluster_messages.disturbances_are_real(before, after)
    before.fetches[1].stage = Stage.ANSWERED
    assert cluster_messages.disturbances_are_real(before, after)
    before.fetches[1].stage = Stage.IDLE
    before.alter_partitions[0].stage, after.alter_partitions[0].stage = Stage.ANSWERED, Stage.REQUESTED
    assert cluster_messages.disturbances_are_real(before, after)


def test_a_partition_that_no_leader_had_yet_is_obeyed_by_nobody_in_the_zookeeper_era():
    before = state_of()
    before.controller.history[0].isr = Ids()
    after = before.copy()
    after.brokers[1].leader_epoch += 1
    assert cluster_record.only_assigned_brokers_obey(before, after, ClusterRules())
    zookeeper = ClusterRules(propagation=Propagation.LEADER_AND_ISR)
    assert not cluster_record.only_assigned_brokers_obey(before, after, zookeeper)
