"""The leader of a partition: it handles produce requests, appends, and answers when every replica has the batch.

Part of Kafka modelled: `ReplicaManager.appendRecords`, `Partition.appendRecordsToLeader`, `DelayedProduce`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-890.
Left out, and why that is sound: a deposed leader's acknowledgement of a batch below its own high watermark: it is true,
and the batch is acknowledged when it is sent again.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.append import append_batch, append_error
from kafkacheck.impl.log.constants import Origin, ProduceError
from kafkacheck.impl.log.producer_state import duplicate_offset
from kafkacheck.impl.log.records import Batch
from kafkacheck.impl.log.verification import NO_GUARD, start_verification
from kafkacheck.impl.producer.client_records import PartitionId
from kafkacheck.impl.producer.constants import RequestStage
from kafkacheck.impl.producer.partition_records import LateSlot, Partition, PartitionReplica
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.wire import answer, is_free, next_request
from kafkacheck.model.producer.system import State


def raise_high_watermark(partition: Partition, rules: ProducerRules) -> None:
    """Raise the high watermark to the lowest end offset; not while a deposed leader believes that it leads."""
    end_offset = partition.replicas[partition.leader].log.end_offset
    for replica_id, replica in enumerate(partition.replicas):
        if replica.is_leading != (replica_id == partition.leader):
            return
        end_offset = min(end_offset, replica.log.end_offset)
        if rules.answers_await_flush:
            end_offset = min(end_offset, replica.flushed_offset)
    partition.high_watermark = max(partition.high_watermark, end_offset)


def complete_requests(state: State, rules: ProducerRules, partition_id: int) -> None:
    """Raise the high watermark, and answer the leader's requests that waited for it."""
    partition = state.partitions[partition_id]
    connection = state.connections[partition_id]
    raise_high_watermark(partition, rules)
    if connection.broker == partition.leader:
        for request in connection.requests:
            if request.stage == RequestStage.WAITING and request.offset < partition.high_watermark:
                answer(request, ProduceError.NONE)


def is_invalid(state: State, batch: Batch) -> bool:
    """Whether the topic refuses the batch's records."""
    return state.producer.batches[batch.id].is_invalid == 1


def is_too_large(state: State, batch: Batch) -> bool:
    """Whether the batch is too large for the topic (`max.message.bytes`)."""
    return state.producer.batches[batch.id].is_oversized == 1 and batch.record_count > 1


def append_as_leader(replica: PartitionReplica, rules: ProducerRules, batch: Batch) -> ProduceError:
    """Append a client's batch, no duplicate, to a log that is not full; the error if that is forbidden."""
    log = replica.log
    guard = NO_GUARD
    if rules.verification and batch.is_transactional == 1:
        guard = start_verification(log, rules, batch)
    error = append_error(log, rules, batch, guard, Origin.CLIENT) if rules.idempotence else ProduceError.NONE
    if error == ProduceError.NONE:
        append_batch(log, rules, batch)
    return error


def stored_offset(replica: PartitionReplica, rules: ProducerRules, batch: Batch) -> int:
    """The offset where the broker remembers the batch as stored; `NO_OFFSET` if it remembers none."""
    if not rules.idempotence:
        return NO_OFFSET
    return duplicate_offset(replica.log.producers[batch.producer_id], batch, replica.log.max_sequence)


def has_room_for(replica: PartitionReplica, rules: ProducerRules, batch: Batch) -> bool:
    """Whether the log has room for another batch, or the batch will not be appended."""
    return not is_full(replica.log) or not replica.is_leading or stored_offset(replica, rules, batch) != NO_OFFSET


def leader_handles_produce(state: State, rules: ProducerRules, partition_id: PartitionId) -> bool:
    """A broker handles the next produce request on a connection.

    Who: the broker at the other end.
    When: the request before it on this connection is answered; the log has room.
    Effect: a broker that does not lead returns that error. A duplicate is not stored again; its request waits until
        every replica has the batch. Otherwise the batch is appended if its transaction, epoch and sequence allow it; if
        not, the request is answered with the error.
    Source: ReplicaManager.appendRecords, UnifiedLog.analyzeAndValidateProducerState.
    Left out: the coordinator's response to the verification, which confirms at once; see `append_is_refused`.
    """
    connection = state.connections[partition_id]
    place = next_request(connection)
    replica = state.partitions[partition_id].replicas[connection.broker]
    if place == len(connection.requests) or not has_room_for(replica, rules, connection.requests[place].batch):
        return False
    request = connection.requests[place]
    if not replica.is_leading:
        answer(request, ProduceError.NOT_LEADER_OR_FOLLOWER)
        return True
    if is_invalid(state, request.batch):
        answer(request, ProduceError.INVALID_RECORD)
        return True
    if is_too_large(state, request.batch):
        answer(request, ProduceError.MESSAGE_TOO_LARGE)
        return True
    request.offset = stored_offset(replica, rules, request.batch)
    if request.offset == NO_OFFSET:
        error = append_as_leader(replica, rules, request.batch)
        if error != ProduceError.NONE:
            answer(request, error)
            return True
        request.offset = replica.log.end_offset - 1
    request.stage = RequestStage.WAITING
    complete_requests(state, rules, partition_id)
    return True


def leader_handles_late_request(state: State, rules: ProducerRules, slot: LateSlot) -> bool:
    """A broker handles a request whose sender waits no more.

    Who: the broker to which it was sent.
    When: it is under way; the log has room.
    Effect: the batch is appended if that is allowed; no response is sent.
    Source: SocketServer: requests that were read are handled although their connection is closed.
    """
    late = state.late_requests[slot]
    if is_free(late):
        return False
    replica = state.partitions[late.partition].replicas[late.broker]
    if not has_room_for(replica, rules, late.batch):
        return False
    if replica.is_leading and not is_invalid(state, late.batch) and not is_too_large(state, late.batch):
        if stored_offset(replica, rules, late.batch) == NO_OFFSET:
            append_as_leader(replica, rules, late.batch)
    partition_id = late.partition
    clear(late)
    complete_requests(state, rules, partition_id)
    return True
