"""Does a transaction coordinator answer arbitrary requests as Kafka's does?

A component: one transactional id, its log, and its coordinators one after the other, with the functions of `impl/`. No
client is modelled. Any request may come at any time, with any producer id and with epochs around the present one; the
log commits, fails or is silent; coordinators lose their role; markers are answered as the leaders please.

Bounds: `first_epoch` is the epoch in which the behaviour begins; -1 is a transactional id that nobody has used. Epochs
    are Kafka's own, up to 32767, so that they are used up as in Kafka. `max_coordinator_epoch` counts the changes of
    the coordinator, which make it large.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct, clear, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.markers import begin_completion, drop_deleted_partition, hear_of_marker, send_marker
from kafkacheck.impl.coordinator.records import Coordinator, ProducerIdManager, TransactionLog
from kafkacheck.impl.coordinator.runtime import begin_term, commit_append, drop_append
from kafkacheck.impl.coordinator.transaction_log import (
    awaits_append,
    complete_append,
    give_append_up,
    load_entry,
    unload,
)
from kafkacheck.impl.coordinator.transaction_metadata import has_version_2
from kafkacheck.impl.coordinator.transactions import (
    abort_timed_out,
    handle_request,
    remove_transactional_id,
    respond,
    verify_partition,
)
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, Marker, ProduceError
from kafkacheck.impl.log.records import OptionalProducerEpoch, OptionalProducerId, ProducerId
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.transactions.constants import Answer, RequestKind, TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules

Age = Annotated[int, Count("oldest")]
"""How far an epoch lies behind the one after the present one."""
Version = Annotated[int, Count("upgrades")]


class Reply(Struct):
    """A coordinator's answer, given in the last step.

    answer: the answer; `WAIT` if the step gave none.
    producer_id: the producer id that it names.
    producer_epoch: the epoch that it names.
    """

    answer: Answer
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch


class State(Struct):
    """A transactional id and its coordinator.

    log: the part of the transaction log.
    coordinator: the coordinator of the newest term.
    former: the coordinator of the term before, if it was on the same broker and has markers under way; else blank.
    producer_ids: the producer ids that are left.
    asked: blank between steps; the request of this step.
    waiting: the request that awaits an append; blank if there is none.
    reply: the answer of the last step.
    """

    log: TransactionLog
    coordinator: Coordinator
    former: Coordinator
    producer_ids: ProducerIdManager
    asked: Request
    waiting: Request
    reply: Reply


def start(state: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """Begin with an idle coordinator of a known transactional id, or with one that knows nothing."""
    if bounds.first_epoch != NO_PRODUCER_EPOCH:
        state.log.entry.producer_id = 0
        state.log.entry.producer_epoch = bounds.first_epoch
        state.log.entry.state = TransactionState.EMPTY
        state.producer_ids.next_producer_id = 1
    load_entry(state.coordinator, state.log, rules)
    return True


def epoch_of(state: State, bounds: Bounds, producer_id: int, age: int) -> int:
    """The epoch of that age: counted from the present one, or for another producer id from the highest one."""
    if producer_id == state.coordinator.metadata.producer_id:
        return max(NO_PRODUCER_EPOCH, state.coordinator.metadata.producer_epoch + 1 - age)
    return max(NO_PRODUCER_EPOCH, bounds.max_producer_epoch - age)


def fill_in(state: State, bounds: Bounds, kind: RequestKind, producer_id: int, age: int) -> bool:
    """Let a request of this kind arrive; return whether such a producer can exist, and the coordinator can append.

    No client ever has the highest epoch. The log takes nothing while it has an entry that nobody awaits, because it is
    then short of replicas.
    """
    if state.log.is_appended and not awaits_append(state.coordinator, state.log):
        return False
    epoch = epoch_of(state, bounds, producer_id, age)
    if epoch < 0 or epoch >= bounds.max_producer_epoch or producer_id >= state.producer_ids.next_producer_id:
        return False
    state.asked.kind = kind
    state.asked.producer_id = producer_id
    state.asked.producer_epoch = epoch
    return True


def handle(state: State, rules: TransactionRules, bounds: Bounds) -> None:
    """Let the coordinator handle the request, and keep it if its answer awaits an append."""
    clear(state.reply)
    term = state.log.coordinator_epoch
    state.reply.answer = handle_request(
        state.coordinator, state.log, term, rules, bounds, state.producer_ids, state.asked
    )
    if state.reply.answer == Answer.APPENDING:
        copy(state.waiting, state.asked)
    elif state.reply.answer == Answer.NONE:
        note_reply(state, rules, state.asked)
    clear(state.asked)


def note_reply(state: State, rules: TransactionRules, request: Request) -> None:
    """Note the producer id and epoch that a response names: that of InitProducerId, and version 2's of EndTxn."""
    is_end = request.kind == RequestKind.END_TXN and has_version_2(rules, request.is_upgraded)
    if is_end or request.kind == RequestKind.INIT_PRODUCER_ID:
        state.reply.producer_id = request.producer_id
        state.reply.producer_epoch = request.producer_epoch


def new_client_initializes(state: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """A client that has no producer id asks for one."""
    if state.log.is_appended and not awaits_append(state.coordinator, state.log):
        return False
    state.asked.kind = RequestKind.INIT_PRODUCER_ID
    handle(state, rules, bounds)
    return True


def client_initializes(
    state: State, rules: TransactionRules, bounds: Bounds, producer_id: ProducerId, age: Age
) -> bool:
    """A client that names its producer id asks for the next epoch."""
    if not fill_in(state, bounds, RequestKind.INIT_PRODUCER_ID, producer_id, age):
        return False
    handle(state, rules, bounds)
    return True


def client_adds_partition(
    state: State,
    rules: TransactionRules,
    bounds: Bounds,
    producer_id: ProducerId,
    age: Age,
    partition_id: PartitionId,
    version: Version,
) -> bool:
    """A client adds a partition to its transaction; with version 2 the partition's leader does."""
    if not fill_in(state, bounds, RequestKind.ADD_PARTITIONS_TO_TXN, producer_id, age):
        return False
    state.asked.partition = partition_id
    state.asked.is_upgraded = version
    handle(state, rules, bounds)
    return True


def client_ends(
    state: State,
    rules: TransactionRules,
    bounds: Bounds,
    producer_id: ProducerId,
    age: Age,
    commits: bool,
    version: Version,
) -> bool:
    """A client ends its transaction."""
    if not fill_in(state, bounds, RequestKind.END_TXN, producer_id, age):
        return False
    state.asked.marker = Marker.COMMIT if commits else Marker.ABORT
    state.asked.is_upgraded = version
    handle(state, rules, bounds)
    return True


def leader_verifies(state: State, bounds: Bounds, producer_id: ProducerId, age: Age, partition_id: PartitionId) -> bool:
    """A partition's leader asks whether the partition is in the transaction."""
    if not fill_in(state, bounds, RequestKind.ADD_PARTITIONS_TO_TXN, producer_id, age):
        return False
    clear(state.reply)
    state.reply.answer = verify_partition(
        state.coordinator.metadata, state.asked.producer_id, state.asked.producer_epoch, partition_id
    )
    clear(state.asked)
    return True


def log_commits(state: State, rules: TransactionRules) -> bool:
    """The appended entry is committed; a coordinator that awaits it applies it, and answers."""
    if not state.log.is_appended:
        return False
    clear(state.reply)
    is_awaited = awaits_append(state.coordinator, state.log)
    commit_append(state.log)
    if is_awaited:
        if state.waiting.kind != RequestKind.NONE:
            respond(state.waiting, state.log.entry)
            state.reply.answer = Answer.NONE
            note_reply(state, rules, state.waiting)
        complete_append(state.coordinator, state.log, rules)
    clear(state.waiting)
    return True


def append_fails(state: State, rules: TransactionRules, is_definitive: bool) -> bool:
    """An append fails, or its coordinator does not learn the outcome."""
    if not state.log.is_appended:
        return False
    is_awaited = awaits_append(state.coordinator, state.log)
    if not is_definitive and not is_awaited:
        return False
    clear(state.reply)
    clear(state.waiting)
    if is_awaited:
        give_append_up(state.coordinator, state.log, rules)
    if is_definitive:
        drop_append(state.log)
    return True


def coordinator_is_replaced(
    state: State, rules: TransactionRules, bounds: Bounds, keeps_append: bool, comes_back: bool
) -> bool:
    """Another broker becomes the coordinator, or the same one gets the role back, whose markers are still under way."""
    if state.log.coordinator_epoch == bounds.max_coordinator_epoch or (keeps_append and not state.log.is_appended):
        return False
    clear(state.reply)
    clear(state.waiting)
    unload(state.coordinator)
    copy(state.former, state.coordinator)
    clear(state.coordinator)
    if not comes_back:
        clear(state.former)
    begin_term(state.log, keeps_append)
    load_entry(state.coordinator, state.log, rules)
    state.coordinator.is_back = comes_back
    return True


def coordinator_sends_marker(state: State, partition_id: PartitionId) -> bool:
    """The coordinator sends a marker to a partition."""
    if not send_marker(state.coordinator, partition_id):
        return False
    clear(state.reply)
    return True


def marker_is_answered(state: State, rules: TransactionRules, partition_id: PartitionId, is_fenced: bool) -> bool:
    """A leader writes a marker, or refuses it because it has seen one of a newer coordinator."""
    if not state.coordinator.markers[partition_id].is_sent:
        return False
    clear(state.reply)
    clear(state.coordinator.markers[partition_id])
    error = ProduceError.TRANSACTION_COORDINATOR_FENCED if is_fenced else ProduceError.NONE
    hear_of_marker(state.coordinator, state.former, rules, partition_id, error)
    return True


def former_marker_is_answered(state: State, rules: TransactionRules, partition_id: PartitionId) -> bool:
    """A leader writes a marker that the broker sent in its former term."""
    if not state.former.markers[partition_id].is_sent:
        return False
    clear(state.reply)
    clear(state.former.markers[partition_id])
    hear_of_marker(state.former, state.coordinator, rules, partition_id, ProduceError.NONE)
    return True


def marker_answer_is_lost(state: State, partition_id: PartitionId) -> bool:
    """The coordinator does not hear of a marker, and must send it again."""
    if not state.coordinator.markers[partition_id].is_sent:
        return False
    clear(state.reply)
    clear(state.coordinator.markers[partition_id])
    return True


def partition_is_deleted(state: State, rules: TransactionRules, partition_id: PartitionId) -> bool:
    """A partition is deleted that awaits a marker."""
    if not drop_deleted_partition(state.coordinator, rules, partition_id):
        return False
    clear(state.reply)
    return True


def coordinator_completes(state: State) -> bool:
    """The coordinator begins to append that the transaction is complete."""
    if not begin_completion(state.coordinator, state.log, state.log.coordinator_epoch):
        return False
    clear(state.reply)
    return True


def transaction_times_out(state: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """The coordinator aborts a transaction that exceeds its timeout."""
    term = state.log.coordinator_epoch
    if not abort_timed_out(state.coordinator, state.log, term, rules, bounds, state.producer_ids):
        return False
    clear(state.reply)
    return True


def transactional_id_expires(state: State) -> bool:
    """The coordinator begins to remove an idle transactional id."""
    if not remove_transactional_id(state.coordinator, state.log, state.log.coordinator_epoch):
        return False
    clear(state.reply)
    return True


def is_within_bounds(state: State, bounds: Bounds) -> bool:
    """Whether no more epochs are used than the bounds allow, and producer ids are left."""
    if state.producer_ids.next_producer_id >= bounds.producer_ids:
        return False
    epoch = state.coordinator.metadata.producer_epoch
    return epoch <= bounds.low_epochs or (bounds.first_epoch > bounds.low_epochs and epoch >= bounds.first_epoch)


MODEL = Model(
    name="transaction_coordinator",
    question=__doc__,
    state=State,
    initial=start,
    rules=TransactionRules(transaction_version=1, cluster_version=2),
    actions=[
        new_client_initializes,
        client_initializes,
        client_adds_partition,
        client_ends,
        leader_verifies,
        log_commits,
        append_fails,
        coordinator_is_replaced,
        coordinator_sends_marker,
        marker_is_answered,
        former_marker_is_answered,
        marker_answer_is_lost,
        partition_is_deleted,
        coordinator_completes,
        transaction_times_out,
        transactional_id_expires,
    ],
    stuttering=[
        new_client_initializes,
        client_initializes,
        client_adds_partition,
        client_ends,
        leader_verifies,
        append_fails,
    ],
    always=[],
    constraint=is_within_bounds,
    bounds={
        "first_epoch": 32765,
        "low_epochs": 0,
        "oldest": 2,
        "producer_ids": 3,
        "max_producer_epoch": 32767,
        "partitions": 1,
        "transactional_ids": 1,
        "offsets_partition": -1,
        "upgrades": 1,
        "max_coordinator_epoch": 0,
    },
    check_deadlock=False,
)
