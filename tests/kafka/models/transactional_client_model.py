"""Does a transactional producer react as Kafka's to whatever its coordinators and leaders answer?

A component: one client with the functions of `impl/`, and its application, which awaits each answer. No coordinator is
modelled: each request may be answered as the coordinators of the catalogue answer, or must be sent again.

Bounds: an application has `batches` transactions. `errors` counts the answers that refuse, `repetitions` those after
    which a request is sent again, and `lost` the batches that are given up.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, Array, ById, Count, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client.application import send_offsets
from kafkacheck.impl.client.transactional_producer import (
    abort_transaction,
    begin_transaction,
    commit_transaction,
    initialize,
    lose_batch,
    receive_answer,
    receive_produce_answer,
    send_record,
)
from kafkacheck.impl.client.transactional_records import Client, Transaction
from kafkacheck.impl.coordinator.transaction_metadata import has_version_2
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.transactions.constants import NO_PARTITION, Answer, ProducerState, ProduceStage, RequestKind
from kafkacheck.impl.transactions.rules import TransactionRules

Reason = Annotated[int, Count("reasons", lowest=1)]
"""Why a request must be sent again: its connection breaks, or one of the errors after which Kafka does so."""


class Budget(Struct):
    """How many disturbances are left.

    errors: requests that are refused.
    repetitions: requests that must be sent again.
    lost: batches that the client gives up.
    """

    errors: Annotated[int, Allowance("errors")]
    repetitions: Annotated[int, Allowance("repetitions")]
    lost: Annotated[int, Allowance("lost")]


class State(Struct):
    """A client, its two requests, and its application's transactions.

    next_transaction: the application's next transaction.
    next_producer_id: the coordinator's next producer id.
    """

    client: Client
    request: Request
    produce: Produce
    transactions: Annotated[Array[Transaction], ById("batches")]
    next_transaction: Annotated[int, Count("batches")]
    next_producer_id: Annotated[int, Count("producer_ids")]
    budget: Budget


def awaits_offsets(state: State, bounds: Bounds) -> bool:
    """Whether the application awaits `sendOffsetsToTransaction`, because its group is added and its offsets unsent."""
    offsets_partition = bounds.offsets_partition
    if state.client.state != ProducerState.IN_TRANSACTION or offsets_partition == NO_PARTITION:
        return False
    return offsets_partition in state.client.partitions and offsets_partition not in state.client.sent


def application_initializes(state: State) -> bool:
    """The application starts."""
    return initialize(state.client, state.request)


def application_begins(state: State) -> bool:
    """The application begins a transaction."""
    if state.next_transaction >= len(state.transactions):
        return False
    if not begin_transaction(state.client, state.next_transaction):
        return False
    state.next_transaction += 1
    return True


def application_sends(state: State, rules: TransactionRules, bounds: Bounds, partition_id: PartitionId) -> bool:
    """The application sends a record, or the client sends one whose partition has been added."""
    if awaits_offsets(state, bounds):
        return False
    if partition_id == bounds.offsets_partition:
        return False
    return send_record(state.client, rules, state.request, state.produce, partition_id, 0, bounds.max_sequence)


def application_sends_offsets(state: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """The application sends its offsets, or the client does when the group has been added."""
    if bounds.offsets_partition == NO_PARTITION:
        return False
    return send_offsets(state.client, rules, state.request, state.produce, bounds.offsets_partition, 0)


def application_commits(state: State, rules: TransactionRules) -> bool:
    """The application commits; it has waited until all is sent."""
    if state.client.partitions != state.client.sent:
        return False
    return commit_transaction(state.client, state.transactions, rules, state.request, state.produce, NO_PARTITION)


def application_aborts(state: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """The application aborts."""
    if awaits_offsets(state, bounds):
        return False
    return abort_transaction(state.client, state.transactions, rules, state.request, state.produce)


def coordinator_agrees(state: State, rules: TransactionRules, bounds: Bounds, rotates: bool) -> bool:
    """The coordinator does what it is asked for; if that needs another epoch, it may need another producer id."""
    request = state.request
    if request.kind == RequestKind.NONE:
        return False
    names_epoch = request.kind == RequestKind.INIT_PRODUCER_ID
    if request.kind == RequestKind.END_TXN and has_version_2(rules, request.is_upgraded):
        names_epoch = True
    must_rotate = request.producer_epoch >= bounds.max_producer_epoch or state.next_producer_id == 0
    if rotates:
        if not names_epoch or state.next_producer_id >= bounds.producer_ids:
            return False
        request.producer_id = state.next_producer_id
        request.producer_epoch = 0
        state.next_producer_id += 1
    elif names_epoch:
        if must_rotate:
            return False
        request.producer_epoch += 1
    receive_answer(state.client, state.transactions, rules, request, Answer.NONE)
    return True


def coordinator_refuses(state: State, rules: TransactionRules, answer: Answer) -> bool:
    """The coordinator refuses what it is asked for, with an error that coordinators have for such a request."""
    if state.request.kind == RequestKind.NONE or not is_refusal(answer):
        return False
    has_transaction = state.request.kind != RequestKind.INIT_PRODUCER_ID and state.request.marker != Marker.ABORT
    if answer == Answer.TRANSACTION_ABORTABLE and not has_transaction:
        return False
    receive_answer(state.client, state.transactions, rules, state.request, answer)
    return True


def is_refusal(answer: Answer) -> bool:
    """Whether a coordinator, or a leader of a partition in a transaction, refuses by this answer."""
    return Answer.PRODUCER_FENCED <= answer <= Answer.TRANSACTION_ABORTABLE


def request_is_repeated(state: State, reason: Reason) -> bool:
    """The client must send its request to the coordinator again."""
    return state.request.kind != RequestKind.NONE and reason > 0


def answer_produce(state: State, rules: TransactionRules, answer: Answer) -> None:
    """Let the client hear of the answer to its produce request, or to its offsets."""
    receive_produce_answer(state.client, state.transactions, rules, state.produce, answer)
    clear(state.produce)


def leader_stores(state: State, rules: TransactionRules) -> bool:
    """The leader stores the batch, or the group's coordinator the offsets."""
    if state.produce.stage == ProduceStage.IDLE:
        return False
    answer_produce(state, rules, Answer.NONE)
    return True


def leader_refuses(state: State, rules: TransactionRules, answer: Answer) -> bool:
    """The leader refuses the batch, or the group's coordinator the offsets."""
    if state.produce.stage == ProduceStage.IDLE or not is_refusal(answer):
        return False
    answer_produce(state, rules, answer)
    return True


def produce_is_repeated(state: State, reason: Reason) -> bool:
    """The client must send its batch, or its offsets, again."""
    return state.produce.stage != ProduceStage.IDLE and reason > 0


def batch_expires(state: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """The client gives up its batch."""
    if state.produce.stage == ProduceStage.IDLE or state.produce.partition == bounds.offsets_partition:
        return False
    clear(state.produce)
    lose_batch(state.client, rules)
    return True


def requests_have_ids(state: State) -> bool:
    """A client that has begun a transaction has a producer id."""
    return state.client.state != ProducerState.IN_TRANSACTION or state.client.producer_id >= 0


REPETITIONS = (request_is_repeated, produce_is_repeated)

MODEL = Model(
    name="transactional_client",
    question=__doc__,
    state=State,
    actions=[
        application_initializes,
        application_begins,
        application_sends,
        application_sends_offsets,
        application_commits,
        application_aborts,
        coordinator_agrees,
        coordinator_refuses,
        leader_stores,
        leader_refuses,
        batch_expires,
        *REPETITIONS,
    ],
    charges={
        coordinator_refuses: "errors",
        leader_refuses: "errors",
        batch_expires: "lost",
        request_is_repeated: "repetitions",
        produce_is_repeated: "repetitions",
    },
    always=[requests_have_ids],
    bounds={
        "transactional_ids": 1,
        "transactional": 1,
        "producer_ids": 2,
        "max_producer_epoch": 4,
        "partitions": 2,
        "offsets_partition": 1,
        "batches": 2,
        "max_sequence": 3,
        "records_in_batch": 1,
        "max_verification_guard": 0,
        "max_coordinator_epoch": 0,
        "inputs": 0,
        "max_generation": 0,
        "recreations": 0,
        "upgrades": 0,
        "reasons": 3,
        "errors": 1,
        "repetitions": 1,
        "lost": 1,
    },
    rules=TransactionRules(),
)
