"""The metadata quorum: voters that replicate the controller's log by a majority, in a system of their own.

Part of Kafka modelled: `KafkaRaftClient`, `LeaderState.maybeUpdateHighWatermark` and the votes of `QuorumState`.
Source: apache/kafka (commit 1eb7644349), raft; KIP-595, KAFKA-12619.
Left out, and why that is sound: elections that nobody wins, which only raise epochs; the time between a vote and the
end of its election, because a voter that has voted refuses older epochs from then on in either case; requests under
way, because a late fetch is one that is sent later, and a late answer one of a later fetch; crashes,
because votes and records are on the disk before they are answered; observers, snapshots, and changes of the voters;
what records say: one epoch has one leader, so that epoch and offset tell each record from all others.
"""

from typing import Annotated, NamedTuple

from checker.schema import Array, ById, ByPosition, Count, Id, IdSet, Struct, cardinality, contains
from impl.constants import NO_OFFSET
from impl.log import LeaderEpoch, Log, LogOffset, OptionalLeaderEpoch, append_record, is_full, latest_epoch, truncate_to

VoterId = Annotated[int, Id("voters")]
VoterSet = Annotated[int, IdSet("voters")]
OptionalEndOffset = Annotated[int, Count("log_size", lowest=NO_OFFSET)]


class QuorumRules(NamedTuple):
    """The switches of the quorum.

    high_watermark_awaits_own_record: the high watermark begins to rise only when a majority has the LeaderChange record
        of the leader's own epoch, and not already what lies before it (KAFKA-12619).
    """

    high_watermark_awaits_own_record: bool = True


class Voter(Struct):
    """One voter of the quorum.

    epoch: the newest epoch in which it has voted, followed or led.
    is_leader: whether it leads in that epoch, as far as it knows.
    log: the metadata log.
    epoch_start_offset: as leader, the offset of the LeaderChange record of its epoch; 0 otherwise.
    high_watermark: as leader, the end of what it knows to be committed.
    end_offsets: as leader, by voter, from where that one has fetched last in this epoch; `NO_OFFSET` otherwise.
    """

    epoch: LeaderEpoch
    is_leader: bool
    log: Log
    epoch_start_offset: LogOffset
    high_watermark: LogOffset
    end_offsets: Annotated[Array[OptionalEndOffset], ById("voters")]


class Quorum(Struct):
    """All voters.

    voters: by id.
    committed: by offset, the epoch of the record that a leader has committed there last; `NO_EPOCH` where none has.
        Only properties read it.
    """

    voters: Annotated[Array[Voter], ById("voters")]
    committed: Annotated[Array[OptionalLeaderEpoch], ByPosition("log_size")]


def resign(voter: Voter) -> None:
    """Lead no more, and forget what belongs to leading."""
    voter.is_leader = False
    voter.epoch_start_offset = 0
    voter.high_watermark = 0
    for other_id in range(len(voter.end_offsets)):
        voter.end_offsets[other_id] = NO_OFFSET


def has_majority(state: Quorum, voters: int) -> bool:
    """Whether so many voters are a majority, with none to spare."""
    return voters == len(state.voters) // 2 + 1


def majority_end_offset(state: Quorum, leader_id: int) -> int:
    """The end of what a majority has: the highest offset that so many voters have reached."""
    leader = state.voters[leader_id]
    end_offset = 0
    for offset in range(1, leader.log.end_offset + 1):
        reached = 0
        for voter_id in range(len(state.voters)):
            reached += int(leader.end_offsets[voter_id] >= offset)
        if reached >= len(state.voters) // 2 + 1:
            end_offset = offset
    return end_offset


def raise_quorum_high_watermark(state: Quorum, rules: QuorumRules, leader_id: int) -> None:
    """Raise a leader's high watermark to what a majority has, but not before that has come to the leader's own epoch.

    By the old rule it was enough to reach the offset at which that epoch begins, which is one record less.
    """
    leader = state.voters[leader_id]
    end_offset = majority_end_offset(state, leader_id)
    needed = leader.epoch_start_offset + int(rules.high_watermark_awaits_own_record)
    if end_offset < needed:
        return
    for offset in range(leader.high_watermark, end_offset):
        state.committed[offset] = leader.log.records[offset].epoch
    leader.high_watermark = max(leader.high_watermark, end_offset)


def append_as_leader(state: Quorum, rules: QuorumRules, leader_id: int) -> None:
    """Append a record of the leader's epoch; its own log counts at once."""
    leader = state.voters[leader_id]
    append_record(leader.log, 0, leader.epoch)
    leader.end_offsets[leader_id] = leader.log.end_offset
    raise_quorum_high_watermark(state, rules, leader_id)


def grants_vote(supporter: Voter, candidate: Voter) -> bool:
    """Whether the candidate's log is at least as up to date: by the epoch of the last record, then by length."""
    if latest_epoch(candidate.log) != latest_epoch(supporter.log):
        return latest_epoch(candidate.log) > latest_epoch(supporter.log)
    return candidate.log.end_offset >= supporter.log.end_offset


def newest_epoch_of(state: Quorum, supporters: int) -> int:
    """The newest epoch that one of these voters knows."""
    newest = 0
    for voter_id in range(len(state.voters)):
        if contains(supporters, voter_id):
            newest = max(newest, state.voters[voter_id].epoch)
    return newest


def voter_is_elected(
    state: Quorum, rules: QuorumRules, candidate_id: VoterId, supporters: VoterSet, epoch: LeaderEpoch
) -> bool:
    """A voter wins an election with the votes of a majority, its own among them, and leads.

    Who: any voter.
    When: the epoch is the next that no supporter knows, and no supporter's log is more up to date than the candidate's.
    Effect: the supporters are in that epoch. The winner leads, and appends a LeaderChange record.
    Source: KafkaRaftClient.handleVoteRequest, onBecomeLeader; QuorumState.canGrantVote; KIP-595.
    Left out: votes beyond the majority that decides: such a voter adopts the epoch when it fetches.
    """
    candidate = state.voters[candidate_id]
    if not contains(supporters, candidate_id) or not has_majority(state, cardinality(supporters)):
        return False
    if epoch != newest_epoch_of(state, supporters) + 1 or is_full(candidate.log):
        return False
    for voter_id in range(len(state.voters)):
        if contains(supporters, voter_id) and not grants_vote(state.voters[voter_id], candidate):
            return False
    for voter_id in range(len(state.voters)):
        if contains(supporters, voter_id):
            resign(state.voters[voter_id])
            state.voters[voter_id].epoch = epoch
    candidate.is_leader = True
    candidate.epoch_start_offset = candidate.log.end_offset
    append_as_leader(state, rules, candidate_id)
    return True


def quorum_leader_appends(state: Quorum, rules: QuorumRules, leader_id: VoterId) -> bool:
    """A leader of the quorum appends a record of the controller.

    Who: a voter that leads, and may have been replaced without knowing.
    When: its log has room.
    Effect: the record has its epoch.
    Source: KafkaRaftClient.append.
    Left out: nothing.
    """
    leader = state.voters[leader_id]
    if not leader.is_leader or is_full(leader.log):
        return False
    append_as_leader(state, rules, leader_id)
    return True


def shared_end_of(log: Log, other: Log) -> int:
    """Up to which offset two logs have the same records."""
    for offset in range(min(log.end_offset, other.end_offset)):
        if log.records[offset].epoch != other.records[offset].epoch:
            return offset
    return min(log.end_offset, other.end_offset)


def voter_fetches(state: Quorum, rules: QuorumRules, voter_id: VoterId, leader_id: VoterId) -> bool:
    """A leader receives a voter's fetch.

    Who: a voter that leads in the other one's epoch or a newer one.
    When: the fetch tells it something.
    Effect: the voter is in the leader's epoch. Where its log is how the leader's begins, the leader knows how far it
        goes, which may raise the high watermark.
    Source: KafkaRaftClient.handleFetchRequest, LeaderState.updateReplicaState; KIP-595.
    Left out: that a voter hears of an epoch by BeginQuorumEpoch, which is a fetch that tells nothing more.
    """
    voter = state.voters[voter_id]
    leader = state.voters[leader_id]
    if voter_id == leader_id or not leader.is_leader or leader.epoch < voter.epoch:
        return False
    is_counted = shared_end_of(voter.log, leader.log) == voter.log.end_offset
    is_new = is_counted and leader.end_offsets[voter_id] != voter.log.end_offset
    if leader.epoch == voter.epoch and not is_new:
        return False
    if leader.epoch > voter.epoch:
        resign(voter)
        voter.epoch = leader.epoch
    if is_counted:
        leader.end_offsets[voter_id] = voter.log.end_offset
        raise_quorum_high_watermark(state, rules, leader_id)
    return True


def voter_receives_record(state: Quorum, voter_id: VoterId, leader_id: VoterId) -> bool:
    """A voter receives the answer to its fetch.

    Who: a voter in the epoch of the leader that it has asked.
    When: its log differs from the leader's, or is shorter.
    Effect: it is cut to what both have, or gets the next record.
    Source: KafkaRaftClient.handleFetchResponse; KIP-595.
    Left out: several answers until a log that differs is cut.
    """
    voter = state.voters[voter_id]
    leader = state.voters[leader_id]
    if voter_id == leader_id or not leader.is_leader or leader.epoch != voter.epoch:
        return False
    shared = shared_end_of(voter.log, leader.log)
    if shared < voter.log.end_offset:
        truncate_to(voter.log, shared)
        return True
    if voter.log.end_offset == leader.log.end_offset:
        return False
    append_record(voter.log, 0, leader.log.records[voter.log.end_offset].epoch)
    return True
