"""Guarantees of the metadata quorum: an epoch has at most one leader, and no committed record is ever lost.

Part of Kafka judged: `impl/quorum/`, by their records only.
Source: KIP-595; Raft (Ongaro and Ousterhout, 2014).
Left out, and why that is sound: which voters learn of a commit, and when; one leader that knows is enough to act on it.
"""

from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.model.metadata_quorum.system import State


def one_leader_in_quorum_epoch(state: State) -> bool:
    """No two voters lead in the same epoch.

    Lost if it fails: two controllers write different records with the same epoch and offset.
    Source: election safety of Raft.
    """
    return all(
        voter.epoch != state.voters[other_id].epoch
        for leader_id, voter in enumerate(state.voters)
        for other_id in range(leader_id)
        if voter.is_leader
        if state.voters[other_id].is_leader
    )


def leaders_have_committed_metadata(state: State) -> bool:
    """The leader of the newest epoch has every record that is committed.

    Lost to users: a change that the controller made and brokers obeyed is undone.
    Source: KAFKA-12619; leader completeness of Raft.
    """
    newest = 0
    for voter_id in range(len(state.voters)):
        newest = max(newest, state.voters[voter_id].epoch)
    return all(
        leader.log.records[offset].epoch == state.committed[offset]
        for leader in state.voters
        if leader.is_leader and leader.epoch == newest
        for offset in range(len(state.committed))
        if state.committed[offset] != NO_EPOCH
    )


def committed_metadata_stays(before: State, after: State) -> bool:
    """A record that is committed at an offset stays committed there, and no other record replaces it.

    Lost to users: two brokers obey different metadata at one offset.
    Source: state machine safety of Raft.
    """
    return all(
        before.committed[offset] == after.committed[offset]
        for offset in range(len(before.committed))
        if before.committed[offset] != NO_EPOCH
    )


def elections_begin_epochs(before: State, after: State) -> bool:
    """A voter becomes leader only in a newer epoch than before, and no leader goes back to an older one.

    Lost if it fails: a leader writes records in another leader's epoch.
    Source: `QuorumState.transitionToLeader`.
    """
    for leader_id in range(len(before.voters)):
        if after.voters[leader_id].is_leader and after.voters[leader_id].epoch < before.voters[leader_id].epoch:
            return False
        if after.voters[leader_id].is_leader and not before.voters[leader_id].is_leader:
            if after.voters[leader_id].epoch == before.voters[leader_id].epoch:
                return False
    return True


def quorum_high_watermark_follows(state: State) -> bool:
    """A leader commits its epoch's records that it knows a majority to have; only leaders keep other voters' offsets.

    Lost if it fails: a change is safe, but no leader knows it, and brokers wait for it.
    Source: `LeaderState.maybeUpdateHighWatermark`.
    """
    for leader in state.voters:
        for offset in range(leader.epoch_start_offset + 1, leader.log.end_offset + 1):
            reached = 0
            for voter_id in range(len(state.voters)):
                reached += int(leader.end_offsets[voter_id] >= offset)
            if 2 * reached > len(state.voters) and leader.high_watermark < offset:
                return False
        for voter_id in range(len(state.voters)):
            if leader.end_offsets[voter_id] != NO_OFFSET and not leader.is_leader:
                return False
    return True


def quorum_logs_match(state: State) -> bool:
    """If two logs have a record of the same epoch at one offset, they are the same up to there.

    Lost if it fails: the epoch of its last record does not reveal that a log differs.
    Source: log matching of Raft.
    """
    for voter_id in range(len(state.voters)):
        for other_id in range(voter_id):
            log = state.voters[voter_id].log
            other = state.voters[other_id].log
            differ = False
            for offset in range(min(log.end_offset, other.end_offset)):
                if log.records[offset].epoch != other.records[offset].epoch:
                    differ = True
                elif differ:
                    return False
    return True


def all_voters_commit(state: State) -> bool:
    """Every slot of the log is committed. Without an example no high watermark ever gets that far."""
    return all(state.committed[offset] != NO_EPOCH for offset in range(len(state.committed)))


def outvoted_record(state: State) -> bool:
    """A leader's epoch begins at offset 0, though another log has a record. Without an example none is outvoted."""
    return any(
        other.log.records[0].epoch < leader.epoch
        for leader in state.voters
        for other in state.voters
        if leader.is_leader and leader.epoch_start_offset == 0 and other.log.end_offset > 0
    )


def replaced_quorum_leader(state: State) -> bool:
    """A voter still leads in an epoch that is over. Without an example no leader is replaced without knowing."""
    return any(
        voter.is_leader and state.voters[other_id].epoch > voter.epoch
        for voter in state.voters
        for other_id in range(len(state.voters))
    )
