"""A follower: it takes over its leader's batches and with them what is known of producers.

Part of Kafka modelled: `ReplicaFetcherThread`, `UnifiedLog.appendAsFollower`, `truncateTo`, `truncateFullyAndStartAt`.
Source: apache/kafka (commit 1eb7644349); KAFKA-6003, KAFKA-12153.
Left out, and why that is sound: requests under way and leader epochs: `impl/broker` has them, and by them a follower
finds where its log parts from its leader's. Here it compares the batches themselves.
"""

from kafkacheck.impl.producer.append import append_batch, append_error
from kafkacheck.impl.producer.client_records import PartitionId
from kafkacheck.impl.producer.constants import Origin, ProduceError, RequestStage
from kafkacheck.impl.producer.leader import complete_requests
from kafkacheck.impl.producer.partition_records import PartitionReplica
from kafkacheck.impl.producer.records import Batch, PartitionLog
from kafkacheck.impl.producer.recovery import reload_producers
from kafkacheck.impl.producer.reload import advance_start, begin_log_at, cut_log
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.verification import NO_GUARD
from kafkacheck.impl.producer.wire import answer
from kafkacheck.impl.producing import State
from kafkacheck.impl.replication.records import ReplicaId


def is_same_batch(one: Batch, other: Batch) -> bool:
    """Whether two batches are the same, or could not be told apart by anybody."""
    if one.id != other.id or one.marker != other.marker or one.producer_id != other.producer_id:
        return False
    return one.producer_epoch == other.producer_epoch and one.base_sequence == other.base_sequence


def shared_end_offset(log: PartitionLog, leader: PartitionLog) -> int:
    """The end of what the log has in common with its leader's."""
    for offset in range(max(log.start_offset, leader.start_offset), min(log.end_offset, leader.end_offset)):
        if not is_same_batch(log.batches[offset], leader.batches[offset]):
            return offset
    return min(log.end_offset, leader.end_offset)


def has_unresolvable_offset(log: PartitionLog) -> bool:
    """Whether the producer state still has a transaction that begins where the log has nothing any more."""
    for producer_id in range(len(log.producers)):
        if log.producers[producer_id].current_transaction_first_offset >= log.end_offset:
            return True
    return False


def truncate_to(replica: PartitionReplica, rules: ProducerRules, high_watermark: int, end_offset: int) -> None:
    """Cut a replica's log, and make its producer state anew.

    By the old order the log's end came first. If that was the high watermark, the last stable offset was looked up, and
    with it the first offset of a transaction that is cut off. That failed, and the fetcher gave the partition up; the
    next truncation found nothing to cut, so that the producer state stayed.
    """
    cut_log(replica.log, end_offset)
    replica.flushed_offset = min(replica.flushed_offset, end_offset)
    if not rules.truncation_reloads_first and high_watermark >= end_offset and has_unresolvable_offset(replica.log):
        return
    reload_producers(replica, rules)


def stop_leading(state: State, rules: ProducerRules, partition_id: int, replica_id: int) -> None:
    """Let a deposed leader follow: requests that waited are answered, and its log is cut to what the leader has."""
    partition = state.partitions[partition_id]
    replica = partition.replicas[replica_id]
    replica.is_leading = False
    connection = state.connections[partition_id]
    if connection.broker == replica_id:
        for place in range(len(connection.requests)):
            if connection.requests[place].stage == RequestStage.WAITING:
                answer(connection.requests[place], ProduceError.NOT_LEADER_OR_FOLLOWER)
    end_offset = shared_end_offset(replica.log, partition.replicas[partition.leader].log)
    if end_offset < replica.log.end_offset:
        truncate_to(replica, rules, partition.high_watermark, end_offset)


def take_next_batch(replica: PartitionReplica, rules: ProducerRules, leader: PartitionLog) -> bool:
    """Append the leader's next batch, or begin where the leader's log begins; whether there was anything to take."""
    log = replica.log
    if log.end_offset < leader.start_offset:
        begin_log_at(log, leader.start_offset)
        return True
    if log.end_offset >= leader.end_offset:
        return False
    batch = leader.batches[log.end_offset]
    if append_error(log, rules, batch, NO_GUARD, Origin.REPLICATION) != ProduceError.NONE:
        return False
    append_batch(log, rules, batch)
    if log.start_offset < leader.start_offset:
        advance_start(log, rules, leader.start_offset)
    return True


def follower_fetches(state: State, rules: ProducerRules, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A replica that does not lead takes the leader's next batch.

    Who: a follower; a deposed leader first becomes one.
    When: there is something to take.
    Effect: the batch is appended without being judged, and producer state follows it. If now every replica has it, the
        high watermark rises, and requests are answered.
    Source: ReplicaFetcherThread.processPartitionData, AppendOrigin.REPLICATION.
    """
    partition = state.partitions[partition_id]
    if replica_id == partition.leader:
        return False
    replica = partition.replicas[replica_id]
    if replica.is_leading:
        stop_leading(state, rules, partition_id, replica_id)
    elif not take_next_batch(replica, rules, partition.replicas[partition.leader].log):
        return False
    complete_requests(state, rules, partition_id)
    return True
