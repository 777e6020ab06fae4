"""A producer's whole system: the producer, the partitions, and the requests under way between them.

Other producers are left out, because a partition keeps a separate entry for each. So are consumers, because they only
read the log. Replication is a stand-in for what `impl/broker` has: every replica is in the ISR, and the high watermark
rises at once when all of them have a batch.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, AtMost, Bag, ById, If, Struct, remove
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.ids import OptionalOffset, PartitionId, ReplicaId
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.log.records import BatchId, RecordCount
from kafkacheck.impl.log.replica import append_from_leader, diverging_offset, flush_log, roll_segment
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.client_records import Producer
from kafkacheck.impl.producer.constants import RequestStage
from kafkacheck.impl.producer.leader import (
    answer_waiting,
    handle_late_request,
    handle_produce,
    has_room_for,
    refuse_waiting,
    stop_leading,
)
from kafkacheck.impl.producer.partition_records import Connection, LatePlace, LateRequest, Partition
from kafkacheck.impl.producer.retries import resolve_sequences
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.sender import (
    begin_next_epoch,
    call_send,
    drain,
    get_producer_id,
    send_again,
    send_at_once,
    take_answer,
)
from kafkacheck.impl.producer.wire import next_request


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here; healing costs nothing.

    disconnections: connections of the producer that break.
    refusals: requests that are refused with a retriable error.
    invalid_batches: batches with records that the topic refuses.
    oversized_batches: batches that are too large for the topic, although their records are not.
    batch_expirations: batches that expire while they wait for a retry.
    in_flight_expirations: batches that expire in flight.
    producer_deaths: ends of the producer's process.
    blips: topics that are missing from the producer's metadata for a while.
    failovers: changes of a partition's leader.
    crashes: crashes of a broker's process, which keep the page cache.
    power_losses: crashes of a machine, which lose unflushed data.
    deletions: log starts moved.
    replacements: replicas that start again without a log.
    state_expirations: idle producers that a broker forgets.
    aborts: transactions that their coordinator aborts.
    """

    disconnections: Annotated[int, Allowance("disconnections")]
    refusals: Annotated[int, Allowance("refusals")]
    invalid_batches: Annotated[int, Allowance("invalid_batches")]
    oversized_batches: Annotated[int, Allowance("oversized_batches")]
    batch_expirations: Annotated[int, Allowance("batch_expirations")]
    in_flight_expirations: Annotated[int, Allowance("in_flight_expirations")]
    producer_deaths: Annotated[int, Allowance("producer_deaths")]
    blips: Annotated[int, Allowance("blips")]
    failovers: Annotated[int, Allowance("failovers")]
    crashes: Annotated[int, Allowance("crashes")]
    power_losses: Annotated[int, Allowance("power_losses")]
    deletions: Annotated[int, Allowance("deletions")]
    replacements: Annotated[int, Allowance("replacements")]
    state_expirations: Annotated[int, Allowance("state_expirations")]
    aborts: Annotated[int, Allowance("aborts")]


class State(Struct):
    """The whole system.

    producer: the producer.
    partitions: by partition.
    connections: by partition, the producer's requests to it.
    late_requests: requests that the producer has given up, and that their brokers handle in any order.
    deleted: by batch, the offset at which consumers could read it before it was deleted; `NO_OFFSET` if it was not.
        Only properties read it. Always blank if the bound `deletions` is 0.
    budget: the disturbances that are left.
    """

    producer: Producer
    partitions: Annotated[Array[Partition], ById("partitions")]
    connections: Annotated[Array[Connection], ById("partitions")]
    late_requests: Annotated[Bag[LateRequest], AtMost("late_requests")]
    deleted: Annotated[Array[OptionalOffset], ById("batches"), If("deletions")]
    budget: Budget


def raise_high_watermark(partition: Partition, rules: LogRules) -> None:
    """Raise the high watermark to the lowest end offset, unless a deposed leader believes that it leads.

    This stand-in reads every replica. In Kafka the leader learns their log ends from their fetches.
    """
    end_offset = end_of(partition.replicas[partition.leader].log)
    for replica_id, replica in enumerate(partition.replicas):
        if replica.is_leading != (replica_id == partition.leader):
            return
        end_offset = min(end_offset, end_of(replica.log))
        if rules.answers_await_flush:
            end_offset = min(end_offset, replica.flushed_offset)
    partition.high_watermark = max(partition.high_watermark, end_offset)


def complete_requests(state: State, rules: ProducerRules, partition_id: int) -> None:
    """Raise the high watermark, and answer the leader's requests that waited for it."""
    partition = state.partitions[partition_id]
    connection = state.connections[partition_id]
    raise_high_watermark(partition, rules.log)
    if connection.broker == partition.leader:
        answer_waiting(connection, partition.high_watermark)


def producer_gets_id(state: State, bounds: Bounds) -> bool:
    """A producer gets an id from the cluster."""
    return get_producer_id(state.producer, bounds)


def producer_bumps_epoch(state: State, rules: ProducerRules, bounds: Bounds) -> bool:
    """A producer begins a new epoch."""
    return begin_next_epoch(state.producer, rules, bounds)


def application_hands_over(
    state: State, rules: ProducerRules, partition_id: PartitionId, record_count: RecordCount
) -> bool:
    """The application calls `send` with its next batch."""
    return call_send(state.producer, rules, partition_id, record_count)


def producer_drains(state: State, rules: ProducerRules, bounds: Bounds, batch_id: BatchId) -> bool:
    """A producer sends a batch from its buffer for the first time, to the leader that its metadata names."""
    partition = state.partitions[state.producer.batches[batch_id].partition]
    return drain(state.producer, rules, bounds, state.connections, batch_id, partition.leader)


def producer_sends(
    state: State, rules: ProducerRules, bounds: Bounds, partition_id: PartitionId, record_count: RecordCount
) -> bool:
    """The application hands over its next batch, and the producer sends it at once."""
    leader_id = state.partitions[partition_id].leader
    return send_at_once(state.producer, rules, bounds, state.connections, partition_id, record_count, leader_id)


def producer_sends_again(state: State, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A producer sends a batch again, with the same sequence."""
    leader_id = state.partitions[partition_id].leader
    return send_again(state.producer, bounds, state.connections[partition_id], partition_id, leader_id)


def producer_takes_answer(state: State, rules: ProducerRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A producer receives the response to its oldest request."""
    return take_answer(state.producer, rules, bounds, state.connections[partition_id])


def producer_resolves_sequences(state: State, rules: ProducerRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A producer finds out whether expired batches left a gap."""
    return resolve_sequences(state.producer, rules, bounds, partition_id)


def leader_handles_produce(state: State, rules: ProducerRules, partition_id: PartitionId) -> bool:
    """A broker handles the next produce request on a connection.

    Who: the broker at the other end.
    When: the request before it on this connection is answered; the log has room.
    Effect: a broker that does not lead answers NOT_LEADER_OR_FOLLOWER. A duplicate is not stored again; its request
        waits until every replica has the batch. Otherwise the batch is appended if its transaction, epoch and sequence
        allow it; if not, the request is answered with the error.
    Source: ReplicaManager.appendRecords, UnifiedLog.analyzeAndValidateProducerState.
    Left out: the coordinator's response to the verification, which confirms at once; see `append_is_refused`.
    """
    connection = state.connections[partition_id]
    place = next_request(connection)
    replica = state.partitions[partition_id].replicas[connection.broker]
    if place == len(connection.requests) or not has_room_for(replica, rules.log, connection.requests[place].batch):
        return False
    request = connection.requests[place]
    handle_produce(replica, rules.log, request, state.producer.batches[request.batch.id])
    if request.stage == RequestStage.WAITING:
        complete_requests(state, rules, partition_id)
    return True


def leader_handles_late_request(state: State, rules: ProducerRules, place: LatePlace) -> bool:
    """A broker handles a request whose answer the producer no longer awaits.

    Who: the broker to which it was sent.
    When: it is under way; the log has room.
    Effect: the batch is appended if that is allowed; no response is sent.
    Source: SocketServer: requests that were read are handled although their connection is closed.
    """
    if place >= len(state.late_requests):
        return False
    late = state.late_requests[place]
    replica = state.partitions[late.partition].replicas[late.broker]
    if not has_room_for(replica, rules.log, late.batch):
        return False
    handle_late_request(replica, rules.log, late.batch, state.producer.batches[late.batch.id])
    partition_id = late.partition
    remove(state.late_requests, place)
    complete_requests(state, rules, partition_id)
    return True


def follower_fetches(state: State, rules: ProducerRules, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A replica that does not lead takes the leader's next batch.

    Who: a follower; a deposed leader first becomes one.
    When: it is a deposed leader, or the leader has a next batch or a log start above the follower's log end.
    Effect: the batch is appended without validation and updates the producer state. If every replica now has it, the
        high watermark rises, and requests are answered.
    Source: ReplicaFetcherThread.processPartitionData, AppendOrigin.REPLICATION.
    Left out: requests under way; leader epochs, by which a follower finds where its log diverges.
    """
    partition = state.partitions[partition_id]
    if replica_id == partition.leader:
        return False
    replica = partition.replicas[replica_id]
    leader = partition.replicas[partition.leader].log
    if replica.is_leading:
        if state.connections[partition_id].broker == replica_id:
            refuse_waiting(state.connections[partition_id])
        stop_leading(replica, rules.log, partition.high_watermark, diverging_offset(replica.log, leader))
    elif not append_from_leader(replica.log, rules.log, leader):
        return False
    complete_requests(state, rules, partition_id)
    return True


def broker_rolls_segment(state: State, rules: ProducerRules, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A broker begins a new segment of a log, and writes a snapshot of the producer state."""
    return roll_segment(state.partitions[partition_id].replicas[replica_id], rules.log)


def broker_flushes_log(state: State, rules: ProducerRules, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A broker flushes a log to the disk, and recovery begins after the flushed part.

    Who: a broker.
    When: the log has an unflushed batch.
    Effect: a power loss cannot take the batches that the log has now; requests that waited for this flush are answered.
        The newest snapshot is also flushed, and older ones are deleted.
    Source: UnifiedLog.flush, ProducerStateManager.deleteSnapshotsBefore; KAFKA-9892.
    Left out: flushing a part of the log, which equals a flush at an earlier time.
    """
    replica = state.partitions[partition_id].replicas[replica_id]
    if replica.flushed_offset == end_of(replica.log):
        return False
    flush_log(replica, rules.log)
    complete_requests(state, rules, partition_id)
    return True
