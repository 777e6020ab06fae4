"""The leader: it appends, raises the high watermark over the maximal ISR, and acknowledges.

Part of Kafka modelled: `Partition` (`appendRecordsToLeader`, `maybeIncrementLeaderHW`,
`checkEnoughReplicasReachOffset`) and the delayed produce of `ReplicaManager`.
Source: apache/kafka (commit 1eb7644349); KIP-497, KAFKA-15583.
Left out, and why that is sound: waiting for replicas outside the ISR that are about to join it, which only keeps the
high watermark lower; the time until an answer reaches the producer, because an acknowledgement cannot be taken back.
"""

from kafkacheck.checker.schema import cardinality, contains
from kafkacheck.impl.broker.log_file import advance_log_start, append_to_log
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.constants import NO_EPOCH, NO_OFFSET, Acks
from kafkacheck.impl.log import LogStartOffset, is_full
from kafkacheck.impl.messages.metadata import min_insync_replicas
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def is_leading(state: State, broker_id: int) -> bool:
    """Whether the broker runs and believes that it leads; the controller may have elected another one since."""
    return state.brokers[broker_id].is_running and state.brokers[broker_id].leader == broker_id


def maximal_isr(broker: Broker) -> int:
    """The confirmed and the proposed ISR together, which contain any ISR that the controller may hold."""
    return broker.isr | broker.pending_isr


def has_enough_replicas(state: State, rules: ClusterRules, leader_id: int, isr: int) -> bool:
    """Whether `isr` has min.insync.replicas members, by the value that the leader knows, or contains every broker."""
    metadata = state.controller.history[state.brokers[leader_id].metadata_offset]
    return cardinality(isr) >= min(min_insync_replicas(metadata, rules), len(state.brokers))


def committed_end_offset(state: State, rules: ClusterRules, leader_id: int) -> int:
    """The offset below which every awaited member surely has each record; `NO_OFFSET` if one has not fetched yet."""
    leader = state.brokers[leader_id]
    awaited = maximal_isr(leader) if rules.high_watermark_awaits_maximal_isr else leader.isr
    end_offset = leader.log.end_offset
    for follower_id in range(len(state.brokers)):
        if follower_id != leader_id and contains(awaited, follower_id):
            end_offset = min(end_offset, leader.followers[follower_id].end_offset)
    return end_offset


def acknowledge(state: State, rules: ClusterRules, leader_id: int, offset: int) -> None:
    """Acknowledge the record at `offset` to its producer, if acks=all and enough replicas have it.

    With too few replicas the answer is NOT_ENOUGH_REPLICAS_AFTER_APPEND, and the record may still survive. The producer
    of a record of an earlier epoch got NOT_LEADER_OR_FOLLOWER when that epoch ended.
    """
    leader = state.brokers[leader_id]
    record = leader.log.records[offset]
    if record.epoch == leader.leader_epoch and rules.acks == Acks.ALL:
        if has_enough_replicas(state, rules, leader_id, maximal_isr(leader)):
            state.producers.acknowledged[record.id] = offset


def note_commit(state: State, rules: ClusterRules, leader_id: int, offset: int) -> None:
    """Note which record has been committed at `offset`, for properties that check that it never changes."""
    if rules.commits_are_noted:
        state.committed[offset] = state.brokers[leader_id].log.records[offset].id


def forget_caught_up(leader: Broker) -> None:
    """Forget which followers were found caught up, because the high watermark that they had reached has moved.

    Kafka holds a lock between finding a follower caught up and proposing it: only fetches get in between.
    """
    for follower_id in range(len(leader.followers)):
        leader.followers[follower_id].is_caught_up = False
        leader.followers[follower_id].caught_up_broker_epoch = NO_EPOCH


def raise_high_watermark(state: State, rules: ClusterRules, leader_id: int) -> bool:
    """Raise a leader's high watermark as far as its followers allow, and acknowledge; return whether it rose.

    It does not rise while the ISR is smaller than min.insync.replicas (KAFKA-15583).
    """
    leader = state.brokers[leader_id]
    if rules.high_watermark_awaits_enough and not has_enough_replicas(state, rules, leader_id, leader.isr):
        return False
    end_offset = committed_end_offset(state, rules, leader_id)
    if end_offset <= leader.high_watermark:
        return False
    for offset in range(leader.high_watermark, end_offset):
        acknowledge(state, rules, leader_id, offset)
        note_commit(state, rules, leader_id, offset)
    leader.high_watermark = end_offset
    forget_caught_up(leader)
    return True


def leader_appends(state: State, rules: ClusterRules, leader_id: ReplicaId) -> bool:
    """A broker that believes it leads appends a producer's next record.

    Who: a leader, which may have been deposed.
    When: a record is left and the log has room; with acks=all the ISR has min.insync.replicas members.
    Effect: the record is appended with the leader's epoch. With acks=1 it is acknowledged; a leader alone in its ISR
        commits it at once.
    Source: Partition.appendRecordsToLeader; NOT_ENOUGH_REPLICAS.
    Left out: batches, and the retries of a producer that was not answered.
    """
    leader = state.brokers[leader_id]
    producers = state.producers
    if not is_leading(state, leader_id):
        return False
    if producers.next_record >= len(producers.acknowledged):
        return False
    if is_full(leader.log):
        return False
    if rules.acks == Acks.ALL and not has_enough_replicas(state, rules, leader_id, leader.isr):
        return False
    if rules.acks == Acks.LEADER:
        producers.acknowledged[producers.next_record] = leader.log.end_offset
    producers.topic_ids[producers.next_record] = leader.topic_id
    append_to_log(leader, rules, producers.next_record, leader.leader_epoch)
    producers.next_record += 1
    raise_high_watermark(state, rules, leader_id)
    return True


def leader_deletes_records(state: State, leader_id: ReplicaId, start_offset: LogStartOffset) -> bool:
    """A leader removes its oldest records, by retention or because a client asked for it.

    Who: a leader.
    When: the new start is above the old one and no higher than the high watermark.
    Effect: the log begins there.
    Source: UnifiedLog.deleteOldSegments, Partition.deleteRecordsOnLeader.
    Left out: that the new start reaches the disk late.
    """
    leader = state.brokers[leader_id]
    if not is_leading(state, leader_id):
        return False
    if start_offset <= leader.log_start_offset or start_offset > leader.high_watermark:
        return False
    advance_log_start(leader, start_offset)
    return True


def forget_followers(broker: Broker) -> None:
    """Forget the followers' fetches, because the leader epoch in which they counted is over."""
    for follower in broker.followers:
        follower.end_offset = NO_OFFSET
        follower.broker_epoch = NO_EPOCH
        follower.is_caught_up = False
        follower.caught_up_broker_epoch = NO_EPOCH
