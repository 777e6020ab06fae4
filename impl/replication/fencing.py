"""Who leads, who follows, and who counts as caught up, under each fetch fencing rule side by side.

Part of Kafka modelled: the checks a leader makes on a fetch before it lets it raise the high watermark or change the
ISR, and the check on an epoch end offset request.
Source: KafkaReplication, Kip320FirstTry and Kip320 in hachikuji/kafka-specification (commit d68782b); KIP-320;
apache/kafka `Partition` (`checkCurrentLeaderEpoch`, `readRecords`, `maybeExpandIsr`).
Left out, and why that is sound: the fetch request as a message. A follower that has the records, and believes in the
leader as the rule asks, could send the fetch that proves it now; every step that such a fetch allows is a step here.
"""

from kafkacheck.impl.constants import FetchFencing
from kafkacheck.impl.log import has_offset
from kafkacheck.impl.replication.records import ReplicationRules, State


def is_presumed_leader(state: State, replica_id: int) -> bool:
    """Whether the replica believes that it leads; the controller may have elected another one since."""
    return state.replicas[replica_id].leader == replica_id


def is_true_leader(state: State, replica_id: int) -> bool:
    """Whether the replica is the leader in the controller's record, and is in that record's leader epoch already."""
    if state.quorum.leader != replica_id:
        return False
    return state.quorum.leader_epoch == state.replicas[replica_id].leader_epoch


def is_following(state: State, rules: ReplicationRules, leader_id: int, follower_id: int) -> bool:
    """Whether the leader accepts fetches of the follower: a leader follows itself.

    The follower must believe in this leader. With `CURRENT_LEADER_EPOCH` the fetch also carries the follower's leader
    epoch, and the leader refuses it unless the two are in the same one.
    """
    if state.replicas[follower_id].leader != leader_id:
        return False
    if rules.fencing == FetchFencing.CURRENT_LEADER_EPOCH:
        return state.replicas[follower_id].leader_epoch == state.replicas[leader_id].leader_epoch
    return True


def is_caught_up(state: State, rules: ReplicationRules, leader_id: int, follower_id: int, end_offset: int) -> bool:
    """Whether a fetch of the follower from `end_offset` would prove to the leader that it has the records below.

    The follower must be following and its log must reach `end_offset`, which is no higher than the leader's end offset.
    With `LAST_FETCHED_EPOCH` the fetch also carries the epoch of the follower's record just below `end_offset`, which
    must be the epoch of the leader's record there.
    """
    leader_log = state.replicas[leader_id].log
    follower_log = state.replicas[follower_id].log
    if not is_following(state, rules, leader_id, follower_id):
        return False
    if follower_log.end_offset < end_offset:
        return False
    if rules.fencing == FetchFencing.LAST_FETCHED_EPOCH and end_offset > 0:
        return follower_log.records[end_offset - 1].epoch == leader_log.records[end_offset - 1].epoch
    return True


def has_established_epoch(state: State, rules: ReplicationRules, leader_id: int) -> bool:
    """Whether the leader's high watermark has reached its own leader epoch, so that it may let replicas into the ISR.

    A new leader's high watermark can be below that of the leader before. Until it has passed every record of earlier
    epochs, a replica that has all records below it can still lack a committed one (KAFKA-7128). The rules without
    epochs in the fetch do not ask.
    """
    leader = state.replicas[leader_id]
    if rules.fencing == FetchFencing.NONE:
        return True
    if not has_offset(leader.log, leader.high_watermark):
        return True
    return leader.log.records[leader.high_watermark].epoch == leader.leader_epoch


def can_ask_leader(state: State, rules: ReplicationRules, leader_id: int, leader_epoch: int) -> bool:
    """Whether a replica that turns to `leader_epoch` may ask the leader of that epoch where to truncate.

    With `CURRENT_LEADER_EPOCH` the question carries the epoch, and only a broker that is in it answers; its leader has
    taken over then. The older rules ask whatever state the broker is in, even if it has not heard yet that it leads.
    """
    if rules.fencing != FetchFencing.CURRENT_LEADER_EPOCH:
        return True
    return state.replicas[leader_id].leader_epoch == leader_epoch
