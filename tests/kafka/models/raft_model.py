"""How do voters of the metadata quorum answer each other, whatever came before?

The closed system of `impl/quorum/` with elections in steps, in the grain in which `KafkaRaftClient` takes them: what a
leader appends it flushes in the same poll, unless its machine loses power between the two; and a voter gets a record
only after the leader has noted the fetch that asks for it. The catalogue's models leave more open.

A voter that has resigned enters the next epoch before it may stand, as it does since KIP-996; in the catalogue it
stands at once, as it did before. A voter that follows its epoch's leader refuses its vote, which the catalogue leaves
out.

Bounds: three voters, two of them a majority; two epochs, and room for a LeaderChange record and another one. Records
have no ids, because Kafka's have none.
**Not covered**: a candidate that hears of the leader of its own epoch; a replaced disk among voters that are known by
their ids alone (`voters_have_directories=false`, `kraft.version` 0). There two voters can lead in one epoch
(KAFKA-14077), and Kafka's clients throw when they hear of both.
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, Array, ById, Ids, Struct
from kafkacheck.impl.ids import LeaderEpoch, LogOffset
from kafkacheck.impl.log import is_full, truncate_to
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.quorum import check_quorum, elections, replication
from kafkacheck.impl.quorum.records import Voter, VoterId, VoterSet, enter_epoch
from kafkacheck.impl.quorum.rules import QuorumRules

RECORD = 0
"""The id of every record."""


class Budget(Struct):
    """How many disturbances are left.

    crashes: voters that lose power and restart.
    disk_losses: voters whose disk is replaced by an empty one.
    """

    crashes: Annotated[int, Allowance("crashes")]
    disk_losses: Annotated[int, Allowance("disk_losses")]


class State(Struct):
    """The voters.

    voters: by id.
    followers: the voters that know the leader of their epoch.
    budget: the disturbances that are left.
    """

    voters: Annotated[Array[Voter], ById("voters")]
    followers: VoterSet
    budget: Budget


def is_candidate_beside(voter: Voter, leader: Voter) -> bool:
    """Whether a voter is a candidate in the epoch in which another one leads."""
    return voter.votes != Ids() and voter.epoch == leader.epoch


def is_noted(state: State, leader_id: int, voter_id: int) -> bool:
    """Whether a leader has noted the fetch by which a voter asks for its next record."""
    leader = state.voters[leader_id]
    voter = state.voters[voter_id]
    return leader.is_leader and leader.epoch == voter.epoch and leader.end_offsets[voter_id] == end_of(voter.log)


def voter_stands_for_election(state: State, voter_id: VoterId, epoch: LeaderEpoch) -> bool:
    """A voter has found no leader for too long, and becomes a candidate in the next epoch."""
    voter = state.voters[voter_id]
    if voter.has_resigned or not elections.stand_for_election(voter, voter_id, epoch):
        return False
    state.followers -= {voter_id}
    return True


def resigned_voter_enters_next_epoch(state: State, voter_id: VoterId, epoch: LeaderEpoch) -> bool:
    """A voter that has resigned hears of no new leader for too long."""
    voter = state.voters[voter_id]
    if not voter.has_resigned or epoch != voter.epoch + 1:
        return False
    enter_epoch(voter, epoch)
    return True


def voter_receives_vote_request(state: State, voter_id: VoterId, candidate_id: VoterId) -> bool:
    """A voter receives a candidate's vote request. If it follows the epoch's leader, it refuses."""
    voter = state.voters[voter_id]
    candidate = state.voters[candidate_id]
    if candidate.votes == Ids() or voter_id in candidate.votes:
        return False
    if candidate.epoch > voter.epoch:
        elections.handle_vote_request(voter, voter_id, candidate, candidate_id)
        if candidate.epoch == voter.epoch:
            state.followers -= {voter_id}
    elif voter_id not in state.followers:
        elections.handle_vote_request(voter, voter_id, candidate, candidate_id)
    return True


def candidate_counts_votes(state: State, rules: QuorumRules, candidate_id: VoterId) -> bool:
    """A candidate counts its votes. If they are a majority, it leads, and flushes its first record."""
    candidate = state.voters[candidate_id]
    if candidate.votes == Ids() or is_full(candidate.log):
        return False
    if elections.count_votes(candidate, candidate_id, RECORD):
        elections.flush_leader_log(candidate, rules, candidate_id)
    return True


def quorum_leader_appends(state: State, rules: QuorumRules, leader_id: VoterId) -> bool:
    """A leader appends a record of the controller, and flushes it."""
    return replication.append_metadata_record(state.voters[leader_id], rules, leader_id, RECORD)


def voter_fetches(state: State, rules: QuorumRules, voter_id: VoterId, leader_id: VoterId) -> bool:
    """A voter's fetch reaches a leader, perhaps of an older epoch; the response is lost."""
    voter = state.voters[voter_id]
    leader = state.voters[leader_id]
    if not leader.is_leader or voter_id == leader_id or is_candidate_beside(voter, leader):
        return False
    if leader.epoch >= voter.epoch:
        replication.handle_quorum_fetch(leader, rules, voter, voter_id)
        state.followers |= {voter_id}
    return True


def voter_receives_record(state: State, voter_id: VoterId, leader_id: VoterId) -> bool:
    """A voter receives the response to a fetch that the leader has noted, or that it cannot note."""
    voter = state.voters[voter_id]
    leader = state.voters[leader_id]
    if voter_id == leader_id or is_candidate_beside(voter, leader):
        return False
    can_be_noted = replication.shared_end_of(voter.log, leader.log) == end_of(voter.log) and not voter.is_observer
    if can_be_noted and not is_noted(state, leader_id, voter_id):
        return False
    if not replication.handle_quorum_fetch_response(voter, leader):
        return False
    state.followers |= {voter_id}
    return True


def fetch_timeout_passes(state: State, rules: QuorumRules, leader_id: VoterId, fetching: VoterSet) -> bool:
    """Only some voters fetch from a leader for longer than the timeout, and nothing new. Observers do not count."""
    leader = state.voters[leader_id]
    if not leader.is_leader or not all(is_noted(state, leader_id, voter_id) for voter_id in fetching - {leader_id}):
        return False
    if leader_id not in fetching:
        return False
    known = sum(1 for voter_id in fetching if not state.voters[voter_id].is_observer)
    check_quorum.resign_without_majority(leader, rules, known)
    return True


def voter_crashes(state: State, rules: QuorumRules, voter_id: VoterId) -> bool:
    """A voter loses power and comes back; all that it has is on its disk."""
    elections.restart_voter(state.voters[voter_id], rules, voter_id, RECORD)
    return True


def leader_crashes_before_flush(
    state: State, rules: QuorumRules, leader_id: VoterId, receiving: VoterSet, end_offset: LogOffset
) -> bool:
    """A leader loses power between an append and its flush; voters whose fetches wait may have the record."""
    leader = state.voters[leader_id]
    if not all(is_noted(state, leader_id, voter_id) for voter_id in receiving) or leader_id in receiving:
        return False
    if not all(state.voters[voter_id].log == leader.log for voter_id in receiving):
        return False
    if end_offset < end_of(leader.log) or not elections.append_unflushed(leader, RECORD):
        return False
    if end_offset > end_of(leader.log):
        return False
    for voter_id in receiving:
        replication.handle_quorum_fetch_response(state.voters[voter_id], leader)
    truncate_to(leader.log, end_offset)
    elections.restart_voter(leader, rules, leader_id, RECORD)
    return True


def candidate_crashes_before_flush(
    state: State, rules: QuorumRules, candidate_id: VoterId, end_offset: LogOffset
) -> bool:
    """A voter is elected, and loses power between the append of its first record and the flush."""
    candidate = state.voters[candidate_id]
    if end_offset < end_of(candidate.log) or end_offset > end_of(candidate.log) + 1:
        return False
    if not elections.count_votes(candidate, candidate_id, RECORD):
        return False
    truncate_to(candidate.log, end_offset)
    elections.restart_voter(candidate, rules, candidate_id, RECORD)
    return True


def voter_disk_is_replaced(state: State, rules: QuorumRules, voter_id: VoterId) -> bool:
    """A voter's disk fails, and the voter comes back with an empty one."""
    elections.begin_with_empty_disk(state.voters[voter_id], rules)
    state.followers -= {voter_id}
    return True


MODEL = Model(
    name="quorum",
    question=__doc__,
    state=State,
    bounds={"voters": 3, "log_size": 2, "max_records": 1, "max_leader_epoch": 2, "crashes": 0, "disk_losses": 0},
    rules=QuorumRules(),
    actions=[
        candidate_counts_votes,
        candidate_crashes_before_flush,
        fetch_timeout_passes,
        leader_crashes_before_flush,
        quorum_leader_appends,
        resigned_voter_enters_next_epoch,
        voter_crashes,
        voter_disk_is_replaced,
        voter_fetches,
        voter_receives_record,
        voter_receives_vote_request,
        voter_stands_for_election,
    ],
    charges={
        candidate_crashes_before_flush: "crashes",
        leader_crashes_before_flush: "crashes",
        voter_crashes: "crashes",
        voter_disk_is_replaced: "disk_losses",
    },
    stuttering=[candidate_counts_votes, fetch_timeout_passes, voter_fetches, voter_receives_vote_request],
    check_deadlock=False,
)
