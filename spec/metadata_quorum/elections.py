"""Guarantees of each election step of the metadata quorum when voters restart from their disks.

Part of Kafka judged: `impl/quorum/elections.py`, by its records only.
Source: KIP-595; apache/kafka `QuorumState`; KAFKA-10527, KAFKA-10661.
Left out, and why that is sound: that elections are won; fairness would have to keep voters from all standing at once.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.ids import NO_EPOCH
from kafkacheck.impl.quorum.records import NO_VOTER
from kafkacheck.model.metadata_quorum.system import State


def quorum_records_are_unique(state: State) -> bool:
    """If two logs have a record of the same epoch at one offset, it is the same record.

    Lost if it fails: two voters, and the brokers that read from them, have different metadata, and nothing reveals it.
    Source: KAFKA-10527, KAFKA-10661.
    """
    for voter_id in range(len(state.voters)):
        for other_id in range(voter_id):
            log = state.voters[voter_id].log
            other = state.voters[other_id].log
            for offset in range(min(log.end_offset, other.end_offset)):
                if log.records[offset].epoch == other.records[offset].epoch:
                    if log.records[offset].id != other.records[offset].id:
                        return False
    return True


def votes_are_kept(before: State, after: State) -> bool:
    """A voter never changes its vote within an epoch, and never goes back to an older epoch.

    Lost if it fails: two leaders are elected in one epoch.
    Source: KIP-595; KAFKA-10661.
    """
    for voter_id, voter in enumerate(before.voters):
        if after.voters[voter_id].epoch < voter.epoch:
            return False
        if voter.voted != NO_VOTER and after.voters[voter_id].epoch == voter.epoch:
            if after.voters[voter_id].voted != voter.voted:
                return False
    return True


def votes_are_given_in_their_epoch(before: State, after: State) -> bool:
    """A voter that votes for a candidate is then in the candidate's epoch, and has no other vote in it.

    Lost if it fails: a vote counts in an epoch in which another candidate has it already.
    Source: `KafkaRaftClient.handleVoteRequest`.
    """
    return all(
        after.voters[voter_id].epoch == candidate.epoch and after.voters[voter_id].voted == candidate_id
        for candidate_id, candidate in enumerate(after.voters)
        for voter_id in candidate.votes - before.voters[candidate_id].votes
    )


def roles_change_in_order(before: State, after: State) -> bool:
    """Within an epoch a candidate can only become leader, and a leader only resign; no leader becomes a candidate.

    Lost if it fails: a leader forgets that it led, and votes for another voter; a candidate waits for another time-out.
    Source: the comment on `QuorumState`, `QuorumState.initialize`.
    """
    for old, new in zip(before.voters, after.voters):
        if old.epoch == new.epoch:
            if old.is_leader or old.has_resigned:
                if new.is_leader == new.has_resigned or (new.is_leader and old.has_resigned):
                    return False
            elif new.has_resigned or (old.votes != Ids() and new.votes == Ids() and not new.is_leader):
                return False
        if old.is_leader and new.votes != Ids():
            return False
    return True


def quorum_leaders_have_own_record(state: State) -> bool:
    """Every leader has the LeaderChange record of its epoch at the epoch's start offset.

    Lost if it fails: the high watermark waits for a record that nobody writes.
    Source: `KafkaRaftClient.onBecomeLeader`; KAFKA-12619.
    """
    return all(
        voter.epoch_start_offset < voter.log.end_offset
        and voter.log.records[voter.epoch_start_offset].epoch == voter.epoch
        for voter in state.voters
        if voter.is_leader
    )


def quorum_logs_are_whole(state: State) -> bool:
    """A log has records below its end offset, and none from there on.

    Lost if it fails: a voter answers fetches with records that it does not have.
    Source: `ReplicatedLog.endOffset`.
    """
    for voter_id in range(len(state.voters)):
        log = state.voters[voter_id].log
        for offset in range(len(log.records)):
            if (log.records[offset].epoch != NO_EPOCH) != (offset < log.end_offset):
                return False
    return True


def restarts_take_next_id(before: State, after: State) -> bool:
    """Records written after a restart or on a new disk have the next id, and nothing else changes the id.

    Lost if it fails: nothing of Kafka's; different records would count as the same one, or the ids would run out.
    Source: `model/metadata_quorum/environment.py`.
    """
    acts = before.budget.crashes - after.budget.crashes + before.budget.disk_losses - after.budget.disk_losses
    return after.record_id == before.record_id + acts


def leader_lost_record(state: State) -> bool:
    """A restarted leader has no record of its epoch, but another voter has. Without an example nothing is lost."""
    for leader_id, leader in enumerate(state.voters):
        kept = 0
        stored = 0
        for voter_id in range(len(state.voters)):
            log = state.voters[voter_id].log
            for offset in range(log.end_offset):
                if log.records[offset].epoch == leader.epoch:
                    kept += int(voter_id == leader_id)
                    stored += 1
        if leader.has_resigned and kept == 0 and stored > 0:
            return True
    return False


def leader_kept_log(state: State) -> bool:
    """A leader has restarted, and its log is full. Without an example every restart loses something."""
    return any(leader.has_resigned and leader.log.end_offset == len(leader.log.records) for leader in state.voters)


def refused_candidate(state: State) -> bool:
    """Of two voters in the newest epoch, one stands, one has not voted. Without an example no candidate is refused."""
    for candidate_id in range(len(state.voters)):
        epoch = state.voters[candidate_id].epoch
        standing = 0
        waiting = 0
        others = 0
        for voter in state.voters:
            if voter.epoch >= epoch:
                standing += int(voter.votes != Ids())
                waiting += int(voter.epoch == epoch and voter.voted == NO_VOTER)
                others += 1
        if standing == 1 and waiting == 1 and others == 2:
            return True
    return False
