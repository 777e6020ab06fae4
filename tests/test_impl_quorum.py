"""The metadata quorum: who is elected, and what its leader takes for committed."""

import pytest

from checker.layout import Layout
from impl.constants import NO_EPOCH
from impl.controller.quorum import (
    Quorum,
    QuorumRules,
    quorum_leader_appends,
    voter_fetches,
    voter_is_elected,
    voter_receives_record,
)

LAYOUT = Layout(Quorum, {"voters": 3, "log_size": 3, "max_records": 1, "max_leader_epoch": 4})
RULES = QuorumRules()


def epochs(state, voter_id):
    log = state.voters[voter_id].log
    return [log.records[offset].epoch for offset in range(log.end_offset)]


def test_a_leader_is_elected_by_a_majority_that_it_belongs_to_and_writes_a_record_of_its_epoch():
    state = LAYOUT.blank()
    assert not voter_is_elected(state, RULES, 0, 0b001, 1), "no majority"
    assert not voter_is_elected(state, RULES, 0, 0b110, 1), "not its own vote"
    assert not voter_is_elected(state, RULES, 0, 0b011, 2), "not the next epoch"
    assert voter_is_elected(state, RULES, 0, 0b011, 1)
    assert epochs(state, 0) == [1]
    assert not voter_is_elected(state, RULES, 1, 0b011, 2), "voter 0 has a newer record"
    assert voter_is_elected(state, RULES, 2, 0b110, 2)
    assert state.voters[0].is_leader, "it has not heard of it"


def test_a_log_that_differs_is_cut_before_it_counts():
    state = LAYOUT.blank()
    assert voter_is_elected(state, RULES, 0, 0b011, 1) and quorum_leader_appends(state, RULES, 0)
    assert voter_is_elected(state, RULES, 2, 0b110, 2)
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
    assert voter_is_elected(state, rules, 0, 0b011, 1)
    assert voter_is_elected(state, rules, 0, 0b101, 2)
    assert voter_receives_record(state, 2, 0) and voter_fetches(state, rules, 2, 0)
    assert state.committed[0] == committed
    assert voter_receives_record(state, 2, 0) and voter_fetches(state, rules, 2, 0)
    assert list(state.committed)[:2] == [1, 2]
