"""The leader: it appends, raises the high watermark over the maximal ISR, and acknowledges.

Part of Kafka modelled: `Partition` (`appendRecordsToLeader`, `maybeIncrementLeaderHW`,
`checkEnoughReplicasReachOffset`) and the delayed produce of `ReplicaManager`.
Source: apache/kafka (commit 1eb7644349); KIP-497, KAFKA-15583.
Left out, and why that is sound: waiting for replicas outside the ISR that have caught up and are not proposed yet,
which keeps the high watermark lower and loses nothing (**not covered** for liveness); the time until an answer reaches
the producer, because an acknowledgement cannot be taken back.
"""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.broker.log_file import advance_log_start, append_to_log
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.client.records import Producers
from kafkacheck.impl.enums import Acks
from kafkacheck.impl.ids import NO_EPOCH
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.reading import end_of, id_at, leader_epoch_at
from kafkacheck.impl.messages.metadata import Metadata, min_insync_replicas
from kafkacheck.impl.rules import ClusterRules


def is_leading(broker: Broker, broker_id: int) -> bool:
    """Whether the broker runs and believes that it leads; the controller may have elected another one since."""
    return broker.is_running and broker.leader == broker_id


def maximal_isr(broker: Broker) -> Ids:
    """The confirmed and the proposed ISR together, which contain any ISR that the controller may hold."""
    return broker.isr | broker.pending_isr


def has_enough_replicas(rules: ClusterRules, metadata: Metadata, isr: Ids) -> bool:
    """Whether `isr` has min.insync.replicas members (in the leader's metadata), or every replica if they are fewer."""
    return len(isr) >= min(min_insync_replicas(metadata, rules), len(metadata.replicas))


def committed_end_offset(leader: Broker, rules: ClusterRules, leader_id: int) -> int:
    """The offset below which every awaited member surely has each record; `NO_OFFSET` if one has not fetched yet."""
    awaited = maximal_isr(leader) if rules.high_watermark_awaits_maximal_isr else leader.isr
    end_offset = end_of(leader.log)
    for follower_id in awaited - {leader_id}:
        end_offset = min(end_offset, leader.followers[follower_id].end_offset)
    return end_offset


def acknowledge(leader: Broker, rules: ClusterRules, metadata: Metadata, producers: Producers, offset: int) -> None:
    """Acknowledge the record at `offset` to its producer, if acks=all and enough replicas have it.

    With too few replicas the answer is NOT_ENOUGH_REPLICAS_AFTER_APPEND, and the record may still survive. The producer
    of a record of an earlier epoch got NOT_LEADER_OR_FOLLOWER when the leader stepped down.
    """
    begun = leader.leader_epoch if leader.leads_since == NO_EPOCH else leader.leads_since
    if leader_epoch_at(leader.log, offset) >= begun and rules.acks == Acks.ALL:
        if has_enough_replicas(rules, metadata, maximal_isr(leader)):
            producers.acknowledged[id_at(leader.log, offset)] = offset


def forget_caught_up(leader: Broker) -> None:
    """Forget which followers were found caught up, because the high watermark that they had reached has moved.

    Kafka holds a lock from finding a follower caught up until it proposes the follower; only fetches come in between.
    """
    for follower in leader.followers:
        follower.is_caught_up = False
        follower.caught_up_broker_epoch = NO_EPOCH


def maybe_raise_high_watermark(leader: Broker, rules: ClusterRules, leader_id: int, metadata: Metadata) -> None:
    """Raise a leader's high watermark as far as its followers allow.

    It does not rise while the ISR is smaller than min.insync.replicas (KAFKA-15583). Producers that await it are
    answered afterwards (`acknowledge`).
    """
    if rules.high_watermark_awaits_enough and not has_enough_replicas(rules, metadata, leader.isr):
        return
    end_offset = committed_end_offset(leader, rules, leader_id)
    if end_offset > leader.high_watermark:
        leader.high_watermark = end_offset
        forget_caught_up(leader)


def append_next_record(
    leader: Broker, rules: ClusterRules, leader_id: int, metadata: Metadata, producers: Producers
) -> bool:
    """Append a producer's next record, as a broker that believes it leads.

    Who: a leader, which may have been deposed.
    When: a record is left and the log has room; with acks=all the ISR has min.insync.replicas members.
    Effect: the record is appended with the leader's epoch. With acks=1 it is acknowledged; a leader alone in its ISR
        commits it at once.
    Source: Partition.appendRecordsToLeader; NOT_ENOUGH_REPLICAS.
    Left out: batches, and the retries of a producer that was not answered.
    """
    if not is_leading(leader, leader_id):
        return False
    if producers.next_record >= len(producers.acknowledged):
        return False
    if is_full(leader.log):
        return False
    if rules.acks == Acks.ALL and not has_enough_replicas(rules, metadata, leader.isr):
        return False
    if rules.acks == Acks.LEADER:
        producers.acknowledged[producers.next_record] = end_of(leader.log)
    producers.topic_ids[producers.next_record] = leader.topic_id
    append_to_log(leader, rules, producers.next_record, leader.leader_epoch)
    producers.next_record += 1
    maybe_raise_high_watermark(leader, rules, leader_id, metadata)
    return True


def delete_records(leader: Broker, rules: ClusterRules, leader_id: int, start_offset: int) -> bool:
    """Remove the oldest records, by retention or because a client asked for it.

    Who: a leader.
    When: the new start is above the old one and no higher than the high watermark.
    Effect: the log begins there.
    Source: UnifiedLog.deleteOldSegments, Partition.deleteRecordsOnLeader.
    Left out: that the new start reaches the disk late.
    """
    if not is_leading(leader, leader_id):
        return False
    if start_offset <= leader.log_start_offset or start_offset > leader.high_watermark:
        return False
    advance_log_start(leader, rules, start_offset)
    return True


def forget_followers(broker: Broker) -> None:
    """Forget the followers' fetches, because the leader epoch in which they counted is over."""
    for follower in broker.followers:
        clear(follower)


def forget_unassigned(broker: Broker, metadata: Metadata) -> None:
    """Forget the fetches of brokers that the partition is no longer assigned to."""
    for follower_id, follower in enumerate(broker.followers):
        if follower_id not in metadata.replicas:
            clear(follower)
