"""Replication of the metadata log by a majority, and elections in one step.

Part of Kafka modelled: `KafkaRaftClient`, `LeaderState.maybeUpdateHighWatermark` and the votes of `QuorumState`.
Source: apache/kafka (commit 1eb7644349), raft; KIP-595, KAFKA-12619.
Left out, and why that is sound: elections that nobody wins, which only raise epochs, and the time between a vote and
the end of its election, because a voter that has voted refuses older epochs from then on in either case
(`elections.py` has both); requests under way, because a late fetch is a fetch that is sent later, and a late
response is the response to a later fetch; restarts, because votes and records are on the disk before the response
(`elections.py` has restarts, and leaders whose last records are not on the disk yet); observers, snapshots, and
changes of the voters.
"""

from kafkacheck.checker.schema import Array, Ids
from kafkacheck.impl.log import Log, append_record, is_full, latest_epoch, truncate_to
from kafkacheck.impl.log.reading import end_of, id_at, leader_epoch_at
from kafkacheck.impl.quorum.records import Voter, enter_epoch
from kafkacheck.impl.quorum.rules import QuorumRules


def majority_end_offset(leader: Voter) -> int:
    """The highest end offset that a majority of the voters has reached."""
    end_offset = 0
    for offset in range(1, end_of(leader.log) + 1):
        if 2 * sum(1 for reached in leader.end_offsets if reached >= offset) > len(leader.end_offsets):
            end_offset = offset
    return end_offset


def raise_quorum_high_watermark(leader: Voter, rules: QuorumRules) -> None:
    """Raise a leader's high watermark to the majority's end offset once that covers a record of the leader's epoch.

    Before KAFKA-12619 the majority need only reach the start offset of that epoch, which is one record less.
    """
    end_offset = majority_end_offset(leader)
    if end_offset >= leader.epoch_start_offset + int(rules.high_watermark_awaits_own_record):
        leader.high_watermark = max(leader.high_watermark, end_offset)


def count_own_log(leader: Voter, rules: QuorumRules, leader_id: int) -> None:
    """Count the leader's own log for the majority."""
    leader.end_offsets[leader_id] = end_of(leader.log)
    raise_quorum_high_watermark(leader, rules)


def grants_vote(supporter: Voter, candidate: Voter) -> bool:
    """Whether the candidate's log is at least as up to date: by the last record's epoch, then by the end offset."""
    if latest_epoch(candidate.log) != latest_epoch(supporter.log):
        return latest_epoch(candidate.log) > latest_epoch(supporter.log)
    return end_of(candidate.log) >= end_of(supporter.log)


def newest_epoch_of(voters: Array[Voter], supporters: Ids) -> int:
    """The newest epoch that any of these voters knows."""
    newest = 0
    for voter_id in supporters:
        newest = max(newest, voters[voter_id].epoch)
    return newest


def win_election(
    voters: Array[Voter], rules: QuorumRules, candidate_id: int, supporters: Ids, epoch: int, record_id: int
) -> bool:
    """A voter wins an election with the votes of a majority, including its own, and leads.

    Who: any voter.
    When: the epoch follows the newest one that any supporter knows; no supporter's log is more up to date than the
        candidate's.
    Effect: the supporters are in that epoch. The winner leads, and appends a LeaderChange record.
    Source: KafkaRaftClient.handleVoteRequest, onBecomeLeader; QuorumState.canGrantVote; KIP-595.
    Left out: votes beyond the smallest majority; such a voter adopts the epoch when it fetches.
    """
    candidate = voters[candidate_id]
    if candidate_id not in supporters or len(supporters) != len(voters) // 2 + 1:
        return False
    if epoch != newest_epoch_of(voters, supporters) + 1 or is_full(candidate.log):
        return False
    if not all(grants_vote(voters[voter_id], candidate) for voter_id in supporters):
        return False
    for voter_id in supporters:
        enter_epoch(voters[voter_id], epoch)
    candidate.is_leader = True
    candidate.epoch_start_offset = end_of(candidate.log)
    append_record(candidate.log, record_id, epoch)
    count_own_log(candidate, rules, candidate_id)
    return True


def append_metadata_record(leader: Voter, rules: QuorumRules, leader_id: int, record_id: int) -> bool:
    """A leader of the quorum appends a record of the controller, which is on its disk at once.

    Who: a voter that leads; it may have been replaced without knowing.
    When: its log has room.
    Effect: the record has the leader's epoch; the leader's own log counts for the majority.
    Source: KafkaRaftClient.append.
    """
    if not leader.is_leader or is_full(leader.log):
        return False
    append_record(leader.log, record_id, leader.epoch)
    count_own_log(leader, rules, leader_id)
    return True


def shared_end_of(log: Log, other: Log) -> int:
    """The end offset of the records that two logs share."""
    for offset in range(min(end_of(log), end_of(other))):
        if leader_epoch_at(log, offset) != leader_epoch_at(other, offset):
            return offset
    return min(end_of(log), end_of(other))


def handle_quorum_fetch(leader: Voter, rules: QuorumRules, voter: Voter, voter_id: int) -> bool:
    """A leader receives another voter's fetch.

    Who: a voter that leads in the fetching voter's epoch or a newer one.
    When: the fetch changes the state of the leader or of the other voter.
    Effect: the fetching voter is in the leader's epoch. If its log is a prefix of the leader's and it is no observer,
        the leader notes its end offset, which may raise the high watermark.
    Source: KafkaRaftClient.handleFetchRequest, LeaderState.updateReplicaState; KIP-595.
    Left out: the BeginQuorumEpoch request, which has the effect of a fetch that only moves the voter to the epoch.
    """
    if not leader.is_leader or leader.epoch < voter.epoch:
        return False
    is_counted = not voter.is_observer and shared_end_of(voter.log, leader.log) == end_of(voter.log)
    is_new = is_counted and leader.end_offsets[voter_id] != end_of(voter.log)
    if leader.epoch == voter.epoch and not is_new:
        return False
    if leader.epoch > voter.epoch:
        enter_epoch(voter, leader.epoch)
    if is_counted:
        leader.end_offsets[voter_id] = end_of(voter.log)
        raise_quorum_high_watermark(leader, rules)
    return True


def handle_quorum_fetch_response(voter: Voter, leader: Voter) -> bool:
    """A voter receives the response to its fetch.

    Who: a voter that is in the leader's epoch.
    When: its log diverges from the leader's, or is shorter.
    Effect: its log is truncated to the shared prefix, or gets the next record.
    Source: KafkaRaftClient.handleFetchResponse; KIP-595.
    Left out: the several responses that it can take to truncate a diverging log.
    """
    if not leader.is_leader or leader.epoch != voter.epoch:
        return False
    shared = shared_end_of(voter.log, leader.log)
    if shared < end_of(voter.log):
        truncate_to(voter.log, shared)
        return True
    if end_of(voter.log) == end_of(leader.log):
        return False
    append_record(voter.log, id_at(leader.log, end_of(voter.log)), leader_epoch_at(leader.log, end_of(voter.log)))
    return True
