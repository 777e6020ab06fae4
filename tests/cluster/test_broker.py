"""What one broker does, rule by rule: epoch file, truncation, high watermark, acknowledgement, ISR, recovery."""

import itertools

import pytest

from kafkacheck.checker.model.charges import charged
from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.broker.epoch_file import answered_end_offset, assign_epoch, end_offset_of_epoch, epoch_with_end
from kafkacheck.impl.broker.fetcher import truncate_by_answer
from kafkacheck.impl.broker.leader import forget_followers, maybe_raise_high_watermark
from kafkacheck.impl.broker.log_file import append_to_log, truncate_fully_and_start_at, truncate_log
from kafkacheck.impl.broker.recovery import lose_unflushed, recover_log
from kafkacheck.impl.enums import Acks, Stage, TruncationRule
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.replication.truncation import end_offset_for_epoch
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import fetch_connection_breaks as free_fetch_connection_breaks
from kafkacheck.model.cluster.environment import found_partition
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.replication import (
    follower_sends_fetch,
    follower_uses_fetch,
    leader_answers_fetch,
    leader_appends,
    leader_counts_old_fetch,
    leader_learns_of_change,
    leader_proposes_expansion,
    leader_proposes_shrink,
    leader_reads_old_fetch,
)
from kafkacheck.model.cluster.system import State, stop_process

fetch_connection_breaks = charged(free_fetch_connection_breaks, "losses")

SIZES = {"log_size": 4, "max_records": 8, "max_leader_epoch": 3, "max_log_start": 4, "max_broker_epoch": 3}
SIZES |= {"old_fetches": 1, "fetch_sessions": 1, "losses": 2}
LAYOUT = Layout(State, {**BOUNDS, **SIZES, "replicas": 3})
LIMITS = LAYOUT.bounds.as_tuple()
RULES = ClusterRules()


def cluster(isr=Ids({0, 1, 2})):
    """Three brokers; broker 0 leads the empty partition in epoch 0."""
    state = LAYOUT.blank()
    found_partition(state, Ids({0, 1, 2}), isr)
    return state


def broker_with(*epochs):
    """A broker whose log has records of these epochs, and an epoch file that fits."""
    broker = LAYOUT.blank().brokers[0]
    for record, epoch in enumerate(epochs):
        append_to_log(broker, RULES, record, epoch)
    return broker


def fetch_once(state, follower_id, rules=RULES):
    assert follower_sends_fetch(state, rules, LIMITS, follower_id)
    assert leader_answers_fetch(state, rules, LIMITS, follower_id)
    assert follower_uses_fetch(state, rules, follower_id)


def starts(broker):
    return {epoch: start for epoch, start in enumerate(broker.epoch_starts) if start != NO_OFFSET}


def test_an_epoch_that_begins_lower_drops_what_is_out_of_order_beside_it():
    broker = broker_with(0, 1, 1)
    assert starts(broker) == {0: 0, 1: 1}
    assign_epoch(broker, 1, 2)
    assert starts(broker) == {0: 0, 1: 1}, "the newest epoch begins once"
    assign_epoch(broker, 2, 1)
    assert starts(broker) == {0: 0, 2: 1}


def test_the_file_answers_as_the_log_that_it_is_made_from():
    """The abstract protocol derives the answer from the records; both must be the same rule."""
    for length in range(5):
        for epochs in itertools.combinations_with_replacement(range(4), length):
            broker = broker_with(*epochs)
            for epoch in range(4):
                assert end_offset_of_epoch(broker, epoch) == end_offset_for_epoch(broker.log, epoch), (epochs, epoch)


def test_kip_101_answers_for_the_epoch_asked_and_kip_279_for_one_that_it_has():
    broker = broker_with(0, 0, 2)
    for rule, epoch in ((TruncationRule.KIP_101, 1), (TruncationRule.KIP_279, 0)):
        assert epoch_with_end(broker, RULES._replace(truncation=rule), 1) == epoch
    assert end_offset_of_epoch(broker, 1) == 2
    assert epoch_with_end(broker, RULES, 3) == NO_EPOCH


@pytest.mark.parametrize(
    ("rule", "own", "answer", "end", "is_complete"),
    [
        (TruncationRule.KIP_279, (0, 2, 2), (0, 1), 1, True),
        (TruncationRule.KIP_279, (0, 1, 2), (2, 4), 3, True),
        (TruncationRule.KIP_279, (0, 0, 2), (1, 3), 2, False),
        (TruncationRule.KIP_101, (0, 0, 2), (2, 3), 3, True),
        (TruncationRule.ON_FETCH, (0, 0, 2), (0, 1), 1, True),
    ],
)
def test_a_follower_cuts_where_the_answer_and_its_own_file_say(rule, own, answer, end, is_complete):
    broker = broker_with(*own)
    assert truncate_by_answer(broker, RULES._replace(truncation=rule), *answer) is is_complete
    assert broker.log.end_offset == end


def test_without_an_answer_the_log_is_cut_at_the_high_watermark():
    broker = broker_with(0, 0, 1)
    broker.high_watermark = 1
    assert truncate_by_answer(broker, RULES, NO_EPOCH, NO_OFFSET)
    assert (broker.log.end_offset, starts(broker)) == (1, {0: 0})


def test_the_epoch_file_is_cut_also_where_the_log_is_short_already():
    broker = broker_with(0)
    assign_epoch(broker, 1, 1)
    truncate_log(broker, RULES._replace(epoch_file_is_cut_at_end=False), 1)
    assert starts(broker) == {0: 0, 1: 1}
    truncate_log(broker, RULES, 1)
    assert starts(broker) == {0: 0}


def test_the_high_watermark_moves_over_two_fetch_rounds_and_the_producer_is_told():
    state = cluster(isr=Ids({0, 1}))
    assert leader_appends(state, RULES, 0)
    fetch_once(state, 1)
    assert (state.brokers[0].high_watermark, state.brokers[1].log.end_offset) == (0, 1)
    fetch_once(state, 1)
    assert (state.brokers[0].high_watermark, state.brokers[1].high_watermark) == (1, 0)
    assert state.producers.acknowledged[0] == 0
    fetch_once(state, 1)
    assert state.brokers[1].high_watermark == 1


def test_who_is_about_to_join_or_leave_the_isr_is_waited_for():
    state = cluster(isr=Ids({0}))
    fetch_once(state, 1)
    assert leader_proposes_expansion(state, RULES, 0, 1)
    assert leader_appends(state, RULES, 0)
    assert state.brokers[0].high_watermark == 0
    state = cluster(isr=Ids({0, 1}))
    assert leader_appends(state, RULES, 0)
    assert leader_proposes_shrink(state, RULES, 0, 1)
    maybe_raise_high_watermark(state.brokers[0], RULES, 0, state.controller.history[0])
    assert state.brokers[0].high_watermark == 0
    assert not leader_proposes_shrink(state, RULES, 0, 1), "one change at a time"


def test_too_small_an_isr_refuses_acks_all_and_keeps_the_high_watermark():
    rules = RULES._replace(min_insync_replicas=2)
    state = cluster(isr=Ids({0}))
    assert not leader_appends(state, rules, 0)
    assert leader_appends(state, rules._replace(acks=Acks.LEADER), 0)
    assert state.producers.acknowledged[0] == 0
    assert state.brokers[0].high_watermark == 0


def test_acks_0_tells_the_producer_nothing():
    state = cluster(isr=Ids({0}))
    assert leader_appends(state, RULES._replace(acks=Acks.NONE), 0)
    assert state.producers.acknowledged[0] == NO_OFFSET
    assert state.brokers[0].high_watermark == 1


def test_an_answer_of_an_earlier_epoch_is_dropped():
    state = cluster(isr=Ids({0, 1}))
    assert leader_appends(state, RULES, 0)
    assert follower_sends_fetch(state, RULES, LIMITS, 1)
    assert leader_answers_fetch(state, RULES, LIMITS, 1)
    state.brokers[1].leader_epoch = 1
    assert follower_uses_fetch(state, RULES, 1)
    assert state.brokers[1].log.end_offset == 0
    assert state.fetches[1].stage == Stage.IDLE


def test_a_fetch_of_another_epoch_is_not_answered():
    state = cluster()
    assert follower_sends_fetch(state, RULES, LIMITS, 1)
    state.brokers[0].leader_epoch = 1
    assert leader_answers_fetch(state, RULES, LIMITS, 1)
    assert state.fetches[1].stage == Stage.IDLE
    assert state.brokers[0].followers[1].end_offset == NO_OFFSET


def test_a_crash_keeps_the_log_and_the_checkpoint_and_a_power_loss_not_the_unflushed():
    state = cluster(isr=Ids({0}))
    for _ in range(3):
        assert leader_appends(state, RULES, 0)
    broker = state.brokers[0]
    broker.high_watermark_checkpoint = 1
    broker.flushed_offset = 2
    stop_process(state, 0)
    recover_log(broker, RULES)
    assert (broker.log.end_offset, broker.high_watermark, starts(broker)) == (3, 1, {0: 0})
    lose_unflushed(broker, 2)
    recover_log(broker, RULES._replace(recovery_keeps_epoch_zero=False))
    assert (broker.log.end_offset, starts(broker)) == (2, {})


def test_a_log_that_begins_anew_has_its_high_watermark_at_its_start():
    broker = broker_with(0)
    truncate_fully_and_start_at(broker, RULES, 3)
    assert (broker.log_start_offset, broker.high_watermark, broker.log.end_offset) == (3, 3, 3)
    truncate_fully_and_start_at(broker, RULES._replace(high_watermark_follows_log_start=False), 4)
    assert (broker.log_start_offset, broker.high_watermark) == (4, 3)


def with_old_fetch(isr=Ids({0, 1, 2})):
    """Broker 1 has fetched twice, and its fetch that proves one record is old: its connection has broken."""
    state = cluster(isr)
    assert leader_appends(state, RULES, 0) and leader_appends(state, RULES, 0)
    fetch_once(state, 1)
    assert follower_sends_fetch(state, RULES, LIMITS, 1)
    assert fetch_connection_breaks(state, 1)
    return state


def known_of_1(state):
    follower = state.brokers[0].followers[1]
    return follower.end_offset, follower.broker_epoch


def test_a_follower_whose_connection_breaks_asks_anew_and_its_old_fetch_is_counted_later():
    state = with_old_fetch()
    assert state.fetches[1].stage == Stage.IDLE
    fetch_once(state, 1)
    fetch_once(state, 1)
    assert known_of_1(state) == (2, 0)
    assert not leader_counts_old_fetch(state, RULES, 1), "it has not been read"
    assert leader_reads_old_fetch(state, RULES, 1)
    assert not leader_reads_old_fetch(state, RULES, 1), "it has been read"
    assert leader_counts_old_fetch(state, RULES, 1)
    assert known_of_1(state) == (1, 0), "what is known of the follower falls"
    assert not leader_counts_old_fetch(state, RULES, 1), "it is gone"


def test_only_a_fetch_breaks_off_and_one_at_a_time():
    state = with_old_fetch()
    assert follower_sends_fetch(state, RULES, LIMITS, 1)
    assert not fetch_connection_breaks(state, 1), "one is old already"
    assert leader_reads_old_fetch(state, RULES, 1) and leader_counts_old_fetch(state, RULES, 1)
    assert leader_answers_fetch(state, RULES, LIMITS, 1)
    assert not fetch_connection_breaks(state, 1), "the request has arrived"
    assert follower_uses_fetch(state, RULES, 1) and follower_sends_fetch(state, RULES, LIMITS, 1)
    assert fetch_connection_breaks(state, 1)
    assert state.budget.losses == 0


def test_an_old_fetch_of_another_epoch_or_offset_is_not_read_and_one_of_an_earlier_broker_not_counted():
    state = with_old_fetch()
    state.brokers[0].leader_epoch = 1
    assert leader_reads_old_fetch(state, RULES, 1)
    assert state.old_fetches[1].stage == Stage.IDLE
    state = with_old_fetch()
    state.old_fetches[1].offset = 3
    assert leader_reads_old_fetch(state, RULES, 1)
    assert state.old_fetches[1].stage == Stage.IDLE
    state = with_old_fetch()
    assert leader_reads_old_fetch(state, RULES, 1)
    state.controller.history[0].broker_epochs[1] = 1
    known = known_of_1(state)
    assert leader_counts_old_fetch(state, RULES, 1)
    assert known_of_1(state) == known, "the leader has replayed that the broker has registered again"


@pytest.mark.parametrize(("is_compared", "known"), [(True, (NO_OFFSET, NO_EPOCH)), (False, (1, 0))])
def test_a_fetch_that_was_read_in_an_earlier_epoch_is_counted_but_for_the_fix(is_compared, known):
    """KAFKA-15590."""
    rules = RULES._replace(counted_fetch_is_of_epoch=is_compared)
    state = with_old_fetch()
    assert leader_reads_old_fetch(state, rules, 1)
    leader = state.brokers[0]
    leader.leader_epoch = 1
    forget_followers(leader)
    assert leader_counts_old_fetch(state, rules, 1)
    assert known_of_1(state) == known


def test_a_leader_that_stops_or_leads_no_more_counts_no_old_fetch():
    state = with_old_fetch()
    assert leader_reads_old_fetch(state, RULES, 1)
    state.brokers[0].leader = 2
    assert leader_counts_old_fetch(state, RULES, 1)
    assert known_of_1(state) == (0, 0)
    state = with_old_fetch()
    stop_process(state, 0)
    assert state.old_fetches[1].stage == Stage.IDLE


@pytest.mark.parametrize("waits", [True, False])
def test_the_high_watermark_waits_for_enough_replicas(waits):
    """KAFKA-15583."""
    rules = RULES._replace(min_insync_replicas=2, acks=Acks.LEADER, high_watermark_awaits_enough=waits)
    state = cluster(isr=Ids({0}))
    assert leader_appends(state, rules, 0)
    assert state.brokers[0].high_watermark == (0 if waits else 1)


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_session_that_forgets_the_leader_epoch_lets_a_stale_fetch_count(is_kept):
    """KAFKA-9338."""
    rules = RULES._replace(session_keeps_leader_epoch=is_kept)
    state = cluster()
    fetch_once(state, 1, rules)
    assert follower_sends_fetch(state, rules, LIMITS, 1)
    assert state.fetches[1].is_incremental == 1
    state.brokers[0].leader_epoch = 1
    assert leader_answers_fetch(state, rules, LIMITS, 1)
    assert state.fetches[1].stage == (Stage.IDLE if is_kept else Stage.ANSWERED)


def test_a_leader_that_was_restarted_knows_no_session_and_the_next_fetch_opens_another():
    state = cluster()
    fetch_once(state, 1)
    stop_process(state, 0)
    found_partition(state, Ids({0, 1, 2}), Ids({0, 1, 2}))
    assert follower_sends_fetch(state, RULES, LIMITS, 1)
    assert leader_answers_fetch(state, RULES, LIMITS, 1)
    assert state.fetches[1].stage == Stage.IDLE
    fetch_once(state, 1)
    assert state.fetch_sessions[1].cached_by == state.fetch_sessions[1].leader == 0


@pytest.mark.parametrize(("is_emptied", "kept"), [(True, {}), (False, {0: 0})])
def test_a_log_of_the_old_format_has_no_epoch_file_but_by_the_old_rule(is_emptied, kept):
    """KAFKA-7897."""
    rules = RULES._replace(records_carry_epochs=False, old_format_has_no_epoch_file=is_emptied)
    state = cluster()
    for _ in range(2):
        assert leader_appends(state, rules, 0)
    fetch_once(state, 1, rules)
    assert starts(state.brokers[1]) == {}, "no record tells its epoch"
    recover_log(state.brokers[0], rules)
    assert starts(state.brokers[0]) == kept


@pytest.mark.parametrize(("has_none", "end_offset"), [(True, NO_OFFSET), (False, 2)])
def test_no_epoch_ends_nowhere_but_by_the_old_rule_where_the_leader_has_none_either(has_none, end_offset):
    """KAFKA-6857."""
    rules = RULES._replace(undefined_epoch_has_no_end=has_none)
    broker = broker_with(0, 0)
    assert answered_end_offset(broker, rules, NO_EPOCH) == NO_OFFSET, "it has epoch 0"
    old_format = RULES._replace(records_carry_epochs=False)
    broker = LAYOUT.blank().brokers[0]
    for record in range(2):
        append_to_log(broker, old_format, record, 0)
    assert answered_end_offset(broker, rules, NO_EPOCH) == end_offset


@pytest.mark.parametrize("is_taken", [True, False])
def test_an_answer_of_the_same_partition_epoch_ends_the_change(is_taken):
    """KAFKA-12751."""
    state = cluster(isr=Ids({0}))
    change = state.alter_partitions[0]
    state.brokers[0].pending_isr = Ids({0, 1})
    change.stage, change.leader_epoch, change.isr = Stage.ANSWERED, 0, Ids({0, 1})
    assert leader_learns_of_change(state, RULES._replace(answer_may_keep_partition_epoch=is_taken), 0)
    assert state.brokers[0].pending_isr == (set() if is_taken else {0, 1})
