"""What the world does to the metadata quorum: it is no one's rule, and each act is charged to a budget.

Restarting is part of a crash: a voter that is down does nothing, and may do nothing anyway. Healing is free.
Each restart and each new disk needs an id of its own for the records written afterwards: with `max_records` of them
there are at most `max_records` - 1 such acts, whatever the budgets allow.
"""

from kafkacheck.checker.schema import cardinality
from kafkacheck.impl.controller.quorum import Quorum, QuorumRules, VoterId, VoterSet
from kafkacheck.impl.controller.quorum_elections import begin_with_empty_disk, flushed_end_of, restart_voter
from kafkacheck.impl.log import LogOffset, RecordId, truncate_to


def voter_crashes(
    state: Quorum, rules: QuorumRules, voter_id: VoterId, end_offset: LogOffset, record_id: RecordId
) -> bool:
    """A voter's machine loses power and comes back: of the records that are not on the disk any suffix is lost.

    When: a crash is left, and the next id for what is written from then on; what is kept reaches at least to what is
        on the disk.
    Effect: its log ends at `end_offset`, and it begins anew with its `quorum-state` file.
    Source: QuorumState.initialize; KAFKA-10527, KAFKA-10661.
    Left out: files that are lost, which `voter_disk_is_replaced` has, or older than what was answered.
    """
    voter = state.voters[voter_id]
    if state.budget.crashes == 0 or record_id != state.record_id + 1:
        return False
    if end_offset < flushed_end_of(voter, voter_id) or end_offset > voter.log.end_offset:
        return False
    state.budget.crashes -= 1
    state.record_id = record_id
    truncate_to(voter.log, end_offset)
    restart_voter(state, rules, voter_id)
    return True


def voter_disk_is_replaced(state: Quorum, rules: QuorumRules, voter_id: VoterId, record_id: RecordId) -> bool:
    """A voter's disk fails, and it comes back with an empty one.

    When: a disk loss is left, and the next id for what is written from then on.
    Effect: it has no log, and knows of no epoch and no vote.
    Source: KAFKA-14077; KIP-853 (disk failure recovery).
    Left out: a log that is lost without the `quorum-state` file, or that file alone: both lie in one directory.
    """
    if state.budget.disk_losses == 0 or record_id != state.record_id + 1:
        return False
    state.budget.disk_losses -= 1
    state.record_id = record_id
    begin_with_empty_disk(state, rules, voter_id)
    return True


def network_is_cut(state: Quorum, voters: VoterSet) -> bool:
    """The network falls into two parts that do not reach each other.

    When: it is whole; these voters are no majority, and not nobody; a cut is left.
    Effect: they reach only each other.
    Source: KAFKA-15489.
    Left out: cuts that let one direction through, and those of which some voter does not take part.
    """
    if state.budget.cuts == 0 or state.cut_off != 0:
        return False
    if voters == 0 or 2 * cardinality(voters) > len(state.voters):
        return False
    state.budget.cuts -= 1
    state.cut_off = voters
    return True


def network_heals(state: Quorum) -> bool:
    """The network is whole again.

    When: it is cut.
    Effect: everybody reaches everybody.
    Source: KAFKA-15489.
    """
    if state.cut_off == 0:
        return False
    state.cut_off = 0
    return True
