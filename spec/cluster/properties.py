"""The promises of a cluster: no acknowledged record is lost, and logs do not differ in committed records.

Part of Kafka judged: `impl/broker` and `impl/controller`, by their records only.
Source: Kafka's documentation (acks, min.insync.replicas, "Replicated Logs"); the KIPs and issues named below.
Left out, and why that is sound: records that were neither acknowledged nor read, because Kafka promises nothing about
them.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET, NO_RECORD
from kafkacheck.model.cluster.system import State


def acknowledged_records_survive(state: State) -> bool:
    """The leader of the newest leader epoch has every acknowledged record at the offset that its producer got.

    The records of a deleted topic do not count, nor those that were deleted after they were committed.

    Evidence: a log that begins above the offset does not show how the record went; `State.deleted` does.
    Lost to users: a record that its producer believes to be safe.
    Source: acks=all; leader completeness.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER:
        return True
    leader = state.brokers[metadata.leader]
    if leader.leader != metadata.leader or leader.leader_epoch != metadata.leader_epoch:
        return True
    if leader.topic_id != metadata.topic_id:
        return True
    return all(
        leader.log.records[offset].id == record
        for record, offset in enumerate(state.producers.acknowledged)
        if offset != NO_OFFSET and state.producers.topic_ids[record] == metadata.topic_id
        if offset >= min(leader.log_start_offset, state.deleted)
    )


def logs_match_by_epoch(state: State) -> bool:
    """If two logs have records of one leader epoch at the same offset, they agree there and at all lower offsets.

    Lost if it fails: replicas of one partition hold different histories, and no comparison of epochs will find the
    difference.
    Source: KIP-101, KIP-279; log matching of Raft.
    """
    for replica_id in range(len(state.brokers)):
        log = state.brokers[replica_id].log
        for other_id in range(replica_id):
            other = state.brokers[other_id].log
            differ = False
            end_offset = min(log.end_offset, other.end_offset)
            if state.brokers[replica_id].topic_id != state.brokers[other_id].topic_id:
                end_offset = 0
            for offset in range(end_offset):
                if log.records[offset].id != NO_RECORD and other.records[offset].id != NO_RECORD:
                    if log.records[offset].id != other.records[offset].id:
                        differ = True
                    if differ and log.records[offset].epoch == other.records[offset].epoch:
                        return False
    return True


def logs_agree_below_high_watermark(state: State) -> bool:
    """Two running brokers in one leader epoch have the same records below both of their high watermarks.

    A follower that must still ask where to truncate serves no clients, and does not count.

    Lost to users: a client that reads from followers gets a record that was never committed, or two clients get
    different records.
    Source: KIP-392; KAFKA-14704.
    """
    for replica_id, replica in enumerate(state.brokers):
        for other_id in range(replica_id):
            other = state.brokers[other_id]
            are_serving = replica.is_running and other.is_running and not replica.must_truncate
            is_same_topic = replica.topic_id == other.topic_id and not other.must_truncate
            if are_serving and is_same_topic and replica.leader_epoch == other.leader_epoch:
                start = max(replica.log_start_offset, other.log_start_offset)
                for offset in range(start, min(replica.high_watermark, other.high_watermark)):
                    if replica.log.records[offset].id != other.log.records[offset].id:
                        return False
    return True


def one_leader_in_epoch(state: State) -> bool:
    """No two brokers believe that they lead in the same leader epoch.

    Lost if it fails: two brokers stamp different records with one epoch, and every rule built on epochs is void.
    Source: Kafka's leader epoch; KIP-101.
    """
    for leader_id in range(len(state.brokers)):
        for other_id in range(leader_id):
            leader = state.brokers[leader_id]
            other = state.brokers[other_id]
            is_same = leader.topic_id == other.topic_id and leader.leader_epoch == other.leader_epoch
            if leader.leader == leader_id and other.leader == other_id and is_same:
                return False
    return True


def isr_is_covered(state: State) -> bool:
    """The leader of the newest epoch waits for every broker that the controller may elect.

    Lost if it fails: a record can be committed although the broker that is elected next does not have it.
    Source: KIP-497 (the maximal ISR); `Partition`, comment on `PendingExpandIsr`.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER:
        return True
    leader = state.brokers[metadata.leader]
    if leader.leader != metadata.leader or leader.leader_epoch != metadata.leader_epoch:
        return True
    if leader.topic_id != metadata.topic_id:
        return True
    return metadata.isr <= leader.isr | leader.pending_isr


def isr_has_no_inactive(state: State) -> bool:
    """A broker that is fenced or stopping is in the ISR only as its last member.

    Lost if it fails: writes with acks=all wait for a broker that is gone, or the next leader is one that is stopping.
    Source: KIP-841, KAFKA-13916.
    """
    metadata = state.controller.history[state.controller.offset]
    return metadata.isr <= metadata.active or metadata.isr & metadata.active == Ids()


def isr_is_assigned(state: State) -> bool:
    """Every ISR member is an assigned replica, except between the two rounds that end a reassignment.

    Lost if it fails: a replica that will be deleted counts for min.insync.replicas, and the leader waits for it.
    Source: KAFKA-1097; `ReplicationControlManager.validateAlterPartitionData`.
    """
    metadata = state.controller.history[state.controller.offset]
    return state.controller.is_reassignment_ending == 1 or metadata.isr <= metadata.replicas


def recovering_leader_is_alone(state: State) -> bool:
    """After an unclean election the leader is alone in the ISR until it has declared that it has recovered.

    Lost if it fails: replicas follow a leader that is still losing records as if it were safe to follow.
    Source: KIP-704.
    """
    metadata = state.controller.history[state.controller.offset]
    return not metadata.is_recovering or len(metadata.isr) <= 1


def high_watermark_is_within_log(state: State) -> bool:
    """Every replica's high watermark lies between the start and the end of its log.

    Lost if it fails: an elected leader cannot serve reads, because it cannot find its high watermark in its log.
    Source: KAFKA-9491; `UnifiedLog.updateHighWatermark`.
    """
    return all(
        not (broker.is_running and broker.high_watermark < broker.log_start_offset)
        and broker.high_watermark <= broker.log.end_offset
        for broker in state.brokers
    )


def dead_leader_is_replaced(state: State) -> bool:
    """If the recorded leader has failed, the controller does not miss that failure.

    Lost to users: the partition never gets a leader again, although an in-sync replica is alive.
    Source: KAFKA-3143. The issue is about liveness; a single state shows only this part.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER or state.brokers[metadata.leader].is_running:
        return True
    return metadata.leader not in state.controller.unnoticed


def acknowledged_record(state: State) -> bool:
    """A record has been acknowledged. Without an example nothing can be lost."""
    return any(state.producers.acknowledged[record] != NO_OFFSET for record in range(len(state.producers.acknowledged)))


def deposed_leader(state: State) -> bool:
    """A broker leads in an old leader epoch. Without an example fencing is not tested."""
    newest = state.controller.history[state.controller.offset].leader_epoch
    return any(
        broker.leader == broker_id and broker.leader_epoch < newest and broker.log.end_offset > 0
        for broker_id, broker in enumerate(state.brokers)
    )
