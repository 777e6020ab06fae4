"""Where each rule of Kafka's history cuts a follower's log, sentence by sentence."""

import pytest

from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.replication.truncation import (
    end_of_last_shared_record,
    end_offset_for_epoch,
    needs_truncation,
    truncation_offset,
)
from tests.support.partition import (
    HIGH_WATERMARK,
    KIP_101,
    KIP_279,
    KIP_320,
    KIP_320_FIRST_TRY,
    log_of,
    new_partition,
    put,
)

LEADER, FOLLOWER = 0, 1


def offset(rules, leader, follower, high_watermark=0):
    """Where the rule cuts a follower's log that meets the leader's."""
    state = new_partition()
    put(state, LEADER, leader)
    put(state, FOLLOWER, follower, high_watermark)
    return truncation_offset(state.replicas[FOLLOWER], rules, state.replicas[LEADER].log)


def test_before_kip_101_a_follower_cuts_at_its_own_high_watermark_whatever_the_leader_has():
    same = [(0, 0), (1, 0)]
    assert offset(HIGH_WATERMARK, same, same, high_watermark=1) == 1
    assert offset(HIGH_WATERMARK, [(4, 3)], same, high_watermark=2) == 2


class TestKip101:
    def test_the_leaders_latest_epoch_ends_where_its_log_ends(self):
        assert end_offset_for_epoch(log_of([(0, 0), (1, 2), (2, 2)]), 2) == 3

    def test_an_older_epoch_ends_where_the_next_later_one_begins(self):
        assert end_offset_for_epoch(log_of([(0, 0), (1, 0), (2, 2), (3, 3)]), 0) == 2

    def test_an_epoch_the_leader_never_had_is_said_to_end_where_a_later_one_begins(self):
        assert end_offset_for_epoch(log_of([(0, 0), (1, 0), (2, 3)]), 1) == 2

    def test_an_epoch_older_than_all_of_the_leaders_ends_at_its_first_record(self):
        assert end_offset_for_epoch(log_of([(0, 2), (1, 3)]), 1) == 0

    def test_an_epoch_later_than_all_of_the_leaders_has_no_known_end(self):
        assert end_offset_for_epoch(log_of([(0, 0), (1, 1)]), 2) == NO_OFFSET

    def test_an_empty_leader_knows_the_end_of_no_epoch(self):
        assert end_offset_for_epoch(log_of([]), 0) == NO_OFFSET

    def test_the_follower_asks_for_its_latest_epoch(self):
        assert offset(KIP_101, [(0, 0), (3, 2)], [(0, 0), (1, 0), (2, 0)]) == 1

    def test_without_an_answer_the_follower_falls_back_to_its_high_watermark(self):
        assert offset(KIP_101, [(0, 0)], [(0, 0), (1, 1)], high_watermark=1) == 1
        assert offset(KIP_101, [(0, 0)], [(0, 0), (1, 1)], high_watermark=0) == 0
        assert offset(KIP_101, [], [(0, 0), (1, 1)], high_watermark=2) == 2

    @pytest.mark.parametrize("leader", [[], [(0, 0), (1, 1)], [(1, 1)]])
    def test_an_empty_follower_has_nothing_to_cut(self, leader):
        assert offset(KIP_101, leader, []) == 0

    def test_the_answer_can_lie_above_the_end_of_the_followers_log(self):
        assert offset(KIP_101, [(0, 0), (1, 0)], [(0, 0)]) == 2

    def test_the_hole_that_kip_279_closed_a_foreign_record_is_kept(self):
        """The leader never had epoch 2; it names the start of epoch 3, which lies above the fork at offset 1."""
        leader, follower = [(0, 0), (1, 1), (2, 1), (4, 3)], [(0, 0), (3, 2)]
        assert offset(KIP_101, leader, follower) == 3
        assert offset(KIP_279, leader, follower) == 1


class TestKip279:
    def test_the_follower_cuts_behind_the_last_record_that_both_have(self):
        assert offset(KIP_279, [(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (3, 1), (4, 1)]) == 2

    def test_the_search_begins_at_the_tail_and_stops_at_the_first_match(self):
        """Logs of real replicas that agree at an offset agree below it; the rule relies on that and does not look."""
        assert end_of_last_shared_record(log_of([(0, 0), (1, 1), (2, 2)]), log_of([(0, 0), (3, 1), (2, 2)])) == 3

    def test_a_record_of_another_epoch_does_not_match(self):
        assert end_of_last_shared_record(log_of([(0, 0), (1, 1)]), log_of([(0, 0), (1, 2)])) == 1

    def test_logs_that_share_nothing_are_cut_to_nothing(self):
        assert offset(KIP_279, [(0, 0)], [(1, 1), (2, 1)], high_watermark=1) == 0

    @pytest.mark.parametrize(("leader", "follower"), [([], [(0, 0)]), ([(0, 0)], []), ([], [])])
    def test_an_empty_log_shares_nothing(self, leader, follower):
        assert offset(KIP_279, leader, follower) == 0

    def test_a_shorter_leader_cuts_the_follower_to_its_own_length(self):
        assert offset(KIP_279, [(0, 0)], [(0, 0), (1, 0), (2, 0)]) == 1

    def test_a_longer_leader_cuts_nothing(self):
        assert offset(KIP_279, [(0, 0), (1, 0), (2, 1)], [(0, 0), (1, 0)]) == 2

    def test_kip_320_kept_the_rule(self):
        leader, follower = [(0, 0), (1, 1)], [(0, 0), (2, 0), (3, 0)]
        assert offset(KIP_320, leader, follower) == offset(KIP_279, leader, follower) == 1


class TestTruncationOnFetch:
    """The first draft of KIP-320."""

    def needs(self, leader, follower):
        return needs_truncation(log_of(leader), log_of(follower))

    def test_nothing_is_cut_on_becoming_a_follower(self):
        assert offset(KIP_320_FIRST_TRY, [(3, 3)], [(0, 0), (1, 1)]) == 2

    def test_a_log_longer_than_the_leaders_needs_truncation(self):
        assert self.needs([(0, 0)], [(0, 0), (1, 0)])
        assert self.needs([], [(0, 0)])

    def test_a_last_record_of_another_epoch_needs_truncation(self):
        assert self.needs([(0, 0), (1, 1)], [(0, 0), (2, 0)])
        assert self.needs([(0, 0), (1, 1), (3, 1)], [(0, 0), (2, 2)])

    def test_a_prefix_of_the_leaders_log_does_not(self):
        assert not self.needs([(0, 0), (1, 1)], [(0, 0), (1, 1)])
        assert not self.needs([(0, 0), (1, 1)], [(0, 0)])
        assert not self.needs([(0, 0)], [])
        assert not self.needs([], [])
