"""The follower: turns to a new leader, truncates its log, and fetches.

Part of Kafka modelled: what a broker does as follower of the partition.
Source: KafkaReplication, Kip101, Kip279, Kip320FirstTry and Kip320 in hachikuji/kafka-specification (commit d68782b);
apache/kafka `Partition` (`makeFollower`), `AbstractFetcherThread` and `ReplicaFetcherThread`.
Left out, and why that is sound: fetch sessions and batches, because records arrive one at a time in every order that
several of them could; the way back of a fetch, because the response is used in the step that reads the leader's log. A
response that arrives late is therefore not modelled; Kafka drops one whose offset or epoch is no longer the
follower's.
"""

from kafkacheck.impl.constants import NO_LEADER
from kafkacheck.impl.log import LeaderEpoch, append_record, has_offset, truncate_to
from kafkacheck.impl.replication.fencing import can_ask_leader, is_caught_up, is_presumed_leader
from kafkacheck.impl.replication.records import ReplicaId, ReplicationRules, State
from kafkacheck.impl.replication.truncation import needs_truncation, shared_end_offset, truncation_offset


def become_follower(state: State, rules: ReplicationRules, follower_id: ReplicaId, leader_epoch: LeaderEpoch) -> bool:
    """A replica observes a LeaderAndIsr request that names another leader, and turns to it.

    Who: any replica but the leader named by the request of `leader_epoch`.
    When: the request was sent, names a leader, and is newer than all that this replica obeyed; the fencing rule lets
        it ask that leader; and the truncation rule's offset is not above the end of its log.
    Effect: its log is cut where the truncation rule says, its high watermark no higher than that; it adopts epoch,
        leader and ISR.
    Source: BecomeFollowerAndTruncateTo, BecomeFollower, FencedBecomeFollowerAndTruncate; Kafka's Partition.makeFollower
        and AbstractFetcherThread's truncation.
    Left out: the time between obeying the request and truncating, in which the replica neither fetches nor serves.
        Where the answer lies above its end offset Kafka leaves the log as it is; the specification lets the replica
        wait.
    """
    request = state.leader_and_isr_requests[leader_epoch]
    follower = state.replicas[follower_id]
    if request.leader == NO_LEADER:
        return False
    if request.leader == follower_id:
        return False
    if leader_epoch <= follower.leader_epoch:
        return False
    if not can_ask_leader(state, rules, request.leader, leader_epoch):
        return False
    end_offset = truncation_offset(state, rules, request.leader, follower_id)
    if end_offset > follower.log.end_offset:
        return False
    truncate_to(follower.log, end_offset)
    follower.high_watermark = min(follower.high_watermark, end_offset)
    follower.leader_epoch = leader_epoch
    follower.leader = request.leader
    follower.isr = request.isr
    return True


def follower_replicate(state: State, rules: ReplicationRules, follower_id: ReplicaId) -> bool:
    """A follower fetches the next record from its leader.

    Who: a replica that believes in a leader.
    When: that leader believes it leads and has a record at the follower's end offset; and under the fencing rule the
        follower is caught up with the leader to where its own log ends.
    Effect: the record is appended as it is on the leader; the follower's high watermark becomes the leader's, but no
        higher than its own end offset.
    Source: FollowerReplicate, FollowerFetch, FencedFollowerFetch; Kafka's AbstractFetcherThread.processFetchRequest.
    Left out: a fetch that brings no record but a newer high watermark; the follower has it later or never.
    """
    follower = state.replicas[follower_id]
    if follower.leader == NO_LEADER:
        return False
    leader = state.replicas[follower.leader]
    if not is_presumed_leader(state, follower.leader):
        return False
    if not has_offset(leader.log, follower.log.end_offset):
        return False
    if not is_caught_up(state, rules, follower.leader, follower_id, follower.log.end_offset):
        return False
    record = leader.log.records[follower.log.end_offset]
    append_record(follower.log, record.id, record.epoch)
    follower.high_watermark = min(leader.high_watermark, follower.log.end_offset)
    return True


def follower_truncate(state: State, follower_id: ReplicaId) -> bool:
    """A follower is told at a fetch that its log is not its leader's, and truncates (first draft of KIP-320 only).

    Who: a replica that believes in a leader.
    When: that leader believes it leads, and finds the follower's log longer or ending in another epoch than its own.
    Effect: the follower's log ends behind the last record that both share; its high watermark is no higher than that.
    Source: FollowerTruncate in Kip320FirstTry. Kafka later built truncation on fetch with the leader epoch checked as
        well (KIP-595), which this draft does not.
    Left out: the rounds of question and answer; both logs are looked at in one step.
    """
    follower = state.replicas[follower_id]
    if follower.leader == NO_LEADER:
        return False
    if not is_presumed_leader(state, follower.leader):
        return False
    if not needs_truncation(state, follower.leader, follower_id):
        return False
    leader = state.replicas[follower.leader]
    end_offset = shared_end_offset(leader.log, follower.log)
    truncate_to(follower.log, end_offset)
    follower.high_watermark = min(follower.high_watermark, end_offset)
    return True
