"""The follower: turns to a new leader, truncates its log, and fetches.

Part of Kafka modelled: a broker's actions as follower of the partition.
Source: KafkaReplication, Kip101, Kip279, Kip320FirstTry and Kip320 in hachikuji/kafka-specification (commit d68782b);
apache/kafka `Partition` (`makeFollower`), `AbstractFetcherThread` and `ReplicaFetcherThread`.
Left out, and why that is sound: fetch sessions and batches, because records arrive one at a time in every order that
batches allow; the fetch response as a message, because it is used in the step that reads the leader's log. A late
response is therefore not modelled; Kafka drops a response whose offset or epoch is no longer the follower's.
"""

from kafkacheck.impl.log import append_record, has_offset, truncate_to
from kafkacheck.impl.log.reading import end_of, id_at, leader_epoch_at
from kafkacheck.impl.replication.fencing import can_ask_leader, is_follower_caught_up, is_presumed_leader
from kafkacheck.impl.replication.records import LeaderAndIsrRequest, Replica, ReplicationRules
from kafkacheck.impl.replication.truncation import end_of_last_shared_record, needs_truncation, truncation_offset


def truncate_follower(replica: Replica, end_offset: int) -> None:
    """Truncate a replica's log to `end_offset`, at most the log's end, and lower the high watermark with it."""
    truncate_to(replica.log, end_offset)
    replica.high_watermark = min(replica.high_watermark, end_offset)


def obey_as_follower(
    follower: Replica, rules: ReplicationRules, request: LeaderAndIsrRequest, leader_epoch: int, leader: Replica
) -> bool:
    """A replica observes a LeaderAndIsr request that names another leader, and turns to it.

    Who: any replica but the leader that the request of `leader_epoch` names.
    When: the request is newer than all that this replica obeyed; the fencing rule lets
        the replica ask that leader; and the truncation rule's offset is not above the end of its log.
    Effect: its log is truncated to the truncation rule's offset, and its high watermark is no higher; it adopts leader
        epoch, leader and ISR.
    Source: BecomeFollowerAndTruncateTo, BecomeFollower, FencedBecomeFollowerAndTruncate; Kafka's Partition.makeFollower
        and AbstractFetcherThread's truncation.
    Left out: the time between obeying the request and truncating, in which the replica neither fetches nor serves. If
        the leader's answer is above the log's end offset, Kafka leaves the log as it is; in the specification the
        replica waits.
    """
    if leader_epoch <= follower.leader_epoch:
        return False
    if not can_ask_leader(leader, rules, leader_epoch):
        return False
    end_offset = truncation_offset(follower, rules, leader.log)
    if end_offset > end_of(follower.log):
        return False
    truncate_follower(follower, end_offset)
    follower.leader_epoch = leader_epoch
    follower.leader = request.leader
    follower.isr = request.isr
    return True


def replicate_record(follower: Replica, rules: ReplicationRules, leader: Replica) -> bool:
    """A follower fetches the next record from its leader.

    Who: a replica that knows a leader.
    When: that leader believes it leads and has a record at the follower's end offset; under the fencing rule the
        follower is caught up with the leader to its own end offset.
    Effect: the record is appended as it is on the leader; the follower's high watermark becomes the leader's, but no
        higher than its own end offset.
    Source: FollowerReplicate, FollowerFetch, FencedFollowerFetch; Kafka's AbstractFetcherThread.processFetchRequest.
    Left out: a fetch that brings no record but a newer high watermark; the follower has it later or never.
    """
    if not is_presumed_leader(leader, follower.leader):
        return False
    if not has_offset(leader.log, end_of(follower.log)):
        return False
    if not is_follower_caught_up(leader, rules, follower.leader, follower, end_of(follower.log)):
        return False
    append_record(
        follower.log, id_at(leader.log, end_of(follower.log)), leader_epoch_at(leader.log, end_of(follower.log))
    )
    follower.high_watermark = min(leader.high_watermark, end_of(follower.log))
    return True


def truncate_diverging_log(follower: Replica, leader: Replica) -> bool:
    """A follower learns by a fetch that its log diverges, and truncates (first draft of KIP-320 only).

    Who: a replica that knows a leader.
    When: that leader believes it leads, and the follower's log is longer than the leader's or ends in another epoch.
    Effect: the follower's log ends after the last record that both share; its high watermark is no higher than that.
    Source: FollowerTruncate in Kip320FirstTry. Kafka later built truncation on fetch with the leader epoch checked as
        well (KIP-595), which this draft does not.
    Left out: the rounds of request and response; one step compares both logs.
    """
    if not is_presumed_leader(leader, follower.leader):
        return False
    if not needs_truncation(leader.log, follower.log):
        return False
    truncate_follower(follower, end_of_last_shared_record(leader.log, follower.log))
    return True
