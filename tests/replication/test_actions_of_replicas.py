"""The actions of controller, leader and follower, sentence by sentence."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.model.replication.system import (
    become_follower,
    become_leader,
    controller_elect_leader,
    controller_shrink_isr,
    follower_replicate,
    follower_truncate,
    leader_expand_isr,
    leader_inc_high_watermark,
    leader_shrink_isr,
    leader_write,
    start_partition,
)
from tests.support.partition import (
    ALL_RULES,
    BOUNDS,
    HIGH_WATERMARK,
    KIP_101,
    KIP_279,
    KIP_320,
    KIP_320_FIRST_TRY,
    new_partition,
    put,
    records_of,
    send,
)

UNFENCED = (HIGH_WATERMARK, KIP_101, KIP_279)
each_rule = pytest.mark.parametrize("rules", ALL_RULES, ids=str)


def refused(action, state, *arguments):
    """Whether the action is disabled, after a check that it changed nothing."""
    before = state.copy()
    if action(state, *arguments):
        return False
    assert state == before
    return True


def request_of(state, leader_epoch):
    request = state.leader_and_isr_requests[leader_epoch]
    return request.leader, request.isr


class TestController:
    def test_every_replica_starts_in_sync(self):
        state = new_partition()
        state.quorum.isr = Ids()
        assert start_partition(state)
        assert state == new_partition()

    def test_a_leader_is_elected_from_the_isr(self):
        state = new_partition()
        state.quorum.isr = Ids({0, 2})
        assert refused(controller_elect_leader, state, 1)
        assert controller_elect_leader(state, 2)
        assert (state.quorum.leader, state.quorum.isr, state.quorum.leader_epoch) == (2, {0, 2}, 0)

    def test_an_election_changes_the_leader(self):
        state = new_partition()
        send(state, 0, 1)
        assert refused(controller_elect_leader, state, 1)

    def test_every_election_and_every_shrink_sends_a_request_under_the_next_epoch(self):
        state = new_partition()
        assert controller_elect_leader(state, 0)
        assert controller_elect_leader(state, 1)
        assert controller_shrink_isr(state, 2)
        assert state.quorum.leader_epoch == 2
        everyone = Ids({0, 1, 2})
        assert [request_of(state, epoch) for epoch in (0, 1, 2)] == [(0, everyone), (1, everyone), (1, {0, 1})]
        assert request_of(state, 3) == (NO_LEADER, set())

    def test_there_is_no_epoch_beyond_the_largest(self):
        state = new_partition()
        send(state, BOUNDS["max_leader_epoch"], 0)
        assert refused(controller_elect_leader, state, 1)
        assert refused(controller_shrink_isr, state, 1)

    def test_a_leader_taken_out_leaves_the_partition_without_a_leader(self):
        state = new_partition()
        send(state, 0, 1)
        assert controller_shrink_isr(state, 1)
        assert (state.quorum.leader, state.quorum.isr) == (NO_LEADER, {0, 2})
        assert request_of(state, 1) == (NO_LEADER, {0, 2})

    def test_a_leader_that_is_the_last_member_stays_in_the_isr(self):
        state = new_partition()
        send(state, 0, 1, isr=[1])
        assert controller_shrink_isr(state, 1)
        assert (state.quorum.leader, state.quorum.isr) == (NO_LEADER, {1})

    def test_the_last_member_of_a_leaderless_partition_can_leave(self):
        state = new_partition()
        send(state, 0, NO_LEADER, isr=[1])
        assert controller_shrink_isr(state, 1)
        assert (state.quorum.leader, state.quorum.isr) == (NO_LEADER, set())
        assert all(refused(controller_elect_leader, state, each) for each in (0, 1, 2))

    def test_a_replica_outside_the_isr_cannot_be_taken_out(self):
        state = new_partition()
        send(state, 0, 1, isr=[1])
        assert refused(controller_shrink_isr, state, 0)


class TestBecomeLeader:
    def test_the_named_replica_takes_over_with_its_log_and_high_watermark(self):
        state = new_partition()
        put(state, 1, [(0, 0)], high_watermark=1, leader_epoch=0, leader=0)
        send(state, 1, 1, isr=[1, 2])
        assert become_leader(state, 1)
        replica = state.replicas[1]
        assert (replica.leader, replica.leader_epoch, replica.isr) == (1, 1, {1, 2})
        assert (records_of(replica.log), replica.high_watermark) == ([(0, 0)], 1)

    def test_a_request_not_newer_than_the_last_obeyed_is_ignored(self):
        state = new_partition()
        send(state, 0, 1)
        send(state, 1, 0)
        put(state, 1, leader_epoch=1, leader=0)
        assert refused(become_leader, state, 0)
        assert become_leader(state, 1)
        assert refused(become_leader, state, 1)

    def test_a_request_can_be_observed_after_newer_ones_were_sent(self):
        state = new_partition()
        send(state, 0, 1)
        send(state, 1, 0)
        assert become_leader(state, 0)
        assert state.replicas[1].leader == 1

    def test_nobody_obeys_a_request_without_a_leader_nor_one_never_sent(self):
        state = new_partition()
        send(state, 0, NO_LEADER)
        for leader_epoch in (0, 1):
            assert refused(become_leader, state, leader_epoch)
            for replica_id in (0, 1, 2):
                for rules in ALL_RULES:
                    assert refused(become_follower, state, rules, replica_id, leader_epoch)


class TestWrite:
    def test_the_record_carries_the_writers_epoch_and_the_next_id(self):
        state = new_partition()
        put(state, 0, [(0, 0)], leader_epoch=2, leader=0)
        state.next_record_id = 1
        assert leader_write(state, 0, 1)
        assert records_of(state.replicas[0].log) == [(0, 0), (1, 2)]
        assert state.next_record_id == 2
        assert refused(leader_write, state, 0, 1)
        assert refused(leader_write, state, 0, 3)

    def test_a_deposed_leader_writes_as_long_as_it_believes_it_leads(self):
        state = new_partition()
        put(state, 0, leader_epoch=0, leader=0)
        send(state, 3, 1, isr=[1])
        assert leader_write(state, 0, 0)

    def test_a_follower_does_not_write(self):
        state = new_partition()
        put(state, 1, leader_epoch=0, leader=0)
        assert refused(leader_write, state, 1, 0)
        assert refused(leader_write, state, 2, 0)

    def test_a_full_log_takes_no_record(self):
        state = new_partition()
        put(state, 0, [(0, 0), (1, 0), (2, 0), (3, 0)], leader_epoch=0, leader=0)
        state.next_record_id = 4
        assert refused(leader_write, state, 0, 4)


def partition_with_leader_0(leader_log, follower_log, other_log=(), high_watermark=0, isr=(0, 1, 2), epoch=1):
    """Replica 0 leads, in the controller's eyes too; the others follow it in its epoch."""
    state = new_partition()
    send(state, epoch, 0, isr)
    for replica_id, log in enumerate((leader_log, follower_log, other_log)):
        put(state, replica_id, log, 0, epoch, 0, isr)
    state.replicas[0].high_watermark = high_watermark
    return state


@each_rule
class TestHighWatermark:
    def test_it_rises_over_a_record_that_the_whole_isr_has(self, rules):
        state = partition_with_leader_0([(0, 1), (1, 1)], [(0, 1), (1, 1)], [(0, 1)])
        assert leader_inc_high_watermark(state, rules, 0)
        assert state.replicas[0].high_watermark == 1
        assert refused(leader_inc_high_watermark, state, rules, 0)

    def test_it_does_not_wait_for_a_replica_outside_the_leaders_isr(self, rules):
        state = partition_with_leader_0([(0, 1)], [(0, 1)], isr=[0, 1])
        send(state, 3, 1, isr=[0, 1, 2])
        assert leader_inc_high_watermark(state, rules, 0)

    def test_it_waits_for_a_member_that_follows_another_leader(self, rules):
        state = partition_with_leader_0([(0, 1)], [(0, 1)], [(0, 1)])
        state.replicas[2].leader = 1
        assert refused(leader_inc_high_watermark, state, rules, 0)

    def test_it_never_passes_the_end_of_the_log(self, rules):
        state = partition_with_leader_0([(0, 1)], [(0, 1)], [(0, 1)], high_watermark=1)
        assert refused(leader_inc_high_watermark, state, rules, 0)
        state.replicas[0].isr = Ids()
        assert refused(leader_inc_high_watermark, state, rules, 0)

    def test_only_a_presumed_leader_raises_it(self, rules):
        state = partition_with_leader_0([(0, 1)], [(0, 1)], [(0, 1)])
        assert refused(leader_inc_high_watermark, state, rules, 1)
        put(state, 2, [(1, 1)], isr=[])
        assert refused(leader_inc_high_watermark, state, rules, 2)


def test_without_fencing_a_follower_in_an_older_epoch_lets_the_high_watermark_rise():
    for rules in ALL_RULES:
        state = partition_with_leader_0([(0, 1)], [(0, 1)], [(0, 1)])
        state.replicas[1].leader_epoch = 0
        assert refused(leader_inc_high_watermark, state, rules, 0) is (rules == KIP_320)


@each_rule
class TestIsr:
    def test_the_leader_takes_out_a_replica_that_lags(self, rules):
        state = partition_with_leader_0([(0, 1)], [(0, 1)])
        assert refused(leader_shrink_isr, state, rules, 0, 1)
        assert leader_shrink_isr(state, rules, 0, 2)
        assert state.replicas[0].isr == state.quorum.isr == {0, 1}
        assert state.quorum.leader_epoch == 1
        assert refused(leader_shrink_isr, state, rules, 0, 2)

    def test_the_leader_takes_out_a_replica_that_does_not_follow_it(self, rules):
        state = partition_with_leader_0([], [])
        state.replicas[2].leader = NO_LEADER
        assert leader_shrink_isr(state, rules, 0, 2)

    def test_the_leader_never_takes_itself_out(self, rules):
        state = partition_with_leader_0([(0, 1)], [])
        assert refused(leader_shrink_isr, state, rules, 0, 0)

    def test_the_leader_lets_in_a_replica_that_reaches_its_high_watermark(self, rules):
        state = partition_with_leader_0([(0, 1), (1, 1)], [(0, 1)], [], high_watermark=1, isr=[0])
        assert refused(leader_expand_isr, state, rules, 0, 2)
        assert leader_expand_isr(state, rules, 0, 1)
        assert state.replicas[0].isr == state.quorum.isr == {0, 1}
        assert refused(leader_expand_isr, state, rules, 0, 1)

    def test_a_deposed_leader_changes_nothing(self, rules):
        state = partition_with_leader_0([(0, 1)], [(0, 1)], isr=[0, 2])
        send(state, 2, 1)
        assert refused(leader_shrink_isr, state, rules, 0, 2)
        assert refused(leader_expand_isr, state, rules, 0, 1)


def test_kafka_7128_a_new_leader_lets_nobody_in_before_its_high_watermark_reached_its_epoch():
    for rules in ALL_RULES:
        state = partition_with_leader_0([(0, 0)], [], isr=[0])
        assert refused(leader_expand_isr, state, rules, 0, 1) is (rules not in UNFENCED)


class TestBecomeFollower:
    @each_rule
    def test_the_replica_adopts_the_request_and_its_high_watermark_is_within_its_log(self, rules):
        state = new_partition()
        put(state, 0, [(0, 0)], leader_epoch=2, leader=0)
        put(state, 1, [(0, 0)], high_watermark=1, leader_epoch=1, leader=1)
        send(state, 2, 0, isr=[0, 1])
        assert become_follower(state, rules, 1, 2)
        replica = state.replicas[1]
        assert (replica.leader, replica.leader_epoch, replica.isr) == (0, 2, {0, 1})
        assert (records_of(replica.log), replica.high_watermark) == ([(0, 0)], 1)

    @each_rule
    def test_the_named_leader_does_not_follow_itself(self, rules):
        state = new_partition()
        send(state, 1, 0)
        assert refused(become_follower, state, rules, 0, 1)

    @each_rule
    def test_a_request_not_newer_than_the_last_obeyed_is_ignored(self, rules):
        state = new_partition()
        put(state, 0, leader_epoch=1, leader=0)
        send(state, 1, 0)
        put(state, 2, leader_epoch=2, leader=2)
        assert refused(become_follower, state, rules, 2, 1)
        assert become_follower(state, rules, 1, 1)
        assert refused(become_follower, state, rules, 1, 1)

    def test_the_high_watermark_falls_with_the_log(self):
        state = new_partition()
        put(state, 0, [(3, 1)])
        put(state, 1, [(0, 0), (1, 0)], high_watermark=2)
        send(state, 1, 0)
        assert become_follower(state, KIP_279, 1, 1)
        assert (records_of(state.replicas[1].log), state.replicas[1].high_watermark) == ([], 0)

    def test_kip_101_a_follower_waits_while_the_answer_lies_above_its_log(self):
        state = new_partition()
        put(state, 0, [(0, 0), (1, 0)])
        put(state, 1, [(0, 0)])
        send(state, 1, 0)
        assert refused(become_follower, state, KIP_101, 1, 1)
        assert become_follower(state, KIP_279, 1, 1)

    def test_kip_320_a_follower_waits_until_its_leader_is_in_the_epoch(self):
        state = new_partition()
        put(state, 0, leader_epoch=0, leader=0)
        send(state, 1, 0)
        assert refused(become_follower, state, KIP_320, 1, 1)
        for rules in (*UNFENCED, KIP_320_FIRST_TRY):
            assert become_follower(state.copy(), rules, 1, 1)
        assert become_leader(state, 1)
        assert become_follower(state, KIP_320, 1, 1)


class TestReplicate:
    @each_rule
    def test_one_record_is_fetched_with_the_epoch_it_was_written_in(self, rules):
        state = partition_with_leader_0([(0, 0), (1, 1)], [(0, 0)])
        assert follower_replicate(state, rules, 1)
        assert records_of(state.replicas[1].log) == [(0, 0), (1, 1)]
        assert refused(follower_replicate, state, rules, 1)

    @pytest.mark.parametrize(("leader_high_watermark", "follower_high_watermark"), [(0, 0), (1, 1), (2, 1)])
    def test_the_high_watermark_is_the_leaders_within_the_followers_log(
        self, leader_high_watermark, follower_high_watermark
    ):
        state = partition_with_leader_0([(0, 1), (1, 1)], [], high_watermark=leader_high_watermark)
        assert follower_replicate(state, KIP_320, 1)
        assert state.replicas[1].high_watermark == follower_high_watermark

    @each_rule
    def test_nobody_fetches_without_a_leader_or_from_one_that_does_not_lead(self, rules):
        state = partition_with_leader_0([(0, 1)], [])
        assert refused(follower_replicate, state, rules, 0)
        state.replicas[2].leader = NO_LEADER
        assert refused(follower_replicate, state, rules, 2)
        state.replicas[0].leader = 2
        assert refused(follower_replicate, state, rules, 1)

    def test_a_deposed_leader_serves_those_who_still_follow_it(self):
        for rules in ALL_RULES:
            state = partition_with_leader_0([(0, 1)], [])
            send(state, 3, 2)
            assert follower_replicate(state, rules, 1)

    @pytest.mark.parametrize("follower_epoch", [0, 2])
    def test_only_kip_320_refuses_a_fetch_from_another_epoch(self, follower_epoch):
        for rules in ALL_RULES:
            state = partition_with_leader_0([(0, 1)], [])
            state.replicas[1].leader_epoch = follower_epoch
            assert refused(follower_replicate, state, rules, 1) is (rules == KIP_320)

    def test_only_the_first_draft_refuses_a_fetch_whose_last_epoch_differs(self):
        for rules in ALL_RULES:
            state = partition_with_leader_0([(0, 1), (1, 1)], [(2, 0)])
            assert refused(follower_replicate, state, rules, 1) is (rules == KIP_320_FIRST_TRY)


class TestTruncateOnFetch:
    def test_a_follower_whose_log_differs_cuts_behind_the_last_shared_record(self):
        state = partition_with_leader_0([(0, 0), (3, 1)], [(0, 0), (1, 0), (2, 0)])
        state.replicas[1].high_watermark = 2
        assert follower_truncate(state, 1)
        assert (records_of(state.replicas[1].log), state.replicas[1].high_watermark) == ([(0, 0)], 1)
        assert refused(follower_truncate, state, 1)

    def test_a_leader_and_a_replica_without_a_living_leader_do_not_truncate(self):
        state = partition_with_leader_0([], [(1, 0)], [(1, 0)])
        assert refused(follower_truncate, state, 0)
        state.replicas[2].leader = NO_LEADER
        assert refused(follower_truncate, state, 2)
        state.replicas[0].leader = 2
        assert refused(follower_truncate, state, 1)
