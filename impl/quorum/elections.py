"""Elections of the metadata quorum in steps, leaders whose last records are not on the disk yet, and restarts.

Part of Kafka modelled: `QuorumState`, with the states Unattached, Candidate, Leader and Resigned; the `quorum-state`
file; `KafkaRaftClient.flushLeaderLog`.
Source: apache/kafka (commit 1eb7644349), raft; KIP-595, KAFKA-10527, KAFKA-10661; KIP-853, KAFKA-14077.
Left out, and why that is sound: what follows.

- requests under way: a late vote request is one that is sent later, and a late response is a vote that its candidate
  counts later;
- pre-votes (KIP-996): they only keep voters from standing for election, and a voter may stand at any time or never;
- the epoch that a leader enters after it has resigned, before it stands (since KIP-996): everything that it does
  there, it also does as a candidate of that epoch, or as a voter that a candidate asks;
- the leader's id in a follower's file, with which the follower refuses its vote in that epoch: here it may give its one
  vote. That adds elections that fail, and removes none;
- that a candidate stops standing when it fetches from its epoch's leader: no majority has a vote left for it;
- unflushed records of a leader that learns that it is deposed: it flushes before it takes the next request;
- unflushed records of a follower: it flushes before it fetches again;
- adding an observer as a voter again, like every other change of the voters.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.log import append_record, is_full, truncate_to
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.quorum.records import NO_VOTER, Voter, enter_epoch, step_down
from kafkacheck.impl.quorum.replication import count_own_log, grants_vote
from kafkacheck.impl.quorum.rules import QuorumRules, RestartRule


def begin_to_lead(leader: Voter, leader_id: int, record_id: int) -> None:
    """Make the voter leader of its epoch, with an unflushed LeaderChange record if there is room."""
    step_down(leader)
    leader.is_leader = True
    leader.epoch_start_offset = end_of(leader.log)
    leader.end_offsets[leader_id] = end_of(leader.log)
    if not is_full(leader.log):
        append_record(leader.log, record_id, leader.epoch)


def flushed_end_of(voter: Voter, voter_id: int) -> int:
    """The end of a voter's flushed records: a leader's own entry in its `end_offsets`, others' whole log."""
    return voter.end_offsets[voter_id] if voter.is_leader else end_of(voter.log)


def stand_for_election(voter: Voter, voter_id: int, epoch: int) -> bool:
    """A voter has found no leader for too long, and becomes a candidate in the next epoch.

    Who: any voter that does not lead and is no observer.
    When: at any time.
    Effect: it has voted for itself.
    Source: QuorumState.transitionToCandidate; `controller.quorum.fetch.timeout.ms`.
    """
    if voter.is_leader or voter.is_observer or epoch != voter.epoch + 1:
        return False
    enter_epoch(voter, epoch)
    voter.voted = voter_id
    voter.votes = Ids({voter_id})
    return True


def handle_vote_request(voter: Voter, voter_id: int, candidate: Voter, candidate_id: int) -> bool:
    """A voter receives a vote request, and votes or only adopts the epoch.

    Who: a voter or observer that a candidate asks, in its own epoch or a newer one. An observer never votes.
    When: the epoch is new to the voter, or the voter grants its vote: it has voted for nobody else in that epoch, and
        its log is not more up to date than the candidate's.
    Effect: it is in that epoch. Its vote is on the disk before the response; the candidate may count it at any later
        time, or never.
    Source: KafkaRaftClient.handleVoteRequest; QuorumState.transitionToUnattached, UnattachedState.canGrantVote.
    """
    if candidate.votes == Ids() or voter_id in candidate.votes or candidate.epoch < voter.epoch:
        return False
    is_new = candidate.epoch > voter.epoch
    if is_new:
        enter_epoch(voter, candidate.epoch)
    is_free = voter.voted == NO_VOTER or voter.voted == candidate_id
    if voter.is_observer or not is_free or not grants_vote(voter, candidate):
        return is_new
    voter.voted = candidate_id
    candidate.votes |= {voter_id}
    return True


def count_votes(candidate: Voter, candidate_id: int, record_id: int) -> bool:
    """A candidate has counted the votes of a majority, and leads.

    Who: a candidate.
    When: a majority has voted for it; its log has room.
    Effect: it leads, and appends a LeaderChange record, which is not on the disk yet.
    Source: KafkaRaftClient.maybeTransitionToLeader, onBecomeLeader.
    """
    if 2 * len(candidate.votes) <= len(candidate.end_offsets) or is_full(candidate.log):
        return False
    begin_to_lead(candidate, candidate_id, record_id)
    return True


def append_unflushed(leader: Voter, record_id: int) -> bool:
    """A leader of the quorum appends a record of the controller, and has not flushed it yet.

    Who: a voter that leads; it may have been replaced without knowing.
    When: its log has room.
    Effect: the record has the leader's epoch. Fetches that wait for it are answered at once, but the leader's own log
        does not count yet.
    Source: KafkaRaftClient.maybeAppendBatches, flushLeaderLog.
    """
    if not leader.is_leader or is_full(leader.log):
        return False
    append_record(leader.log, record_id, leader.epoch)
    return True


def flush_leader_log(leader: Voter, rules: QuorumRules, leader_id: int) -> bool:
    """A leader flushes its log to the disk.

    Who: a voter that leads.
    When: it has unflushed records.
    Effect: its whole log counts for the majority, which may raise the high watermark.
    Source: KafkaRaftClient.flushLeaderLog, ReplicatedLog.flush.
    Left out: that Kafka counts the log just before it flushes; it handles no fetch in between.
    """
    if not leader.is_leader or leader.end_offsets[leader_id] == end_of(leader.log):
        return False
    count_own_log(leader, rules, leader_id)
    return True


def restart_voter(voter: Voter, rules: QuorumRules, voter_id: int, record_id: int) -> None:
    """Restart a voter from its `quorum-state` file.

    A candidate is a candidate again, with its own vote. If the voter led in that epoch, `leader_restarts_as` gives its
    new state.
    """
    has_led = voter.is_leader or voter.has_resigned
    step_down(voter)
    if not has_led:
        if voter.voted == voter_id:
            voter.votes = Ids({voter_id})
    elif rules.leader_restarts_as == RestartRule.LEADER:
        begin_to_lead(voter, voter_id, record_id)
    elif rules.leader_restarts_as == RestartRule.UNATTACHED:
        voter.voted = NO_VOTER
        voter.has_resigned = False
    else:
        voter.has_resigned = True


def begin_with_empty_disk(voter: Voter, rules: QuorumRules) -> None:
    """Restart a voter in a new directory, without a log and without a `quorum-state` file."""
    enter_epoch(voter, 0)
    truncate_to(voter.log, 0)
    voter.is_observer = rules.voters_have_directories
