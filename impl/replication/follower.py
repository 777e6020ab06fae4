"""The follower: turns to a new leader, truncates its log, and fetches.

Part of Kafka modelled: a broker's actions as follower of the partition.
Source: KafkaReplication, Kip101, Kip279, Kip320FirstTry and Kip320 in hachikuji/kafka-specification (commit d68782b);
apache/kafka `Partition` (`makeFollower`), `AbstractFetcherThread` and `ReplicaFetcherThread`.
Left out, and why that is sound: fetch sessions and batches, because records arrive one at a time in every order that
several of them could; the fetch response as a message, because it is used in the step that reads the leader's log. A
late response is therefore not modelled; Kafka drops one whose offset or epoch is no longer the follower's.
"""

from kafkacheck.impl.constants import NO_LEADER
from kafkacheck.impl.log import LeaderEpoch, append_record, has_offset, truncate_to
from kafkacheck.impl.replication.fencing import can_ask_leader, is_caught_up, is_presumed_leader
from kafkacheck.impl.replication.records import ReplicaId, ReplicationRules
from kafkacheck.impl.replication.truncation import needs_truncation, shared_end_offset, truncation_offset
from kafkacheck.model.replication.system import State


def become_follower(state: State, rules: ReplicationRules, follower_id: ReplicaId, leader_epoch: LeaderEpoch) -> bool:
    """A replica observes a LeaderAndIsr request that names another leader, and turns to it.

    Who: any replica but the leader named by the request of `leader_epoch`.
    When: the request was sent, names a leader, and is newer than all that this replica obeyed; the fencing rule lets
        the replica ask that leader; and the truncation rule's offset is not above the end of its log.
    Effect: its log is truncated to the truncation rule's offset, and its high watermark is no higher; it adopts leader
        epoch, leader and ISR.
    Source: BecomeFollowerAndTruncateTo, BecomeFollower, FencedBecomeFollowerAndTruncate; Kafka's Partition.makeFollower
        and AbstractFetcherThread's truncation.
    Left out: the time between obeying the request and truncating, in which the replica neither fetches nor serves. If
        the leader's answer is above the log's end offset, Kafka leaves the log as it is; in the specification the
        replica waits.
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

    Who: a replica that knows a leader.
    When: that leader believes it leads and has a record at the follower's end offset; under the fencing rule the
        follower is caught up with the leader to its own end offset.
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
    """A follower learns by a fetch that its log diverges, and truncates (first draft of KIP-320 only).

    Who: a replica that knows a leader.
    When: that leader believes it leads, and the follower's log is longer than its own or ends in another epoch.
    Effect: the follower's log ends after the last record that both share; its high watermark is no higher than that.
    Source: FollowerTruncate in Kip320FirstTry. Kafka later built truncation on fetch with the leader epoch checked as
        well (KIP-595), which this draft does not.
    Left out: the rounds of request and response; one step compares both logs.
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
