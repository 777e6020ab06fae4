"""Does an idempotent producer react as Kafka's to whatever its leaders answer?

A component: one producer with the functions of `impl/`. No leader is modelled: the oldest request of each connection
may be answered by any error at any time, or its connection breaks. One run of the sender is one step, in which Kafka
finds out about gaps, begins a new epoch, sends a batch to a leader that is ready, and lets a batch expire.

Bounds: the behaviour begins in epoch `first_epoch`. Epochs are Kafka's own, up to 32767, so that they are used up as in
    Kafka. `broken` counts the connections that break, `errors` the answers with an error.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, Array, ById, Count, Struct
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.log.constants import NO_BATCH, NO_SEQUENCE, ProduceError
from kafkacheck.impl.log.records import RecordCount
from kafkacheck.impl.producer.bookkeeping import can_bump_epoch, take_producer_id
from kafkacheck.impl.producer.client_records import Producer
from kafkacheck.impl.producer.constants import BatchStatus, ProducerState, RequestStage
from kafkacheck.impl.producer.partition_records import Connection
from kafkacheck.impl.producer.retries import expire_batch, resolve_sequences
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.sender import begin_next_epoch, call_send, drain, send_again, take_answer
from kafkacheck.impl.producer.wire import abandon_request, answer, close_connection

Ready = Annotated[int, Count("partitions")]
"""The partition whose leader is ready for a request; the number of partitions if none is."""
Oversized = Annotated[int, Count("oversized_batches")]


class Budget(Struct):
    """How many disturbances are left.

    broken: connections that break.
    errors: requests that are answered by an error.
    expirations: batches that expire while they wait for a retry.
    sent_expirations: batches that expire in flight.
    """

    broken: Annotated[int, Allowance("broken")]
    errors: Annotated[int, Allowance("errors")]
    expirations: Annotated[int, Allowance("expirations")]
    sent_expirations: Annotated[int, Allowance("sent_expirations")]


class State(Struct):
    """A producer and its connections, one to the leader of each partition.

    retried: by batch, whether it was queued again after an answer or a broken connection.
    """

    producer: Producer
    retried: Annotated[Array[bool], ById("batches")]
    connections: Annotated[Array[Connection], ById("partitions")]
    budget: Budget


def start(state: State, bounds: Bounds) -> bool:
    """Begin with a producer that has an id."""
    take_producer_id(state.producer)
    state.producer.producer_epoch = bounds.first_epoch
    state.producer.state = ProducerState.READY
    return True


def may_begin_run(state: State, rules: ProducerRules, bounds: Bounds) -> bool:
    """Whether the bounds allow the epoch that a run of the sender may need."""
    if can_bump_epoch(state.producer, rules, bounds):
        return True
    is_unresolved = any(counter.unresolved_sequence != NO_SEQUENCE for counter in state.producer.counters)
    return not state.producer.is_bump_required and not is_unresolved


def begin_run(state: State, rules: ProducerRules, bounds: Bounds) -> None:
    """Do what each run of the sender does first."""
    for partition_id in range(len(state.connections)):
        resolve_sequences(state.producer, rules, bounds, partition_id)
    begin_next_epoch(state.producer, rules, bounds)


def first_buffered(producer: Producer, partition_id: int) -> int:
    """The partition's first batch in the buffer that has no sequence."""
    for batch_id, batch in enumerate(producer.batches):
        if batch.status == BatchStatus.BUFFERED and batch.partition == partition_id:
            return batch_id
    return NO_BATCH


def application_sends(
    state: State, rules: ProducerRules, partition_id: PartitionId, record_count: RecordCount, is_oversized: Oversized
) -> bool:
    """The application hands over its next batch, which may be too large for the topic if it has two records."""
    batch_id = state.producer.next_batch
    if batch_id + record_count * is_oversized >= len(state.producer.batches) + is_oversized:
        return False
    if is_oversized == 1 and record_count == 1:
        return False
    state.producer.batches[batch_id].is_oversized = is_oversized
    return call_send(state.producer, rules, partition_id, record_count)


def sender_runs(state: State, rules: ProducerRules, bounds: Bounds, ready: Ready) -> bool:
    """The sender runs, and sends a batch to the leader that is ready."""
    if not may_begin_run(state, rules, bounds):
        return False
    begin_run(state, rules, bounds)
    if ready == len(state.connections) or send_again(state.producer, bounds, state.connections[ready], ready, 0):
        return True
    batch_id = first_buffered(state.producer, ready)
    if batch_id != NO_BATCH:
        drain(state.producer, rules, bounds, state.connections, batch_id, 0)
    return True


def waiting_batch_expires(state: State, rules: ProducerRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """The sender runs when the time of the first batch that waits for a retry is over."""
    oldest = NO_BATCH
    for batch_id, batch in enumerate(state.producer.batches):
        is_waiting = batch.status == BatchStatus.RETRYING and batch.partition == partition_id
        is_first = oldest == NO_BATCH or batch.base_sequence < state.producer.batches[oldest].base_sequence
        if is_waiting and is_first:
            oldest = batch_id
    if oldest == NO_BATCH or not may_begin_run(state, rules, bounds):
        return False
    begin_run(state, rules, bounds)
    expire_batch(state.producer, state.producer.batches[oldest], state.retried[oldest])
    return True


def sent_batch_expires(state: State, rules: ProducerRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """The sender runs when the time of the batch that is longest in flight is over."""
    for request in state.connections[partition_id].requests:
        if request.stage != RequestStage.NONE and request.is_abandoned == 0:
            batch_id = request.batch.id
            if not may_begin_run(state, rules, bounds):
                return False
            begin_run(state, rules, bounds)
            expire_batch(state.producer, state.producer.batches[batch_id], state.retried[batch_id])
            abandon_request(state.connections[partition_id], batch_id)
            return True
    return False


def note_retry(state: State, batch_id: int) -> None:
    """Note whether a batch of which the producer has heard is queued again."""
    state.retried[batch_id] = state.producer.batches[batch_id].status == BatchStatus.RETRYING


def handle_answer(state: State, rules: ProducerRules, bounds: Bounds, partition_id: int, error: ProduceError) -> bool:
    """Answer the oldest request of a connection, and let the producer hear of it; whether there is one."""
    connection = state.connections[partition_id]
    if connection.requests[0].stage != RequestStage.REQUESTED:
        return False
    batch_id = connection.requests[0].batch.id
    connection.requests[0].offset = batch_id
    answer(connection.requests[0], error)
    take_answer(state.producer, rules, bounds, connection)
    note_retry(state, batch_id)
    if error == ProduceError.MESSAGE_TOO_LARGE:
        state.retried[batch_id] = False
    return True


def leader_stores(state: State, rules: ProducerRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """A leader acknowledges its oldest request."""
    return handle_answer(state, rules, bounds, partition_id, ProduceError.NONE)


def leader_refuses(
    state: State, rules: ProducerRules, bounds: Bounds, partition_id: PartitionId, error: ProduceError
) -> bool:
    """A leader answers its oldest request by an error."""
    batch = state.connections[partition_id].requests[0].batch
    is_possible = batch.record_count == 1 or state.producer.batches[max(0, batch.id)].is_oversized == 1
    if error == ProduceError.NONE or (error == ProduceError.MESSAGE_TOO_LARGE and not is_possible):
        return False
    return handle_answer(state, rules, bounds, partition_id, error)


def connection_breaks(state: State, rules: ProducerRules, partition_id: PartitionId) -> bool:
    """The connection to a leader breaks."""
    if state.connections[partition_id].requests[0].stage == RequestStage.NONE:
        return False
    close_connection(state.producer, rules, state.connections[partition_id])
    for batch_id, batch in enumerate(state.producer.batches):
        if batch.partition == partition_id:
            note_retry(state, batch_id)
    return True


def batches_in_flight_have_sequences(state: State) -> bool:
    """A batch that is in flight has a sequence."""
    return all(
        batch.base_sequence != NO_SEQUENCE for batch in state.producer.batches if batch.status == BatchStatus.IN_FLIGHT
    )


MODEL = Model(
    name="producer_client",
    question=__doc__,
    state=State,
    initial=start,
    actions=[
        application_sends,
        sender_runs,
        waiting_batch_expires,
        sent_batch_expires,
        leader_stores,
        leader_refuses,
        connection_breaks,
    ],
    charges={
        connection_breaks: "broken",
        leader_refuses: "errors",
        waiting_batch_expires: "expirations",
        sent_batch_expires: "sent_expirations",
    },
    stuttering=[sender_runs],
    always=[batches_in_flight_have_sequences],
    bounds={
        "batches": 2,
        "records_in_batch": 1,
        "partitions": 1,
        "replicas": 1,
        "log_size": 4,
        "max_in_flight": 2,
        "producer_ids": 1,
        "first_epoch": 0,
        "max_producer_epoch": 2,
        "max_sequence": 7,
        "transactional": 0,
        "max_coordinator_epoch": 0,
        "invalid_batches": 0,
        "oversized_batches": 0,
        "in_flight_expirations": 1,
        "broken": 1,
        "errors": 2,
        "expirations": 1,
        "sent_expirations": 1,
    },
    rules=ProducerRules(),
)
