"""Leaders of the metadata quorum that lose their majority, and voters that lose their leader.

Part of Kafka modelled: `LeaderState.timeUntilCheckQuorumExpires` and `updateCheckQuorumForFollowingVoter`, the fetch
timeout of `FollowerState`; `KafkaRaftClient.pollLeader`.
Source: apache/kafka (commit 1eb7644349), raft; KIP-595 (leader progress timeout), KAFKA-15489.
Left out, and why that is sound: timers that expire although all voters are connected, because a timeout is several
times as long as a fetch, and because a leader that resigns without need does less than a leader that stays; responses
in which a refusing voter tells the leader of a newer epoch, because no majority fetches from that leader then, and it
resigns; the EndQuorumEpoch request of a leader that resigns, because the voters that it reaches find that out anyway.
"""

from kafkacheck.impl.quorum.records import Voter, step_down
from kafkacheck.impl.quorum.rules import QuorumRules


def resign_without_majority(leader: Voter, rules: QuorumRules, fetching: int) -> bool:
    """A leader resigns because no majority has fetched from it for too long.

    Who: a voter that leads.
    When: the voters that fetch from it are no majority, even together with it. While that is so, it may resign at once,
        later or never.
    Effect: it answers no request as leader. It keeps its epoch and its vote.
    Source: KafkaRaftClient.pollLeader, LeaderState.timeUntilCheckQuorumExpires, QuorumState.transitionToResigned.
    Left out: the number of voters that have fetched since the timer was set; it is reset when a majority has fetched.
    """
    if not rules.leader_checks_quorum or not leader.is_leader or 2 * fetching > len(leader.end_offsets):
        return False
    step_down(leader)
    leader.has_resigned = True
    return True
