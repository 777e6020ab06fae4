"""Steps that no producer or partition may take, and states that must eventually be reached.

Part of Kafka judged: `impl/producer`, by its records before and after a step.
Source: KIP-98, KIP-360; the issues named below.
Left out, and why that is sound: steps of the environment, which Kafka does not answer for.
"""

from kafkacheck.impl.log.constants import Marker, ProduceError
from kafkacheck.impl.log.records import PartitionLog
from kafkacheck.impl.producer.constants import BatchStatus, RequestStage
from kafkacheck.impl.producer.partition_records import ProduceRequest
from kafkacheck.model.producer.system import State


def is_newly_answered(before: ProduceRequest, after: ProduceRequest) -> bool:
    """Whether the step answered the request in this slot."""
    if before.stage != RequestStage.REQUESTED and before.stage != RequestStage.WAITING:
        return False
    return after.stage == RequestStage.ANSWERED and before.batch.id == after.batch.id


def acknowledgements_are_true(before: State, after: State) -> bool:
    """A broker answers a request with success only if it has the request's batch at the offset in the response.

    Lost to users: a record is acknowledged although it was never stored.
    Source: KIP-98.
    """
    for partition_id, connection in enumerate(before.connections):
        now = after.connections[partition_id]
        log = after.partitions[partition_id].replicas[connection.broker].log
        for place in range(len(connection.requests)):
            request = now.requests[place]
            if is_newly_answered(connection.requests[place], request) and request.error == ProduceError.NONE:
                if request.offset >= log.start_offset and log.records[request.offset].id != request.batch.id:
                    return False
    return True


def is_due(log: PartitionLog, request: ProduceRequest) -> bool:
    """Whether the request's batch comes next: after the last batch of its producer id, or first in a new epoch.

    False if the log cannot tell, because no batch of the producer id is left or a marker has fenced it.
    """
    is_due_now = False
    for offset in range(log.start_offset, log.end_offset):
        batch = log.records[offset]
        if batch.producer_id == request.batch.producer_id:
            expected = 0
            if batch.producer_epoch == request.batch.producer_epoch and batch.marker == Marker.NONE:
                expected = (batch.base_sequence + batch.record_count) % (log.max_sequence + 1)
            is_due_now = batch.marker == Marker.NONE and request.batch.base_sequence == expected
    return is_due_now


def due_batches_are_not_refused(before: State, after: State) -> bool:
    """No broker refuses, for its epoch or sequence, the next batch of a producer's current id and epoch.

    Lost to users: a correct producer is stopped, or falls back to new epochs again and again.
    Source: KAFKA-7692, KAFKA-7693, KAFKA-5283; KIP-98 (fencing never works the other way round).
    """
    producer = before.producer
    for partition_id, connection in enumerate(before.connections):
        log = before.partitions[partition_id].replicas[connection.broker].log
        for place in range(len(connection.requests)):
            request = after.connections[partition_id].requests[place]
            error = request.error
            is_refused = error == ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER
            is_refused = is_refused or error == ProduceError.INVALID_PRODUCER_EPOCH
            if is_refused and is_newly_answered(connection.requests[place], request):
                is_present = request.batch.producer_id == producer.producer_id
                is_present = is_present and request.batch.producer_epoch == producer.producer_epoch
                if is_present and is_due(log, request):
                    return False
    return True


def retries_go_in_order(before: State, after: State) -> bool:
    """A batch is sent again only when every earlier one to its partition is settled.

    Lost if it fails: the broker refuses batch after batch; if it does not know the producer, it stores them in the
    wrong order.
    Source: `RecordAccumulator.shouldStopDrainBatchesForPartition`.
    """
    for batch_id, batch in enumerate(before.producer.batches):
        now = after.producer.batches[batch_id]
        if batch.status == BatchStatus.RETRYING and now.status == BatchStatus.IN_FLIGHT:
            for earlier in range(batch_id):
                other = before.producer.batches[earlier]
                if other.partition == batch.partition:
                    if other.status == BatchStatus.IN_FLIGHT or other.status == BatchStatus.RETRYING:
                        return False
    return True


def batch_under_way(state: State) -> bool:
    """The producer awaits the outcome of some batch that it has sent."""
    for batch_id in range(len(state.producer.batches)):
        status = state.producer.batches[batch_id].status
        if status == BatchStatus.IN_FLIGHT or status == BatchStatus.RETRYING:
            return True
    return False


def nothing_under_way(state: State) -> bool:
    """The producer awaits the outcome of no batch that it has sent.

    Lost to users: an application never learns whether its record is stored.
    """
    return not batch_under_way(state)


def follower_behind(state: State) -> bool:
    """A replica lacks a batch that its leader has."""
    return any(
        replica.log.end_offset < partition.replicas[partition.leader].log.end_offset
        for partition in state.partitions
        for replica in partition.replicas
    )


def followers_have_all(state: State) -> bool:
    """No replica lacks a batch that its leader has."""
    return not follower_behind(state)
