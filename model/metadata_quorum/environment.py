"""Disturbances of the metadata quorum: no rule governs them, and each one is charged to a budget.

A crash includes the restart: a voter that is down does nothing, and a running voter may do nothing, too. Healing is
free. Each restart and each new disk needs a new id for the records written afterwards: `max_records` ids allow at most
`max_records` - 1 such actions, even if the budgets allow more.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.ids import LogOffset, RecordId
from kafkacheck.impl.log import truncate_to
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.quorum.elections import begin_with_empty_disk, flushed_end_of, restart_voter
from kafkacheck.impl.quorum.records import VoterId, VoterSet
from kafkacheck.impl.quorum.rules import QuorumRules
from kafkacheck.model.metadata_quorum.system import State


def voter_crashes(
    state: State, rules: QuorumRules, voter_id: VoterId, end_offset: LogOffset, record_id: RecordId
) -> bool:
    """A voter's machine loses power and comes back; it may lose any suffix of the records that are not on the disk.

    When: a crash is left, and a next id for records written from then on; the records on the disk are kept.
    Effect: its log ends at `end_offset`, and it begins anew with its `quorum-state` file.
    Source: QuorumState.initialize; KAFKA-10527, KAFKA-10661.
    Left out: lost files, which `voter_disk_is_replaced` has, and files older than the last answer.
    """
    voter = state.voters[voter_id]
    if record_id != state.record_id + 1:
        return False
    if end_offset < flushed_end_of(voter, voter_id) or end_offset > end_of(voter.log):
        return False
    state.record_id = record_id
    truncate_to(voter.log, end_offset)
    restart_voter(voter, rules, voter_id, record_id)
    return True


def voter_disk_is_replaced(state: State, rules: QuorumRules, voter_id: VoterId, record_id: RecordId) -> bool:
    """A voter's disk fails, and the voter comes back with an empty one.

    When: a disk loss is left, and a next id for records written from then on.
    Effect: it has no log, and knows of no epoch and no vote.
    Source: KAFKA-14077; KIP-853 (disk failure recovery).
    Left out: the loss of only the log or only the `quorum-state` file: both are in one directory.
    """
    if record_id != state.record_id + 1:
        return False
    state.record_id = record_id
    begin_with_empty_disk(state.voters[voter_id], rules)
    return True


def network_is_cut(state: State, voters: VoterSet) -> bool:
    """The network falls into two parts that do not reach each other.

    When: the network is whole; `voters` are at least one, and no majority; a cut is left.
    Effect: they reach only each other, and so do the other voters.
    Source: KAFKA-15489.
    Left out: cuts that let one direction through, and cuts that leave out some voter.
    """
    if state.cut_off != Ids():
        return False
    if voters == Ids() or 2 * len(voters) > len(state.voters):
        return False
    state.cut_off = voters
    return True


def network_heals(state: State) -> bool:
    """The network is whole again.

    When: it is cut.
    Effect: all voters reach each other.
    Source: KAFKA-15489.
    """
    if state.cut_off == Ids():
        return False
    state.cut_off = Ids()
    return True


CHARGES = {voter_crashes: "crashes", voter_disk_is_replaced: "disk_losses", network_is_cut: "cuts"}
"""The allowance to which each disturbance of this file is charged."""
