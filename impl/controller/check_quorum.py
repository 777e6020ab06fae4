"""Leaders of the metadata quorum that lose their majority, and voters that lose their leader.

Part of Kafka modelled: `LeaderState.timeUntilCheckQuorumExpires` and `updateCheckQuorumForFollowingVoter`, the fetch
timeout of `FollowerState`; `KafkaRaftClient.pollLeader`.
Source: apache/kafka (commit 1eb7644349), raft; KIP-595 (leader progress timeout), KAFKA-15489.
Left out, and why that is sound: timers that expire although all voters are connected, because a timeout is several
times as long as a fetch, and because a leader that resigns without need does less than one that stays; responses in
which a refusing voter tells the leader of a newer epoch, because no majority fetches from that leader then, and it
resigns; the EndQuorumEpoch request of a leader that resigns, because the voters that it reaches find that out anyway.
"""

from kafkacheck.impl.controller.quorum import (
    Quorum,
    QuorumRules,
    VoterId,
    VoterSet,
    are_connected,
    step_down,
    voter_is_elected,
)
from kafkacheck.impl.log import LeaderEpoch


def hears_majority(state: Quorum, leader_id: int) -> bool:
    """Whether a majority, the leader included, fetches from it: it is connected and knows no newer epoch."""
    heard = 0
    for voter_id in range(len(state.voters)):
        if are_connected(state, voter_id, leader_id) and state.voters[voter_id].epoch <= state.voters[leader_id].epoch:
            heard += 1
    return 2 * heard > len(state.voters)


def hears_leader(state: Quorum, voter_id: int) -> bool:
    """Whether a voter leads, or can fetch from a leader of its epoch or a newer one."""
    for leader_id, leader in enumerate(state.voters):
        if leader.is_leader and leader.epoch >= state.voters[voter_id].epoch:
            if are_connected(state, voter_id, leader_id):
                return True
    return False


def quorum_leader_resigns(state: Quorum, rules: QuorumRules, leader_id: VoterId) -> bool:
    """A leader resigns because no majority has fetched from it for too long.

    Who: a voter that leads.
    When: no majority fetches from it; it may resign at once, later or never while that is so.
    Effect: it answers no request as leader. It keeps its epoch and its vote.
    Source: KafkaRaftClient.pollLeader, LeaderState.timeUntilCheckQuorumExpires, QuorumState.transitionToResigned.
    Left out: the number of voters that have fetched since the timer was set; it is reset when a majority has fetched.
    """
    leader = state.voters[leader_id]
    if not rules.leader_checks_quorum or not leader.is_leader or hears_majority(state, leader_id):
        return False
    step_down(leader)
    leader.has_resigned = True
    return True


def voter_replaces_leader(
    state: Quorum, rules: QuorumRules, candidate_id: VoterId, supporters: VoterSet, epoch: LeaderEpoch
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
