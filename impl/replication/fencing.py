"""Whether a replica leads, follows or counts as caught up, under each fetch fencing rule.

Part of Kafka modelled: the checks that a leader makes on a fetch before the fetch may raise the high watermark or
change the ISR, and the check on an epoch end offset request.
Source: KafkaReplication, Kip320FirstTry and Kip320 in hachikuji/kafka-specification (commit d68782b); KIP-320;
apache/kafka `Partition` (`checkCurrentLeaderEpoch`, `readRecords`, `maybeExpandIsr`).
Left out, and why that is sound: the fetch request as a message. A follower that has the records and meets the rule
could send the fetch that proves it now; every step that such a fetch allows is a step here.
"""

from kafkacheck.impl.enums import FetchFencing
from kafkacheck.impl.log import has_offset
from kafkacheck.impl.log.reading import end_of, leader_epoch_at
from kafkacheck.impl.replication.records import Quorum, Replica, ReplicationRules


def is_presumed_leader(replica: Replica, replica_id: int) -> bool:
    """Whether the replica believes that it leads; the controller may have elected another one since."""
    return replica.leader == replica_id


def is_true_leader(quorum: Quorum, replica: Replica, replica_id: int) -> bool:
    """Whether the replica is the leader in the controller's record and has that record's leader epoch."""
    return quorum.leader == replica_id and quorum.leader_epoch == replica.leader_epoch


def is_following(leader: Replica, rules: ReplicationRules, leader_id: int, follower: Replica) -> bool:
    """Whether the leader accepts the follower's fetches; a leader follows itself.

    The follower must take this replica for its leader. With `CURRENT_LEADER_EPOCH` the fetch also carries the
    follower's leader epoch, and the leader refuses it unless both are in the same epoch.
    Source: ReplicaIsFollowing, IsFollowingLeaderEpoch; Kafka's Partition.checkCurrentLeaderEpoch.
    """
    if follower.leader != leader_id:
        return False
    if rules.fencing == FetchFencing.CURRENT_LEADER_EPOCH:
        return follower.leader_epoch == leader.leader_epoch
    return True


def is_follower_caught_up(
    leader: Replica, rules: ReplicationRules, leader_id: int, follower: Replica, end_offset: int
) -> bool:
    """Whether the follower's fetch from `end_offset` would prove to the leader that it has the records below.

    The leader must accept the follower's fetches, and the follower's log must reach `end_offset`, which is no higher
    than the leader's end offset.
    With `LAST_FETCHED_EPOCH` the fetch also carries the epoch of the follower's record just below `end_offset`, which
    must be the epoch of the leader's record there.
    Source: IsFollowerCaughtUp, IsFollowerCaughtUpToLeaderEpoch; what Kafka's Partition.updateFollowerFetchState learns
        from a fetch.
    """
    if not is_following(leader, rules, leader_id, follower):
        return False
    if end_of(follower.log) < end_offset:
        return False
    if rules.fencing == FetchFencing.LAST_FETCHED_EPOCH and end_offset > 0:
        return leader_epoch_at(follower.log, end_offset - 1) == leader_epoch_at(leader.log, end_offset - 1)
    return True


def has_established_epoch(leader: Replica, rules: ReplicationRules) -> bool:
    """Whether the leader's high watermark has reached its own leader epoch, so that it may let replicas into the ISR.

    A new leader's high watermark can be below the former leader's. Until it has passed every record of earlier epochs,
    a replica that has all records below it can still lack a committed one (KAFKA-7128). The rules without epochs in the
    fetch do not check this.
    Source: HasHighWatermarkReachedCurrentEpoch; `leaderEpochStartOffset` in Kafka's Partition.
    """
    if rules.fencing == FetchFencing.NONE:
        return True
    if not has_offset(leader.log, leader.high_watermark):
        return True
    return leader_epoch_at(leader.log, leader.high_watermark) == leader.leader_epoch


def can_ask_leader(leader: Replica, rules: ReplicationRules, leader_epoch: int) -> bool:
    """Whether a replica that turns to `leader_epoch` may ask the leader of that epoch where to truncate.

    With `CURRENT_LEADER_EPOCH` the request carries the epoch, and only a broker in that epoch answers, so its leader
    has taken over. The older rules ask the broker in any state, even if it does not know yet that it leads.
    Source: FencedBecomeFollowerAndTruncate; the leader epoch in Kafka's OffsetsForLeaderEpoch request.
    """
    return rules.fencing != FetchFencing.CURRENT_LEADER_EPOCH or leader.leader_epoch == leader_epoch
