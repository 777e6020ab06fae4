"""The slots for produce requests: filling, emptying, answering.

Part of Kafka modelled: `InFlightRequests` and `NetworkClient` of the client, `RequestChannel` of the broker.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: one connection for all partitions that a broker leads: requests to different partitions
may be handled in any order, which adds behaviours. **Not covered**: a second connection while the first one still has
requests. Here a client that learns of a new leader first waits for the old leader's responses.
"""

from kafkacheck.checker.schema import Array, Bag, add, clear, copy, is_full
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import Marker, ProduceError
from kafkacheck.impl.producer.client_records import Producer, ProducerBatch
from kafkacheck.impl.producer.constants import BatchStatus, RequestStage
from kafkacheck.impl.producer.partition_records import Connection, LateRequest, ProduceRequest
from kafkacheck.impl.producer.retries import forget_in_flight, lose_answer
from kafkacheck.impl.producer.rules import ProducerRules


def has_free_slot(connection: Connection) -> bool:
    """Whether another request may be in flight."""
    return connection.requests[len(connection.requests) - 1].stage == RequestStage.NONE


def take_oldest(connection: Connection) -> None:
    """Free the slot of the oldest request; the others move up."""
    for place in range(1, len(connection.requests)):
        copy(connection.requests[place - 1], connection.requests[place])
    clear(connection.requests[len(connection.requests) - 1])


def write_batch(target: ProduceRequest, batch_id: int, batch: ProducerBatch, is_transactional: int) -> None:
    """Put the batch, as it is now, into a request."""
    target.stage = RequestStage.REQUESTED
    target.batch.id = batch_id
    target.batch.producer_id = batch.producer_id
    target.batch.producer_epoch = batch.producer_epoch
    target.batch.base_sequence = batch.base_sequence
    target.batch.record_count = batch.record_count
    target.batch.is_transactional = is_transactional
    target.batch.marker = Marker.NONE


def send_to_leader(producer: Producer, bounds: Bounds, connection: Connection, batch_id: int, leader_id: int) -> None:
    """Send the batch on its partition's connection, which must have room; if idle, it first moves to the leader."""
    batch = producer.batches[batch_id]
    if connection.requests[0].stage == RequestStage.NONE:
        connection.broker = leader_id
    free = 0
    for place in range(len(connection.requests)):
        if connection.requests[place].stage != RequestStage.NONE:
            free = place + 1
    write_batch(connection.requests[free], batch_id, batch, bounds.transactional)
    batch.is_sequence_reset = False
    batch.status = BatchStatus.IN_FLIGHT


def abandon_request(connection: Connection, batch_id: int) -> None:
    """Mark the request of a batch in flight as abandoned; the request is still under way."""
    for request in connection.requests:
        if request.stage != RequestStage.NONE and request.batch.id == batch_id:
            request.is_abandoned = 1


def reuse_buffers(
    producer: Producer, rules: ProducerRules, bounds: Bounds, connections: Array[Connection], batch_id: int
) -> None:
    """Write a new batch over expired batches whose request is not sent yet (only before KAFKA-19012).

    The request's topic and partition precede the batch, and are sent unchanged.
    """
    if rules.expired_batch_keeps_its_buffer:
        return
    batch = producer.batches[batch_id]
    for connection in connections:
        for request in connection.requests:
            if request.is_abandoned == 1 and request.stage == RequestStage.REQUESTED:
                write_batch(request, batch_id, batch, bounds.transactional)


def answer(request: ProduceRequest, error: ProduceError) -> None:
    """Answer a request; a response with an error has no offset."""
    request.stage = RequestStage.ANSWERED
    request.error = error
    if error != ProduceError.NONE:
        request.offset = NO_OFFSET


def next_request(connection: Connection) -> int:
    """The place of the request that the broker handles next: the oldest one that it has not handled.

    It is the number of slots if there is none, or if the request before it is not answered: a broker reads no further
    request from a connection before it has answered the last.
    """
    for place in range(len(connection.requests)):
        stage = connection.requests[place].stage
        if stage == RequestStage.REQUESTED:
            return place
        if stage == RequestStage.WAITING:
            return len(connection.requests)
    return len(connection.requests)


def close_connection(producer: Producer, rules: ProducerRules, connection: Connection) -> None:
    """Close a connection: its requests get no response any more, and each batch may be sent again."""
    for request in connection.requests:
        if request.stage != RequestStage.NONE and request.is_abandoned == 1:
            forget_in_flight(producer, rules, producer.batches[request.batch.id])
        elif request.stage != RequestStage.NONE:
            lose_answer(producer, rules, producer.batches[request.batch.id])
        clear(request)
    connection.broker = 0


def leave_request_behind(connection: Connection, late_requests: Bag[LateRequest], partition_id: int) -> bool:
    """Keep the request that the broker would handle next as a late one; return whether it exists and there is room.

    The requests after it are not read when the connection has ended.
    """
    place = next_request(connection)
    if place == len(connection.requests) or is_full(late_requests):
        return False
    batch = connection.requests[place].batch
    add(late_requests, LateRequest(partition=partition_id, broker=connection.broker, batch=batch))
    return True
