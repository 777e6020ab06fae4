"""Who leads, who follows and who counts as caught up, under each fetch fencing rule."""

import pytest

from kafkacheck.impl.replication.fencing import (
    can_ask_leader,
    has_established_epoch,
    is_follower_caught_up,
    is_following,
    is_presumed_leader,
    is_true_leader,
)
from tests.support.partition import (
    ALL_RULES,
    HIGH_WATERMARK,
    KIP_101,
    KIP_279,
    KIP_320,
    KIP_320_FIRST_TRY,
    new_partition,
    put,
    send,
)

LEADER, FOLLOWER, OTHER = 0, 1, 2
UNFENCED = (HIGH_WATERMARK, KIP_101, KIP_279)
WITHOUT_LEADER_EPOCH = (*UNFENCED, KIP_320_FIRST_TRY)


def pair(leader_log=(), follower_log=(), leader_epoch=2, follower_epoch=2, leader_high_watermark=0):
    """A leader and a follower that believes in it, each in an epoch."""
    state = new_partition()
    put(state, LEADER, leader_log, leader_high_watermark, leader_epoch, LEADER)
    put(state, FOLLOWER, follower_log, 0, follower_epoch, LEADER)
    return state


def is_caught_up(state, rules, end_offset):
    """Whether the leader finds the follower caught up to an offset."""
    leader, follower = state.replicas[LEADER], state.replicas[FOLLOWER]
    return is_follower_caught_up(leader, rules, LEADER, follower, end_offset)


def test_a_replica_believes_it_leads_until_it_hears_otherwise():
    state = pair()
    send(state, 2, LEADER)
    assert is_presumed_leader(state.replicas[LEADER], LEADER)
    assert is_true_leader(state.quorum, state.replicas[LEADER], LEADER)
    send(state, 3, OTHER)
    assert is_presumed_leader(state.replicas[LEADER], LEADER)
    assert not is_true_leader(state.quorum, state.replicas[LEADER], LEADER)


def test_a_follower_in_the_current_epoch_is_not_the_true_leader():
    state = pair(leader_epoch=2, follower_epoch=2)
    send(state, 2, LEADER)
    assert not is_true_leader(state.quorum, state.replicas[FOLLOWER], FOLLOWER)


def test_a_re_elected_leader_is_the_true_one_only_once_it_is_in_its_new_epoch():
    state = pair(leader_epoch=2)
    send(state, 4, LEADER)
    assert not is_true_leader(state.quorum, state.replicas[LEADER], LEADER)
    state.replicas[LEADER].leader_epoch = 4
    assert is_true_leader(state.quorum, state.replicas[LEADER], LEADER)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_a_leader_follows_itself_and_nobody_follows_a_replica_it_does_not_believe_in(rules):
    state = pair()
    assert is_following(state.replicas[LEADER], rules, LEADER, state.replicas[LEADER])
    assert is_following(state.replicas[LEADER], rules, LEADER, state.replicas[FOLLOWER])
    assert not is_following(state.replicas[LEADER], rules, LEADER, state.replicas[OTHER])


@pytest.mark.parametrize("follower_epoch", [1, 3])
def test_only_kip_320_tells_a_follower_in_another_epoch(follower_epoch):
    state = pair([(0, 0)], [(0, 0)], leader_epoch=2, follower_epoch=follower_epoch)
    for rules in WITHOUT_LEADER_EPOCH:
        assert is_caught_up(state, rules, 1)
    assert not is_following(state.replicas[LEADER], KIP_320, LEADER, state.replicas[FOLLOWER])
    assert not is_caught_up(state, KIP_320, 0)
    assert not is_caught_up(state, KIP_320, 1)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_a_follower_is_caught_up_with_what_its_log_reaches(rules):
    state = pair([(0, 0), (1, 1)], [(0, 0)])
    assert is_caught_up(state, rules, 0)
    assert is_caught_up(state, rules, 1)
    assert not is_caught_up(state, rules, 2)


def test_only_the_first_draft_tells_a_last_record_of_another_epoch():
    state = pair([(0, 0), (1, 1)], [(0, 0), (2, 2)])
    for rules in (*UNFENCED, KIP_320):
        assert is_caught_up(state, rules, 2)
    assert not is_caught_up(state, KIP_320_FIRST_TRY, 2)


def test_the_first_draft_compares_the_epoch_below_the_offset_and_no_other():
    state = pair([(0, 0), (1, 2)], [(3, 1), (2, 2)])
    assert is_caught_up(state, KIP_320_FIRST_TRY, 2)
    assert not is_caught_up(state, KIP_320_FIRST_TRY, 1)


class TestKafka7128:
    """A leader lets replicas into the ISR once its high watermark has reached its own epoch."""

    def test_a_high_watermark_below_a_record_of_an_earlier_epoch_has_not(self):
        state = pair([(0, 0), (1, 1)], leader_epoch=2, leader_high_watermark=1)
        assert not has_established_epoch(state.replicas[LEADER], KIP_320)
        assert not has_established_epoch(state.replicas[LEADER], KIP_320_FIRST_TRY)

    def test_a_high_watermark_below_a_record_of_the_leaders_own_epoch_has(self):
        state = pair([(0, 0), (1, 2)], leader_epoch=2, leader_high_watermark=1)
        assert has_established_epoch(state.replicas[LEADER], KIP_320)

    def test_a_high_watermark_at_the_end_of_the_log_has(self):
        assert has_established_epoch(pair([(0, 0)], leader_high_watermark=1).replicas[LEADER], KIP_320)
        assert has_established_epoch(pair().replicas[LEADER], KIP_320)

    @pytest.mark.parametrize("rules", UNFENCED, ids=str)
    def test_the_older_rules_do_not_ask(self, rules):
        state = pair([(0, 0)], leader_epoch=2, leader_high_watermark=0)
        assert has_established_epoch(state.replicas[LEADER], rules)


def test_with_kip_320_only_a_leader_in_the_epoch_answers_where_to_truncate():
    state = pair(leader_epoch=2)
    assert can_ask_leader(state.replicas[LEADER], KIP_320, 2)
    assert not can_ask_leader(state.replicas[LEADER], KIP_320, 1)
    assert not can_ask_leader(state.replicas[LEADER], KIP_320, 3)


@pytest.mark.parametrize("rules", WITHOUT_LEADER_EPOCH, ids=str)
def test_without_it_even_a_broker_that_has_heard_of_no_epoch_answers(rules):
    assert can_ask_leader(new_partition().replicas[LEADER], rules, 0)
