"""The metadata quorum: who is elected, what its leader takes for committed, and what restarts and a cut network do."""

import pytest

from kafkacheck.checker import search
from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model.charges import charged
from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.quorum.records import NO_VOTER
from kafkacheck.impl.quorum.rules import QuorumRules, RestartRule
from kafkacheck.model.metadata_quorum.environment import network_heals, network_is_cut
from kafkacheck.model.metadata_quorum.environment import voter_crashes as free_voter_crashes
from kafkacheck.model.metadata_quorum.environment import voter_disk_is_replaced as free_voter_disk_is_replaced
from kafkacheck.model.metadata_quorum.system import (
    State,
    candidate_becomes_leader,
    quorum_leader_appends,
    quorum_leader_flushes,
    quorum_leader_resigns,
    quorum_leader_writes,
    voter_fetches,
    voter_is_elected,
    voter_receives_record,
    voter_receives_vote_request,
    voter_replaces_leader,
    voter_stands_for_election,
)
from kafkacheck.spec.metadata_quorum.elections import quorum_records_are_unique
from kafkacheck.spec.metadata_quorum.liveness import leader_without_majority, quorum_works
from kafkacheck.spec.metadata_quorum.properties import one_leader_in_quorum_epoch

voter_crashes = charged(free_voter_crashes, "crashes")
voter_disk_is_replaced = charged(free_voter_disk_is_replaced, "disk_losses")

BOUNDS = {
    "voters": 3,
    "log_size": 3,
    "max_records": 3,
    "max_leader_epoch": 4,
    "crashes": 2,
    "disk_losses": 1,
    "cuts": 2,
}
LAYOUT = Layout(State, BOUNDS)
FOUR_VOTERS = Layout(State, BOUNDS | {"voters": 4})
RULES = QuorumRules()


def blank(layout=LAYOUT):
    """A quorum that has just begun; the environment may still do all that the bounds allow."""
    state = layout.blank()
    state.budget.crashes = BOUNDS["crashes"]
    state.budget.disk_losses = BOUNDS["disk_losses"]
    state.budget.cuts = BOUNDS["cuts"]
    return state


def crashes(state, rules, voter_id, end_offset):
    """A voter restarts, and the next id is for what is written from then on."""
    return voter_crashes(state, rules, voter_id, end_offset, state.record_id + 1)


def loses_disk(state, rules, voter_id):
    """A voter's disk is replaced, and the next id is for what is written from then on."""
    return voter_disk_is_replaced(state, rules, voter_id, state.record_id + 1)


def epochs(state, voter_id):
    log = state.voters[voter_id].log
    return [log.records[offset].epoch for offset in range(log.end_offset)]


def test_a_leader_is_elected_by_a_majority_that_it_belongs_to_and_writes_a_record_of_its_epoch():
    state = LAYOUT.blank()
    assert not voter_is_elected(state, RULES, 0, Ids({0}), 1), "no majority"
    assert not voter_is_elected(state, RULES, 0, Ids({1, 2}), 1), "not its own vote"
    assert not voter_is_elected(state, RULES, 0, Ids({0, 1}), 2), "not the next epoch"
    assert voter_is_elected(state, RULES, 0, Ids({0, 1}), 1)
    assert epochs(state, 0) == [1]
    assert not voter_is_elected(state, RULES, 1, Ids({0, 1}), 2), "voter 0 has a newer record"
    assert voter_is_elected(state, RULES, 2, Ids({1, 2}), 2)
    assert state.voters[0].is_leader, "it has not heard of it"


def test_a_log_that_differs_is_cut_before_it_counts():
    state = LAYOUT.blank()
    assert voter_is_elected(state, RULES, 0, Ids({0, 1}), 1) and quorum_leader_appends(state, RULES, 0)
    assert voter_is_elected(state, RULES, 2, Ids({1, 2}), 2)
    assert voter_fetches(state, RULES, 0, 2)
    assert not state.voters[0].is_leader
    assert state.voters[2].high_watermark == 0
    assert voter_receives_record(state, 0, 2)
    assert epochs(state, 0) == []
    assert voter_receives_record(state, 0, 2) and voter_fetches(state, RULES, 0, 2)
    assert epochs(state, 0) == [2]
    assert state.voters[2].high_watermark == 1


@pytest.mark.parametrize(("awaits", "committed"), [(True, NO_EPOCH), (False, 1)])
def test_records_of_earlier_epochs_are_committed_with_one_of_the_leaders_own(awaits, committed):
    """KAFKA-12619."""
    rules = QuorumRules(high_watermark_awaits_own_record=awaits)
    state = LAYOUT.blank()
    assert voter_is_elected(state, rules, 0, Ids({0, 1}), 1)
    assert voter_is_elected(state, rules, 0, Ids({0, 2}), 2)
    assert voter_receives_record(state, 2, 0) and voter_fetches(state, rules, 2, 0)
    assert state.committed[0] == committed
    assert voter_receives_record(state, 2, 0) and voter_fetches(state, rules, 2, 0)
    assert list(state.committed)[:2] == [1, 2]


def led_by_voter_0():
    """Voters 0 and 1 stand in epoch 1; voter 2 votes for voter 0, and has its record before that is on the disk."""
    state = blank()
    assert voter_stands_for_election(state, 0, 1) and voter_stands_for_election(state, 1, 1)
    assert voter_receives_vote_request(state, 2, 0)
    assert candidate_becomes_leader(state, 0) and voter_receives_record(state, 2, 0)
    return state


def test_a_voter_votes_once_in_an_epoch_and_hears_of_a_newer_one_although_it_refuses():
    state = blank()
    assert not voter_receives_vote_request(state, 1, 0), "nobody stands"
    assert not voter_stands_for_election(state, 0, 2), "not the next epoch"
    assert voter_stands_for_election(state, 0, 1)
    assert not candidate_becomes_leader(state, 0), "its own vote is no majority"
    assert voter_stands_for_election(state, 1, 1)
    assert not voter_receives_vote_request(state, 1, 0), "it has voted for itself"
    assert voter_receives_vote_request(state, 2, 0) and not voter_receives_vote_request(state, 2, 1)
    assert candidate_becomes_leader(state, 0)
    assert not voter_stands_for_election(state, 0, 2), "it leads"
    assert voter_receives_record(state, 2, 0)
    assert voter_stands_for_election(state, 1, 2)
    assert voter_receives_vote_request(state, 2, 1), "it hears of the epoch"
    assert (state.voters[2].epoch, state.voters[2].voted) == (2, NO_VOTER)
    assert not voter_receives_vote_request(state, 2, 1), "voter 1 lacks a record"
    assert voter_receives_vote_request(state, 0, 1) and not state.voters[0].is_leader
    assert state.voters[1].votes == {1}


def test_a_leader_counts_its_own_log_when_that_is_on_the_disk():
    state = led_by_voter_0()
    assert voter_fetches(state, RULES, 2, 0)
    assert state.voters[0].high_watermark == 0, "only voter 2 has it for sure"
    assert quorum_leader_flushes(state, RULES, 0) and state.voters[0].high_watermark == 1
    assert not quorum_leader_flushes(state, RULES, 0), "nothing is new"
    assert quorum_leader_writes(state, 0) and not crashes(state, RULES, 0, 0), "the first record is on the disk"
    assert crashes(state, RULES, 0, 1)
    assert epochs(state, 0) == [1]


def test_votes_and_epochs_survive_restarts_and_what_a_leader_and_a_candidate_have_counted_does_not():
    state = led_by_voter_0()
    assert voter_fetches(state, RULES, 2, 0)
    assert crashes(state, RULES, 0, 1)
    leader = state.voters[0]
    assert (leader.is_leader, leader.has_resigned, leader.epoch, leader.voted) == (False, True, 1, 0)
    assert list(leader.end_offsets) == [NO_OFFSET] * 3
    assert not quorum_leader_writes(state, 0)
    assert voter_stands_for_election(state, 0, 2) and not leader.has_resigned
    assert voter_receives_vote_request(state, 2, 0) and leader.votes == {0, 2}
    assert crashes(state, RULES, 0, 1) and leader.votes == {0}
    assert voter_receives_vote_request(state, 2, 0), "it is asked again, and says the same"
    assert candidate_becomes_leader(state, 0)
    assert not crashes(state, RULES, 2, 1), "none is left"


def test_a_leader_that_restarts_leads_no_more_in_its_epoch():
    """KAFKA-10527."""
    for rule, is_leader in ((RestartRule.RESIGNED, False), (RestartRule.LEADER, True)):
        state = led_by_voter_0()
        assert crashes(state, QuorumRules(leader_restarts_as=rule), 0, 0)
        assert state.voters[0].is_leader == is_leader
        assert epochs(state, 2) == [1]
        assert quorum_records_are_unique(state) != is_leader


def test_a_leader_that_restarts_does_not_vote_in_its_epoch_again():
    """KAFKA-10661."""
    for rule, votes_again in ((RestartRule.RESIGNED, False), (RestartRule.UNATTACHED, True)):
        state = led_by_voter_0()
        assert crashes(state, QuorumRules(leader_restarts_as=rule), 0, 0)
        assert voter_receives_vote_request(state, 0, 1) == votes_again
        assert candidate_becomes_leader(state, 1) == votes_again
        assert quorum_records_are_unique(state) != votes_again


@pytest.mark.parametrize("has_directories", [True, False])
def test_a_voter_whose_disk_is_replaced_is_none_until_it_is_added_anew(has_directories):
    """KAFKA-14077: by its id alone it votes twice in an epoch, and counts with an empty log."""
    rules = QuorumRules(voters_have_directories=has_directories)
    state = led_by_voter_0()
    assert loses_disk(state, rules, 2)
    assert (state.voters[2].epoch, state.voters[2].voted, epochs(state, 2)) == (0, NO_VOTER, [])
    assert voter_receives_vote_request(state, 2, 1) and state.voters[2].epoch == 1, "an observer adopts the epoch, too"
    assert (2 in state.voters[1].votes) != has_directories
    assert candidate_becomes_leader(state, 1) != has_directories
    assert one_leader_in_quorum_epoch(state) == has_directories
    assert voter_fetches(state, rules, 2, 0) != has_directories
    assert voter_receives_record(state, 2, 0), "an observer is given records"
    assert voter_fetches(state, rules, 2, 0) != has_directories
    assert state.voters[0].end_offsets[2] == (NO_OFFSET if has_directories else 1), "and does not count"
    assert voter_stands_for_election(state, 2, 2) != has_directories
    assert not loses_disk(state, rules, 0), "none is left"


def test_who_restarts_needs_the_next_id_for_what_is_written_from_then_on():
    state = blank()
    for record_id in (0, 2):
        assert not voter_crashes(state, RULES, 0, 0, record_id)
        assert not voter_disk_is_replaced(state, RULES, 0, record_id)
    assert voter_crashes(state, RULES, 0, 0, 1) and voter_disk_is_replaced(state, RULES, 0, 2)
    assert state.record_id == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["metadata_quorum.restarts", "metadata_quorum.disks"])
def test_bounds_that_lack_an_id_leave_a_restart_out(name):
    """Also more crashes and lost disks than ids: the model is explored to its end."""
    model = find_model(name).with_bounds(
        {"max_records": 1, "crashes": 2, "disk_losses": 2, "max_leader_epoch": 1, "log_size": 1}
    )
    assert search.check(model).verdict is Verdict.HOLDS


def test_nothing_crosses_a_network_that_is_cut_until_it_heals():
    state = blank()
    assert not network_heals(state) and not network_is_cut(state, Ids())
    assert not network_is_cut(state, Ids({0, 1})), "a majority is not cut off"
    assert voter_replaces_leader(state, RULES, 0, Ids({0, 1}), 1)
    assert network_is_cut(state, Ids({0})) and not network_is_cut(state, Ids({1}))
    assert not voter_fetches(state, RULES, 2, 0) and not voter_receives_record(state, 1, 0)
    assert not voter_replaces_leader(state, RULES, 1, Ids({0, 1}), 2)
    assert network_heals(state)
    assert voter_fetches(state, RULES, 2, 0) and voter_receives_record(state, 1, 0)


def test_a_leader_that_is_cut_off_resigns_and_the_majority_elects_another():
    """KAFKA-15489."""
    state = blank()
    assert voter_replaces_leader(state, RULES, 0, Ids({0, 1}), 1)
    assert not quorum_leader_resigns(state, RULES, 0), "it is heard"
    assert not voter_replaces_leader(state, RULES, 2, Ids({1, 2}), 2), "it hears a leader"
    assert network_is_cut(state, Ids({0})) and leader_without_majority(state)
    assert voter_replaces_leader(state, RULES, 2, Ids({1, 2}), 2)
    assert not quorum_leader_resigns(state, QuorumRules(leader_checks_quorum=False), 0), "the old rule"
    assert quorum_leader_resigns(state, RULES, 0)
    assert not quorum_leader_resigns(state, RULES, 0) and not leader_without_majority(state)
    assert not quorum_leader_resigns(state, RULES, 2), "it has a majority"
    assert voter_receives_record(state, 1, 2) and not quorum_works(state)
    assert voter_fetches(state, RULES, 1, 2) and quorum_works(state)


def test_a_leader_that_was_replaced_resigns_also_when_the_network_has_healed():
    state = blank()
    assert voter_replaces_leader(state, RULES, 0, Ids({0, 1}), 1) and network_is_cut(state, Ids({0}))
    assert voter_replaces_leader(state, RULES, 2, Ids({1, 2}), 2) and network_heals(state)
    assert leader_without_majority(state) and quorum_leader_resigns(state, RULES, 0)


# An even number of voters: half of them are no majority, and a majority is more than one besides the leader.


def test_of_four_voters_two_elect_nobody_and_commit_nothing():
    state = blank(FOUR_VOTERS)
    assert not voter_is_elected(state, RULES, 0, Ids({0, 1}), 1)
    assert voter_stands_for_election(state, 0, 1) and voter_receives_vote_request(state, 1, 0)
    assert not candidate_becomes_leader(state, 0)
    assert voter_receives_vote_request(state, 2, 0) and candidate_becomes_leader(state, 0)
    assert quorum_leader_flushes(state, RULES, 0)
    assert voter_receives_record(state, 1, 0) and voter_fetches(state, RULES, 1, 0)
    assert state.voters[0].high_watermark == 0
    assert voter_receives_record(state, 2, 0) and voter_fetches(state, RULES, 2, 0)
    assert state.voters[0].high_watermark == 1


def test_a_leader_that_hears_half_of_four_voters_resigns():
    state = blank(FOUR_VOTERS)
    assert voter_replaces_leader(state, RULES, 0, Ids({0, 1, 2}), 1)
    assert network_is_cut(state, Ids({3})) and not quorum_leader_resigns(state, RULES, 0), "three are a majority"
    assert network_heals(state) and network_is_cut(state, Ids({2, 3}))
    assert leader_without_majority(state) and quorum_leader_resigns(state, RULES, 0)
    assert quorum_works(state), "nobody can lead one half"
    assert network_heals(state) and not quorum_works(state)


def test_who_has_refused_a_candidate_votes_for_another_in_the_same_epoch():
    state = blank(FOUR_VOTERS)
    assert voter_stands_for_election(state, 0, 1)
    assert voter_receives_vote_request(state, 1, 0) and voter_receives_vote_request(state, 2, 0)
    assert candidate_becomes_leader(state, 0)
    assert voter_receives_record(state, 1, 0) and voter_receives_record(state, 2, 0)
    assert voter_stands_for_election(state, 3, 1) and voter_stands_for_election(state, 3, 2)
    assert voter_receives_vote_request(state, 1, 3) and state.voters[3].votes == {3}, "it lacks a record"
    assert voter_stands_for_election(state, 2, 2)
    assert voter_receives_vote_request(state, 1, 2) and voter_receives_vote_request(state, 0, 2)
    assert candidate_becomes_leader(state, 2)


def test_a_leader_begins_with_what_it_has_on_the_disk_and_has_heard_of_nobody():
    state = blank(FOUR_VOTERS)
    leader = state.voters[0]
    for epoch in (1, 2):
        assert voter_stands_for_election(state, 0, epoch)
        assert voter_receives_vote_request(state, 1, 0) and voter_receives_vote_request(state, 2, 0)
        assert candidate_becomes_leader(state, 0)
        assert list(leader.end_offsets) == [epoch - 1, NO_OFFSET, NO_OFFSET, NO_OFFSET]
        assert (leader.votes, leader.epoch_start_offset, leader.high_watermark) == (set(), epoch - 1, 0)
        if epoch == 1:
            assert quorum_leader_flushes(state, RULES, 0)
            for voter_id in (1, 2):
                assert voter_receives_record(state, voter_id, 0) and voter_fetches(state, RULES, voter_id, 0)
            assert leader.high_watermark == 1 and crashes(state, RULES, 0, 1)
    assert not crashes(state, RULES, 0, 0), "its first record is on the disk"


def test_a_leader_whose_disk_is_replaced_has_no_records_and_leads_no_more():
    state = blank(FOUR_VOTERS)
    assert voter_is_elected(state, RULES, 0, Ids({0, 1, 2}), 1)
    assert loses_disk(state, RULES, 0)
    voter = state.voters[0]
    assert (voter.epoch, voter.is_leader, voter.log.end_offset, epochs(state, 0)) == (0, False, 0, [])
    assert list(voter.end_offsets) == [NO_OFFSET] * 4
