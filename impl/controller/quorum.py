"""The metadata quorum: voters that replicate the controller's log by a majority, in a system of their own.

Part of Kafka modelled: `KafkaRaftClient`, `LeaderState.maybeUpdateHighWatermark` and the votes of `QuorumState`.
Source: apache/kafka (commit 1eb7644349), raft; KIP-595, KAFKA-12619.
Left out, and why that is sound: elections that nobody wins, which only raise epochs, and the time between a vote and
the end of its election, because a voter that has voted refuses older epochs from then on in either case
(`quorum_elections.py` has both); requests under way, because a late fetch is a fetch that is sent later, and a late
response is the response to a later fetch; restarts, because votes and records are on the disk before the response
(`quorum_elections.py` has restarts, and leaders whose last records are not on the disk yet); observers, snapshots, and
changes of the voters; the content of records: one epoch has one leader, so epoch and offset identify a record. If
voters restart, that must be shown, so records have an id.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import (
    Allowance,
    Array,
    ById,
    ByPosition,
    Count,
    Id,
    IdSet,
    Struct,
    cardinality,
    contains,
)
from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.log import (
    LeaderEpoch,
    Log,
    LogOffset,
    OptionalLeaderEpoch,
    RecordId,
    append_record,
    is_full,
    latest_epoch,
    truncate_to,
)

NO_VOTER = -1
"""The voter has voted for nobody in its epoch."""

VoterId = Annotated[int, Id("voters")]
OptionalVoterId = Annotated[int, Id("voters", none=NO_VOTER)]
VoterSet = Annotated[int, IdSet("voters")]
OptionalEndOffset = Annotated[int, Count("log_size", lowest=NO_OFFSET)]


class RestartRule(IntEnum):
    """The state after a restart of a voter that led in its `quorum-state` file's epoch; oldest rule first."""

    LEADER = 0
    """It is still the leader, in the same epoch (before KAFKA-10527)."""

    UNATTACHED = 1
    """It knows neither a leader of that epoch nor a vote (before KAFKA-10661)."""

    RESIGNED = 2
    """It knows that it led, so it votes for nobody else in that epoch and leads no more."""


class QuorumRules(NamedTuple):
    """The switches of the quorum.

    high_watermark_awaits_own_record: the high watermark begins to rise when a majority has the LeaderChange record of
        the leader's own epoch; by the old rule, already when a majority has the records before it (KAFKA-12619).
    leader_restarts_as: the state of a leader after a restart.
    voters_have_directories: a voter is identified by its id and the id of its log directory, so a voter with a replaced
        disk is no voter until it is added again (KIP-853, KAFKA-14077). With `kraft.version` 0 the id identifies it.
    leader_checks_quorum: a leader from which no majority has fetched for the fetch timeout resigns (KAFKA-15489).
    """

    high_watermark_awaits_own_record: bool = True
    leader_restarts_as: RestartRule = RestartRule.RESIGNED
    voters_have_directories: bool = True
    leader_checks_quorum: bool = True


class Voter(Struct):
    """One voter of the quorum.

    epoch: the newest epoch in which it has voted, followed or led; on the disk.
    is_leader: whether it believes that it leads in that epoch.
    has_resigned: whether it led in that epoch and leads no more; on the disk, as the id of that epoch's leader.
    voted: the candidate that got its vote in that epoch; on the disk. Only elections in steps write it.
    is_observer: whether the voter set has another directory id for it, so that nobody counts it. Only elections in
        steps read it.
    votes: for a candidate, the voters that have voted for it; empty otherwise.
    log: the metadata log.
    epoch_start_offset: for a leader, the offset of the LeaderChange record of its epoch; 0 otherwise.
    high_watermark: for a leader, the end of the records that it knows to be committed.
    end_offsets: for a leader, by voter, the voter's last fetch offset in this epoch; `NO_OFFSET` otherwise.
    """

    epoch: LeaderEpoch
    is_leader: bool
    has_resigned: bool
    voted: OptionalVoterId
    is_observer: bool
    votes: VoterSet
    log: Log
    epoch_start_offset: LogOffset
    high_watermark: LogOffset
    end_offsets: Annotated[Array[OptionalEndOffset], ById("voters")]


class QuorumBudget(Struct):
    """How many disturbances are left. Only the environment writes here; healing costs nothing.

    crashes: voters that crash and restart.
    disk_losses: voters whose disk is replaced by an empty one.
    cuts: network partitions into two sides.
    """

    crashes: Annotated[int, Allowance("crashes")]
    disk_losses: Annotated[int, Allowance("disk_losses")]
    cuts: Annotated[int, Allowance("cuts")]


class Quorum(Struct):
    """All voters.

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
    budget: QuorumBudget
    committed: Annotated[Array[OptionalLeaderEpoch], ByPosition("log_size")]


def step_down(voter: Voter) -> None:
    """Stop being leader or candidate, and clear the fields of both."""
    voter.is_leader = False
    voter.votes = 0
    voter.epoch_start_offset = 0
    voter.high_watermark = 0
    for other_id in range(len(voter.end_offsets)):
        voter.end_offsets[other_id] = NO_OFFSET


def enter_epoch(voter: Voter, epoch: int) -> None:
    """Move the voter to another epoch, in which it has not voted."""
    step_down(voter)
    voter.epoch = epoch
    voter.voted = NO_VOTER
    voter.has_resigned = False


def are_connected(state: Quorum, voter_id: int, other_id: int) -> bool:
    """Whether the network lets two voters reach each other."""
    return contains(state.cut_off, voter_id) == contains(state.cut_off, other_id)


def has_majority(state: Quorum, voters: int) -> bool:
    """Whether this number of voters is the smallest majority."""
    return voters == len(state.voters) // 2 + 1


def majority_end_offset(state: Quorum, leader_id: int) -> int:
    """The highest end offset that a majority of the voters has reached."""
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
    """Raise a leader's high watermark to the majority's end offset once that covers a record of the leader's epoch.

    By the old rule the majority need only reach the start offset of that epoch, which is one record less.
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
    """Append a record of the leader's epoch; the leader's own log counts for the majority at once."""
    leader = state.voters[leader_id]
    append_record(leader.log, state.record_id, leader.epoch)
    leader.end_offsets[leader_id] = leader.log.end_offset
    raise_quorum_high_watermark(state, rules, leader_id)


def grants_vote(supporter: Voter, candidate: Voter) -> bool:
    """Whether the candidate's log is at least as up to date: by the last record's epoch, then by the end offset."""
    if latest_epoch(candidate.log) != latest_epoch(supporter.log):
        return latest_epoch(candidate.log) > latest_epoch(supporter.log)
    return candidate.log.end_offset >= supporter.log.end_offset


def newest_epoch_of(state: Quorum, supporters: int) -> int:
    """The newest epoch that any of these voters knows."""
    newest = 0
    for voter_id in range(len(state.voters)):
        if contains(supporters, voter_id):
            newest = max(newest, state.voters[voter_id].epoch)
    return newest


def voter_is_elected(
    state: Quorum, rules: QuorumRules, candidate_id: VoterId, supporters: VoterSet, epoch: LeaderEpoch
) -> bool:
    """A voter wins an election with the votes of a majority, including its own, and leads.

    Who: any voter.
    When: the epoch follows the newest one that any supporter knows; no supporter's log is more up to date than the
        candidate's; the candidate reaches its supporters.
    Effect: the supporters are in that epoch. The winner leads, and appends a LeaderChange record.
    Source: KafkaRaftClient.handleVoteRequest, onBecomeLeader; QuorumState.canGrantVote; KIP-595.
    Left out: votes beyond the smallest majority; such a voter adopts the epoch when it fetches.
    """
    candidate = state.voters[candidate_id]
    if not contains(supporters, candidate_id) or not has_majority(state, cardinality(supporters)):
        return False
    if epoch != newest_epoch_of(state, supporters) + 1 or is_full(candidate.log):
        return False
    for voter_id in range(len(state.voters)):
        if contains(supporters, voter_id) and not are_connected(state, voter_id, candidate_id):
            return False
        if contains(supporters, voter_id) and not grants_vote(state.voters[voter_id], candidate):
            return False
    for voter_id in range(len(state.voters)):
        if contains(supporters, voter_id):
            enter_epoch(state.voters[voter_id], epoch)
    candidate.is_leader = True
    candidate.epoch_start_offset = candidate.log.end_offset
    append_as_leader(state, rules, candidate_id)
    return True


def quorum_leader_appends(state: Quorum, rules: QuorumRules, leader_id: VoterId) -> bool:
    """A leader of the quorum appends a record of the controller.

    Who: a voter that leads; it may have been replaced without knowing.
    When: its log has room.
    Effect: the record has the leader's epoch.
    Source: KafkaRaftClient.append.
    """
    leader = state.voters[leader_id]
    if not leader.is_leader or is_full(leader.log):
        return False
    append_as_leader(state, rules, leader_id)
    return True


def shared_end_of(log: Log, other: Log) -> int:
    """The end offset of the records that two logs share."""
    for offset in range(min(log.end_offset, other.end_offset)):
        if log.records[offset].epoch != other.records[offset].epoch:
            return offset
    return min(log.end_offset, other.end_offset)


def voter_fetches(state: Quorum, rules: QuorumRules, voter_id: VoterId, leader_id: VoterId) -> bool:
    """A leader receives a voter's fetch.

    Who: a voter that leads in the fetching voter's epoch or a newer one.
    When: the fetching voter reaches it, and the fetch changes the state of one of them.
    Effect: the fetching voter is in the leader's epoch. If its log is a prefix of the leader's and it is no observer,
        the leader notes its end offset, which may raise the high watermark.
    Source: KafkaRaftClient.handleFetchRequest, LeaderState.updateReplicaState; KIP-595.
    Left out: the BeginQuorumEpoch request, which has the effect of a fetch that only moves the voter to the epoch.
    """
    voter = state.voters[voter_id]
    leader = state.voters[leader_id]
    if voter_id == leader_id or not leader.is_leader or leader.epoch < voter.epoch:
        return False
    if not are_connected(state, voter_id, leader_id):
        return False
    is_counted = not voter.is_observer and shared_end_of(voter.log, leader.log) == voter.log.end_offset
    is_new = is_counted and leader.end_offsets[voter_id] != voter.log.end_offset
    if leader.epoch == voter.epoch and not is_new:
        return False
    if leader.epoch > voter.epoch:
        enter_epoch(voter, leader.epoch)
    if is_counted:
        leader.end_offsets[voter_id] = voter.log.end_offset
        raise_quorum_high_watermark(state, rules, leader_id)
    return True


def voter_receives_record(state: Quorum, voter_id: VoterId, leader_id: VoterId) -> bool:
    """A voter receives the response to its fetch.

    Who: a voter that is in the leader's epoch and reaches the leader.
    When: its log diverges from the leader's, or is shorter.
    Effect: its log is truncated to the shared prefix, or gets the next record.
    Source: KafkaRaftClient.handleFetchResponse; KIP-595.
    Left out: the several responses that it can take to truncate a diverging log.
    """
    voter = state.voters[voter_id]
    leader = state.voters[leader_id]
    if voter_id == leader_id or not leader.is_leader or leader.epoch != voter.epoch:
        return False
    if not are_connected(state, voter_id, leader_id):
        return False
    shared = shared_end_of(voter.log, leader.log)
    if shared < voter.log.end_offset:
        truncate_to(voter.log, shared)
        return True
    if voter.log.end_offset == leader.log.end_offset:
        return False
    record = leader.log.records[voter.log.end_offset]
    append_record(voter.log, record.id, record.epoch)
    return True
