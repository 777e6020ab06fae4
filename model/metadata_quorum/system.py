"""The whole system of the models of the metadata quorum: the voters, and the network between them.

An action delivers: a voter that reaches another one may send it a request and receive the answer in one step.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Struct
from kafkacheck.impl.ids import LeaderEpoch, OptionalLeaderEpoch, RecordId
from kafkacheck.impl.log.reading import leader_epoch_at
from kafkacheck.impl.quorum import check_quorum, elections, replication
from kafkacheck.impl.quorum.records import Voter, VoterId, VoterSet
from kafkacheck.impl.quorum.rules import QuorumRules


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here; healing costs nothing.

    crashes: voters that crash and restart.
    disk_losses: voters whose disk is replaced by an empty one.
    cuts: network partitions into two sides.
    """

    crashes: Annotated[int, Allowance("crashes")]
    disk_losses: Annotated[int, Allowance("disk_losses")]
    cuts: Annotated[int, Allowance("cuts")]


class State(Struct):
    """The whole system.

    voters: by id.
    cut_off: the voters on the smaller side of a partitioned network; empty while it is whole.
    record_id: the id of the records that are written now. It changes with every restart, so that a lost record differs
        from the record written in its place. Only properties read ids.
    budget: the disturbances that are left.
    committed: by offset, the epoch of the record that a leader committed there last; `NO_EPOCH` if none did. Only
        properties read it.
    """

    voters: Annotated[Array[Voter], ById("voters")]
    cut_off: VoterSet
    record_id: RecordId
    budget: Budget
    committed: Annotated[Array[OptionalLeaderEpoch], ByPosition("log_size")]


def are_connected(state: State, voter_id: int, other_id: int) -> bool:
    """Whether the network lets two voters reach each other."""
    return (voter_id in state.cut_off) == (other_id in state.cut_off)


def can_ask(state: State, voter_id: int, leader_id: int) -> bool:
    """Whether the two are different voters that reach each other."""
    return voter_id != leader_id and are_connected(state, voter_id, leader_id)


def note_committed(state: State, leader_id: int, former: int) -> None:
    """Note the records that a leader has committed since its high watermark was `former`."""
    leader = state.voters[leader_id]
    for offset in range(former, leader.high_watermark):
        state.committed[offset] = leader_epoch_at(leader.log, offset)


def voter_is_elected(
    state: State, rules: QuorumRules, candidate_id: VoterId, supporters: VoterSet, epoch: LeaderEpoch
) -> bool:
    """A voter that reaches its supporters wins an election."""
    if any(not are_connected(state, voter_id, candidate_id) for voter_id in supporters):
        return False
    if not replication.win_election(state.voters, rules, candidate_id, supporters, epoch, state.record_id):
        return False
    note_committed(state, candidate_id, 0)
    return True


def hears_leader(state: State, voter_id: int) -> bool:
    """Whether a voter leads, or can fetch from a leader of its epoch or a newer one."""
    for leader_id, leader in enumerate(state.voters):
        if leader.is_leader and leader.epoch >= state.voters[voter_id].epoch:
            if are_connected(state, voter_id, leader_id):
                return True
    return False


def voter_replaces_leader(
    state: State, rules: QuorumRules, candidate_id: VoterId, supporters: VoterSet, epoch: LeaderEpoch
) -> bool:
    """A voter wins an election because it has found no leader for too long.

    Who: any voter that does not lead.
    When: it reaches no leader, and `voter_is_elected` lets it win; it may win at once, later or never while that is so.
    Effect: as `voter_is_elected`.
    Source: KafkaRaftClient.pollFollowerAsVoter, `controller.quorum.fetch.timeout.ms`; KIP-996.
    Left out: elections that nobody wins.
    """
    if hears_leader(state, candidate_id):
        return False
    return voter_is_elected(state, rules, candidate_id, supporters, epoch)


def quorum_leader_resigns(state: State, rules: QuorumRules, leader_id: VoterId) -> bool:
    """A leader resigns because no majority has fetched from it for too long."""
    return check_quorum.resign_without_majority(state.voters[leader_id], rules, fetching_voters(state, leader_id))


def fetching_voters(state: State, leader_id: int) -> int:
    """How many voters, the leader included, fetch from a leader: they are connected, and know no newer epoch."""
    return sum(
        1
        for voter_id, voter in enumerate(state.voters)
        if are_connected(state, voter_id, leader_id) and voter.epoch <= state.voters[leader_id].epoch
    )


def voter_stands_for_election(state: State, voter_id: VoterId, epoch: LeaderEpoch) -> bool:
    """A voter has found no leader for too long, and becomes a candidate in the next epoch."""
    return elections.stand_for_election(state.voters[voter_id], voter_id, epoch)


def voter_receives_vote_request(state: State, voter_id: VoterId, candidate_id: VoterId) -> bool:
    """A voter receives a candidate's vote request."""
    return elections.handle_vote_request(state.voters[voter_id], voter_id, state.voters[candidate_id], candidate_id)


def candidate_becomes_leader(state: State, candidate_id: VoterId) -> bool:
    """A candidate has counted the votes of a majority, and leads."""
    return elections.count_votes(state.voters[candidate_id], candidate_id, state.record_id)


def quorum_leader_appends(state: State, rules: QuorumRules, leader_id: VoterId) -> bool:
    """A leader of the quorum appends a record of the controller, which is on its disk at once."""
    former = state.voters[leader_id].high_watermark
    if not replication.append_metadata_record(state.voters[leader_id], rules, leader_id, state.record_id):
        return False
    note_committed(state, leader_id, former)
    return True


def quorum_leader_writes(state: State, leader_id: VoterId) -> bool:
    """A leader of the quorum appends a record of the controller, and has not flushed it yet."""
    return elections.append_unflushed(state.voters[leader_id], state.record_id)


def quorum_leader_flushes(state: State, rules: QuorumRules, leader_id: VoterId) -> bool:
    """A leader flushes its log to the disk."""
    former = state.voters[leader_id].high_watermark
    if not elections.flush_leader_log(state.voters[leader_id], rules, leader_id):
        return False
    note_committed(state, leader_id, former)
    return True


def voter_fetches(state: State, rules: QuorumRules, voter_id: VoterId, leader_id: VoterId) -> bool:
    """A leader receives a voter's fetch."""
    if not can_ask(state, voter_id, leader_id):
        return False
    former = state.voters[leader_id].high_watermark
    if not replication.handle_quorum_fetch(state.voters[leader_id], rules, state.voters[voter_id], voter_id):
        return False
    note_committed(state, leader_id, former)
    return True


def voter_receives_record(state: State, voter_id: VoterId, leader_id: VoterId) -> bool:
    """A voter receives the response to its fetch."""
    if not can_ask(state, voter_id, leader_id):
        return False
    return replication.handle_quorum_fetch_response(state.voters[voter_id], state.voters[leader_id])
