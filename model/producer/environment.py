"""Disturbances of a producer and the partitions that it writes to; each one is charged to a budget.

Delay needs no action: a request, a late request or an answer stays where it is until it is taken.
"""

from kafkacheck.checker.schema import Ids, clear, remove
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.ids import LogOffset, LogStartOffset, PartitionId, ReplicaId
from kafkacheck.impl.log import is_full, restart_at, truncate_to
from kafkacheck.impl.log.append import append_batch, append_marker, marker_error
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, Marker, ProduceError
from kafkacheck.impl.log.producer_state import expire_producer, has_open_transaction
from kafkacheck.impl.log.reading import end_of, id_at, known_coordinator_epoch, known_epoch, start_of
from kafkacheck.impl.log.records import BatchId, ProducerId
from kafkacheck.impl.log.reload import advance_start, write_snapshot
from kafkacheck.impl.log.replica import drop_replica, lose_unflushed_snapshots, restart_replica
from kafkacheck.impl.log.verification import start_verification, verification_error
from kafkacheck.impl.producer.bookkeeping import is_unsettled, oldest_unsettled, take_producer_id
from kafkacheck.impl.producer.client_records import Producer
from kafkacheck.impl.producer.constants import BatchStatus, ProducerState
from kafkacheck.impl.producer.retries import complete_batch, expire_batch
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.sender import give_sequence, hand_over
from kafkacheck.impl.producer.wire import (
    abandon_request,
    answer,
    close_connection,
    leave_request_behind,
    next_request,
    take_oldest,
)
from kafkacheck.model.producer.system import State, complete_requests


def start_empty(state: State) -> bool:
    """Begin with empty logs, broker 0 as leader, and a producer without an id."""
    for partition_id in range(len(state.partitions)):
        state.partitions[partition_id].replicas[0].is_leading = True
    return True


def start_written(state: State) -> bool:
    """Begin with one batch of a non-idempotent producer in each partition, flushed on every replica."""
    start_empty(state)
    for partition in state.partitions:
        for replica_id in range(len(partition.replicas)):
            restart_at(partition.replicas[replica_id].log, 1)
            partition.replicas[replica_id].flushed_offset = 1
        partition.high_watermark = 1
    return True


def start_known(state: State, rules: ProducerRules, bounds: Bounds) -> bool:
    """Begin when each partition's first batch is acknowledged, and every replica has flushed it."""
    start_empty(state)
    producer = state.producer
    take_producer_id(producer)
    producer.state = ProducerState.READY
    for partition_id, partition in enumerate(state.partitions):
        connection = state.connections[partition_id]
        batch_id = hand_over(producer, partition_id, 1)
        give_sequence(producer, rules, bounds, state.connections, batch_id, partition.leader)
        for replica_id in range(len(partition.replicas)):
            append_batch(partition.replicas[replica_id].log, rules.log, connection.requests[0].batch)
            partition.replicas[replica_id].flushed_offset = 1
        partition.high_watermark = 1
        take_oldest(connection)
        complete_batch(producer, producer.batches[batch_id], 0)
    return True


def start_with_snapshot(state: State, rules: ProducerRules, bounds: Bounds) -> bool:
    """Begin as `start_known`, with a flushed snapshot after the first batch."""
    start_known(state, rules, bounds)
    for partition in state.partitions:
        for replica in partition.replicas:
            write_snapshot(replica.log, replica.snapshots[0], 1)
            replica.snapshots[0].is_flushed = True
    return True


def batch_is_invalid(state: State, batch_id: BatchId) -> bool:
    """The topic does not accept the application's next batch.

    When: an invalid batch is left, and the batch is the next one.
    Effect: every leader that receives it refuses it for good.
    Source: INVALID_RECORD, MESSAGE_TOO_LARGE.
    Left out: a topic that accepts the batch later.
    """
    producer = state.producer
    if batch_id != producer.next_batch:
        return False
    if producer.batches[batch_id].is_invalid == 1:
        return False
    producer.batches[batch_id].is_invalid = 1
    return True


def batch_is_oversized(state: State, batch_id: BatchId) -> bool:
    """The application's next batch, if it has two records, is too large for the topic; each record alone is not.

    Why: the records compress less well than the producer has estimated.
    When: an oversized batch is left; the batch is the next one, and there is an id left for its second half.
    Effect: a leader refuses it until it is split.
    Source: MESSAGE_TOO_LARGE; `RecordAccumulator.splitAndReenqueue`; KIP-126.
    Left out: batches that must be split more than once; a topic that accepts the batch later.
    """
    producer = state.producer
    if batch_id != producer.next_batch:
        return False
    if batch_id + 1 >= len(producer.batches) or producer.batches[batch_id].is_oversized == 1:
        return False
    producer.batches[batch_id].is_oversized = 1
    return True


def connection_breaks(state: State, rules: ProducerRules, partition_id: PartitionId) -> bool:
    """The producer's connection breaks, or the producer stops waiting for an answer; all messages under way are lost.

    When: something is in flight; a disconnection is left.
    Effect: every batch in flight may be sent again; the producer does not know whether the batch is stored.
    Source: `request.timeout.ms`; NETWORK_EXCEPTION.
    """
    if state.connections[partition_id].requests[0].batch.id < 0:
        return False
    close_connection(state.producer, rules, state.connections[partition_id])
    return True


def request_is_left_behind(state: State, rules: ProducerRules, partition_id: PartitionId) -> bool:
    """The producer's connection breaks, but the broker handles the last request that it has read at a later time.

    When: there is such a request, and room for it; a disconnection is left.
    Effect: as when the connection breaks, but that request may still take effect at any later time.
    Source: `request.timeout.ms`; a busy or paused broker.
    Left out: several such requests: a broker reads the next request only after it has answered the last one.
    """
    if not leave_request_behind(state.connections[partition_id], state.late_requests, partition_id):
        return False
    close_connection(state.producer, rules, state.connections[partition_id])
    return True


def append_is_refused(state: State, rules: ProducerRules, partition_id: PartitionId) -> bool:
    """A leader has too few in-sync replicas, or cannot ask the coordinator, and appends nothing.

    When: there is a request to handle, and its verification is not refused; a refusal is left.
    Effect: the request is answered NOT_ENOUGH_REPLICAS. If it needs a verification, that has begun.
    Source: NOT_ENOUGH_REPLICAS; the retriable errors of `AddPartitionsToTxnManager`.
    """
    connection = state.connections[partition_id]
    place = next_request(connection)
    replica = state.partitions[partition_id].replicas[connection.broker]
    if place == len(connection.requests) or not replica.is_leading:
        return False
    batch = connection.requests[place].batch
    if rules.log.verification and batch.is_transactional == 1:
        if verification_error(replica.log, rules.log, batch) != ProduceError.NONE:
            return False
        start_verification(replica.log, rules.log, batch, 0)
    answer(connection.requests[place], ProduceError.NOT_ENOUGH_REPLICAS)
    return True


def batch_expires(state: State, batch_id: BatchId) -> bool:
    """A batch expires while it waits to be sent again.

    When: a batch expiration is left.
    Effect: the producer reports it to the application, and never sends the batch again.
    Source: `delivery.timeout.ms`; `TransactionManager.markSequenceUnresolved`.
    Left out: a batch that expires in flight: see `batch_expires_in_flight`.
    """
    producer = state.producer
    batch = producer.batches[batch_id]
    if batch.status != BatchStatus.RETRYING:
        return False
    expire_batch(producer, batch, True)
    return True


def batch_expires_in_flight(state: State, batch_id: BatchId) -> bool:
    """A batch expires while its request or the answer is under way.

    When: an expiration in flight is left.
    Effect: the producer reports it to the application, and never sends the batch again. Its request stays under way.
    Source: `delivery.timeout.ms`; `Sender.getExpiredInflightBatches`; KAFKA-19012.
    Left out: a batch that expires during its first attempt: Kafka then begins a new epoch (`inRetry`) only after the
        next batch has been refused as out of order until it expired.
    """
    producer = state.producer
    batch = producer.batches[batch_id]
    if batch.status != BatchStatus.IN_FLIGHT:
        return False
    abandon_request(state.connections[batch.partition], batch_id)
    expire_batch(producer, batch, True)
    return True


def metadata_lacks_topic(state: State, rules: ProducerRules, partition_id: PartitionId) -> bool:
    """A topic is missing from the producer's metadata for a while, and comes back.

    When: the producer has a counter for the partition, and no unsettled batch there; a blip is left.
    Effect: by the old rule the producer resets the counter to 0 in the same epoch.
    Source: UNKNOWN_TOPIC_OR_PARTITION from a broker that restarts; librdkafka's changes on message loss.
    """
    producer = state.producer
    counter = producer.counters[partition_id]
    if counter.producer_id == NO_PRODUCER_ID:
        return False
    if oldest_unsettled(producer, partition_id) != NO_BATCH:
        return False
    if not rules.counter_survives_metadata:
        counter.next_sequence = 0
        counter.last_acknowledged_sequence = NO_SEQUENCE
    return True


def forget_all(producer: Producer) -> None:
    """Clear the memory of the producer's process; buffered and unsettled batches are lost."""
    producer.state = ProducerState.UNINITIALIZED
    producer.producer_id = NO_PRODUCER_ID
    producer.producer_epoch = NO_PRODUCER_EPOCH
    producer.is_bump_required = False
    producer.partitions_to_rewrite = Ids()
    for batch in producer.batches:
        if is_unsettled(batch) or batch.status == BatchStatus.BUFFERED:
            batch.status = BatchStatus.LOST
    for counter in producer.counters:
        clear(counter)


def producer_dies(state: State, rules: ProducerRules) -> bool:
    """The producer's process ends, and another one begins after the last batch that was handed over.

    When: the producer has an id; a death is left.
    Effect: batches in its buffer or in flight are lost to the producer; the next process gets a new producer id.
    Source: the process is killed.
    Left out: requests that a broker still handles: they belong to a connection that broke before.
    """
    if state.producer.state == ProducerState.UNINITIALIZED:
        return False
    for connection in state.connections:
        close_connection(state.producer, rules, connection)
    forget_all(state.producer)
    return True


def leadership_moves(state: State, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """Another replica becomes leader of the partition, and the old leader does not know it yet.

    When: the replica follows, and has every acknowledged record; a fail-over is left.
    Effect: it leads.
    Source: the controller elects a member of the ISR.
    Left out: unclean elections, after which nothing is promised.
    """
    partition = state.partitions[partition_id]
    replica = partition.replicas[replica_id]
    if replica.is_leading or end_of(replica.log) < partition.high_watermark:
        return False
    partition.leader = replica_id
    replica.is_leading = True
    return True


def forget_connections_to(state: State, rules: ProducerRules, partition_id: int, replica_id: int) -> None:
    """Drop every message under way to a broker for a partition."""
    if state.connections[partition_id].broker == replica_id:
        close_connection(state.producer, rules, state.connections[partition_id])
    for place in range(len(state.late_requests) - 1, -1, -1):
        late = state.late_requests[place]
        if late.partition == partition_id and late.broker == replica_id:
            remove(state.late_requests, place)


def broker_crashes(state: State, rules: ProducerRules, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A broker's process ends and starts again; its writes stay in the page cache.

    When: a crash is left.
    Effect: connections end; the broker rebuilds the producer state from snapshots and the log.
    Source: the process is killed; LogLoader.
    Left out: the downtime, during which the broker does nothing; other partitions of the broker, which crash
        separately.
    """
    forget_connections_to(state, rules, partition_id, replica_id)
    restart_replica(state.partitions[partition_id].replicas[replica_id], rules.log)
    return True


def power_fails(
    state: State,
    rules: ProducerRules,
    partition_id: PartitionId,
    replica_id: ReplicaId,
    end_offset: LogOffset,
    keeps_snapshots: bool,
) -> bool:
    """A broker's machine loses power and starts again; it may lose any suffix of the unflushed log.

    When: a power loss is left; the flushed part of the log is kept.
    Effect: the log ends at `end_offset`; unflushed snapshots are all gone, or survive by chance. The rest is as after a
        crash.
    Source: asynchronous flush; LogLoader.
    """
    replica = state.partitions[partition_id].replicas[replica_id]
    if end_offset < replica.flushed_offset or end_offset > end_of(replica.log):
        return False
    forget_connections_to(state, rules, partition_id, replica_id)
    truncate_to(replica.log, end_offset)
    if not keeps_snapshots:
        lose_unflushed_snapshots(replica)
    restart_replica(replica, rules.log)
    return True


def records_are_deleted(
    state: State, rules: ProducerRules, partition_id: PartitionId, start_offset: LogStartOffset
) -> bool:
    """The oldest batches of a log are deleted, by retention or at a client's request.

    When: the new start is above the old one and no higher than the high watermark; a deletion is left.
    Effect: the leader's log begins there; properties remember the batches that consumers could read.
    Source: UnifiedLog.deleteOldSegments, Partition.deleteRecordsOnLeader.
    """
    partition = state.partitions[partition_id]
    leader = partition.replicas[partition.leader]
    if not leader.is_leading:
        return False
    if start_offset <= start_of(leader.log) or start_offset > partition.high_watermark:
        return False
    for offset in range(start_of(leader.log), start_offset):
        if id_at(leader.log, offset) != NO_BATCH:
            state.deleted[id_at(leader.log, offset)] = offset
    advance_start(leader.log, rules.log, start_offset)
    return True


def replica_begins_anew(state: State, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A follower is created anew: on another disk, or by a reassignment.

    When: it is a follower with a log that is not empty; a replacement is left.
    Effect: its log is empty, and it fetches from the beginning. It cannot lead before it has every acknowledged record.
    Source: AlterPartitionReassignments; a disk that is replaced.
    """
    replica = state.partitions[partition_id].replicas[replica_id]
    if replica.is_leading or end_of(replica.log) == 0:
        return False
    drop_replica(replica)
    return True


def producer_state_expires(
    state: State, partition_id: PartitionId, replica_id: ReplicaId, producer_id: ProducerId
) -> bool:
    """A broker forgets a producer that has been idle for a long time.

    When: the broker knows the producer, which has no transaction open there; a state expiration is left.
    Effect: the broker has no state of the producer.
    Source: `producer.id.expiration.ms`.
    """
    return expire_producer(state.partitions[partition_id].replicas[replica_id].log, producer_id)


def coordinator_aborts(state: State, rules: ProducerRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """The coordinator aborts the producer's transaction because it took too long, and fences the producer.

    Why: the coordinator and its log are no part of these models.
    When: a transaction is open in the partition, and there is a higher epoch; an abort is left.
    Effect: the leader appends an abort marker with the next epoch.
    Source: `transaction.timeout.ms`; TransactionMarkerChannelManager.
    Left out: markers of several coordinators.
    """
    partition = state.partitions[partition_id]
    log = partition.replicas[partition.leader].log
    producer = state.producer
    if producer.producer_id == NO_PRODUCER_ID or is_full(log):
        return False
    producer_id = producer.producer_id
    if not has_open_transaction(log, producer_id) or known_epoch(log, producer_id) >= bounds.max_producer_epoch:
        return False
    producer_epoch = known_epoch(log, producer_id) + 1
    coordinator_epoch = known_coordinator_epoch(log, producer_id)
    if marker_error(log, producer_id, producer_epoch, coordinator_epoch) != ProduceError.NONE:
        return False
    append_marker(log, rules.log, producer_id, producer_epoch, coordinator_epoch, Marker.ABORT)
    complete_requests(state, rules, partition_id)
    return True


CHARGES = {
    batch_is_invalid: "invalid_batches",
    batch_is_oversized: "oversized_batches",
    connection_breaks: "disconnections",
    request_is_left_behind: "disconnections",
    append_is_refused: "refusals",
    batch_expires: "batch_expirations",
    batch_expires_in_flight: "in_flight_expirations",
    metadata_lacks_topic: "blips",
    producer_dies: "producer_deaths",
    leadership_moves: "failovers",
    broker_crashes: "crashes",
    power_fails: "power_losses",
    records_are_deleted: "deletions",
    replica_begins_anew: "replacements",
    producer_state_expires: "state_expirations",
    coordinator_aborts: "aborts",
}
"""The allowance to which each disturbance of this file is charged."""
