"""The leader: takes over, writes, raises the high watermark, and changes the ISR.

Part of Kafka modelled: a broker's actions as leader of the partition, even if it is deposed.
Source: KafkaReplication, Kip320FirstTry and Kip320 in hachikuji/kafka-specification (commit d68782b); apache/kafka
`Partition` (`makeLeader`, `appendRecordsToLeader`, `maybeIncrementLeaderHW`, `maybeShrinkIsr`, `maybeExpandIsr`).
Left out, and why that is sound: acknowledgements to producers, because a record counts as committed here as soon as it
is below a leader's high watermark, which is earlier than any acknowledgement with acks=all; min.insync.replicas, which
only refuses writes; the request for an ISR change, which is one step here and is refused unless the leader is the true
one.
"""

from kafkacheck.checker.schema import Array, Ids
from kafkacheck.impl.log import append_record, has_offset, is_full
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.replication.fencing import (
    has_established_epoch,
    is_follower_caught_up,
    is_presumed_leader,
    is_true_leader,
)
from kafkacheck.impl.replication.records import LeaderAndIsrRequest, Quorum, Replica, ReplicationRules


def obey_as_leader(replica: Replica, request: LeaderAndIsrRequest, leader_epoch: int) -> bool:
    """The replica that a LeaderAndIsr request names as leader obeys the request.

    Who: the leader that the request of `leader_epoch` names.
    When: the request is newer than all that this replica obeyed.
    Effect: the replica adopts epoch, leader and ISR; log and high watermark stay as they are.
    Source: BecomeLeader; Kafka's Partition.makeLeader.
    Left out: the start offset of the epoch, which the log and its epochs determine.
    """
    if leader_epoch <= replica.leader_epoch:
        return False
    replica.leader_epoch = leader_epoch
    replica.leader = request.leader
    replica.isr = request.isr
    return True


def write_record(leader: Replica, leader_id: int, record_id: int) -> bool:
    """A replica that believes it leads appends the next record of a producer.

    Who: the presumed leader, which may have been deposed.
    When: the log has room.
    Effect: the record is appended with the replica's leader epoch.
    Source: LeaderWrite; Kafka's Partition.appendRecordsToLeader.
    Left out: batches and the producer's retries; a retried record would be a new record in this protocol.
    """
    if not is_presumed_leader(leader, leader_id):
        return False
    if is_full(leader.log):
        return False
    append_record(leader.log, record_id, leader.leader_epoch)
    return True


def increment_high_watermark(replicas: Array[Replica], rules: ReplicationRules, leader_id: int) -> bool:
    """A replica that believes it leads counts one more record as committed.

    Who: the presumed leader, with its own view of the ISR.
    When: it has a record at its high watermark, and by the fencing rule every member of its ISR is caught up past that
        record.
    Effect: its high watermark grows by one.
    Source: LeaderIncHighWatermark, ImprovedLeaderIncHighWatermark, FencedLeaderIncHighWatermark; Kafka's
        Partition.maybeIncrementLeaderHW.
    Left out: advancing by several records at once, which is several steps here.
    """
    leader = replicas[leader_id]
    if not is_presumed_leader(leader, leader_id):
        return False
    if not has_offset(leader.log, leader.high_watermark):
        return False
    for follower_id in leader.isr:
        if not is_follower_caught_up(leader, rules, leader_id, replicas[follower_id], leader.high_watermark + 1):
            return False
    leader.high_watermark += 1
    return True


def update_isr(leader: Replica, quorum: Quorum, isr: Ids) -> None:
    """Write the true leader's ISR change to the controller's record and to the leader's own."""
    leader.isr = isr
    quorum.isr = isr


def remove_lagging_follower(
    replicas: Array[Replica], rules: ReplicationRules, quorum: Quorum, leader_id: int, follower_id: int
) -> bool:
    """The leader removes a lagging replica from the ISR.

    Who: the true leader, because the controller refuses the change of any other.
    When: the follower is in the ISR and is not caught up with the end of the leader's log; the leader itself always is.
    Effect: the ISR of the leader and of the controller's record loses the follower; the leader epoch stays.
    Source: LeaderShrinkIsr, LeaderShrinkIsrBetterFencing, FencedLeaderShrinkIsr; Kafka's Partition.maybeShrinkIsr.
    Left out: replica.lag.time.max.ms; a follower may be found lagging at once, later or never.
    """
    leader = replicas[leader_id]
    if not is_true_leader(quorum, leader, leader_id):
        return False
    if follower_id not in leader.isr:
        return False
    if is_follower_caught_up(leader, rules, leader_id, replicas[follower_id], end_of(leader.log)):
        return False
    update_isr(leader, quorum, leader.isr - {follower_id})
    return True


def add_caught_up_follower(
    replicas: Array[Replica], rules: ReplicationRules, quorum: Quorum, leader_id: int, follower_id: int
) -> bool:
    """The leader adds a replica that has caught up to the ISR.

    Who: the true leader, because the controller refuses the change of any other.
    When: the follower is not in the ISR and is caught up with the leader's high watermark; with epochs in the fetch,
        that high watermark must also have reached the leader's own epoch.
    Effect: the ISR of the leader and of the controller's record gains the follower; the leader epoch stays.
    Source: LeaderExpandIsr, LeaderExpandIsrBetterFencing, FencedLeaderExpandIsr; Kafka's Partition.maybeExpandIsr.
    Left out: whether the follower's broker may join at all (fenced, stopping), which only refuses changes.
    """
    leader = replicas[leader_id]
    if not is_true_leader(quorum, leader, leader_id):
        return False
    if follower_id in leader.isr:
        return False
    if not is_follower_caught_up(leader, rules, leader_id, replicas[follower_id], leader.high_watermark):
        return False
    if not has_established_epoch(leader, rules):
        return False
    update_isr(leader, quorum, leader.isr | {follower_id})
    return True
