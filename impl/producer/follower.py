"""A follower: it copies its leader's batches, and its producer state follows from them.

Part of Kafka modelled: `ReplicaFetcherThread`, `UnifiedLog.appendAsFollower`, `truncateTo`, `truncateFullyAndStartAt`.
Source: apache/kafka (commit 1eb7644349); KAFKA-6003, KAFKA-12153.
Left out, and why that is sound: requests under way and leader epochs, by which a follower finds where its log diverges
from its leader's (`impl/broker` has them). Here it compares the batches themselves.
"""

from kafkacheck.impl.log import truncate_to
from kafkacheck.impl.log.append import append_batch, append_error
from kafkacheck.impl.log.constants import Origin, ProduceError
from kafkacheck.impl.log.records import Batch, PartitionLog
from kafkacheck.impl.log.reload import advance_start, begin_log_at
from kafkacheck.impl.log.verification import NO_GUARD
from kafkacheck.impl.producer.client_records import PartitionId
from kafkacheck.impl.producer.constants import RequestStage
from kafkacheck.impl.producer.leader import complete_requests
from kafkacheck.impl.producer.partition_records import PartitionReplica
from kafkacheck.impl.producer.recovery import reload_producers
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.wire import answer
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.model.producer.system import State


def is_same_batch(one: Batch, other: Batch) -> bool:
    """Whether two batches are the same, or indistinguishable."""
    if one.id != other.id or one.marker != other.marker or one.producer_id != other.producer_id:
        return False
    return one.producer_epoch == other.producer_epoch and one.base_sequence == other.base_sequence


def shared_end_offset(log: PartitionLog, leader: PartitionLog) -> int:
    """The end offset of the part that the log shares with its leader's."""
    for offset in range(max(log.start_offset, leader.start_offset), min(log.end_offset, leader.end_offset)):
        if not is_same_batch(log.records[offset], leader.records[offset]):
            return offset
    return min(log.end_offset, leader.end_offset)


def has_unresolvable_offset(log: PartitionLog) -> bool:
    """Whether the producer state still has a transaction that begins at or after the log's end."""
    for producer_id in range(len(log.producers)):
        if log.producers[producer_id].current_transaction_first_offset >= log.end_offset:
            return True
    return False


def truncate_replica(replica: PartitionReplica, rules: ProducerRules, high_watermark: int, end_offset: int) -> None:
    """Truncate a replica's log, and rebuild its producer state.

    By the old order the log's end was set first. If the high watermark moved to that end, the last stable offset was
    looked up, and with it the first offset of a truncated transaction. The lookup failed, and the fetcher gave up the
    partition; the next truncation removed no batch, so the old producer state stayed.
    """
    truncate_to(replica.log, end_offset)
    replica.flushed_offset = min(replica.flushed_offset, end_offset)
    if not rules.truncation_reloads_first and high_watermark >= end_offset and has_unresolvable_offset(replica.log):
        return
    reload_producers(replica, rules)


def stop_leading(state: State, rules: ProducerRules, partition_id: int, replica_id: int) -> None:
    """Make a deposed leader a follower: it answers its waiting requests, and truncates where its log diverges."""
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
        truncate_replica(replica, rules, partition.high_watermark, end_offset)


def take_next_batch(replica: PartitionReplica, rules: ProducerRules, leader: PartitionLog) -> bool:
    """Append the leader's next batch, or restart at the leader's log start; whether either was done."""
    log = replica.log
    if log.end_offset < leader.start_offset:
        begin_log_at(log, leader.start_offset)
        return True
    if log.end_offset >= leader.end_offset:
        return False
    batch = leader.records[log.end_offset]
    if append_error(log, rules, batch, NO_GUARD, Origin.REPLICATION) != ProduceError.NONE:
        return False
    append_batch(log, rules, batch)
    if log.start_offset < leader.start_offset:
        advance_start(log, rules, leader.start_offset)
    return True


def follower_fetches(state: State, rules: ProducerRules, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A replica that does not lead takes the leader's next batch.

    Who: a follower; a deposed leader first becomes one.
    When: it is a deposed leader, or the leader has a next batch or a log start above the follower's log end.
    Effect: the batch is appended without validation and updates the producer state. If every replica now has it, the
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
