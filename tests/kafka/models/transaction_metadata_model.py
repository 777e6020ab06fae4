"""Which transitions does the state of a transactional id allow, and what do they lead to?

A component: the state alone, with the functions of `impl/`, and the table of `spec/` that says which state may follow.
Every transition is asked for in every state, also while another one is pending.

Bounds: `first_epoch` is the epoch in which the behaviour begins. Epochs are Kafka's own, up to 32767. No client has the
    highest one, and no transition but a new producer id begins there.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Ids, Struct, clear, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.producer_ids import generate_producer_id
from kafkacheck.impl.coordinator.records import Coordinator, ProducerIdManager, TransactionLog
from kafkacheck.impl.coordinator.runtime import drop_append
from kafkacheck.impl.coordinator.transaction_log import begin_transition
from kafkacheck.impl.coordinator.transaction_metadata import (
    complete_transition,
    has_version_2,
    is_epoch_exhausted,
    is_idle,
    prepare_abort_or_commit,
    prepare_add_partitions,
    prepare_complete,
    prepare_new_producer_id,
)
from kafkacheck.impl.coordinator.transactions import fenced_epoch, raise_epoch
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.transactions.constants import Answer, RequestKind, TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.spec.transactions.steps import may_follow

Age = Annotated[int, Count("oldest")]
"""How far an epoch lies behind the one after the present one."""
Version = Annotated[int, Count("upgrades")]


class State(Struct):
    """The state of a transactional id.

    coordinator: it has the state in memory; nothing else of it is used.
    log: its entry that is not committed is the transition that is pending.
    producer_ids: the producer ids that are left.
    asked: blank between steps; the epoch that is asked for.
    answer: whether the client was fenced in the last step.
    """

    coordinator: Coordinator
    log: TransactionLog
    producer_ids: ProducerIdManager
    asked: Request
    answer: Answer


def start(state: State, bounds: Bounds) -> bool:
    """Begin with an idle transactional id."""
    metadata = state.coordinator.metadata
    metadata.producer_id = 0
    metadata.producer_epoch = bounds.first_epoch
    metadata.state = TransactionState.EMPTY
    state.producer_ids.next_producer_id = 1
    state.answer = Answer.NONE
    return True


def is_allowed(state: State, following: TransactionState) -> bool:
    """Whether no transition is pending, and this one may follow."""
    if state.coordinator.pending_state != TransactionState.NONE:
        return False
    return may_follow(state.coordinator.metadata.state, following)


def begin(state: State) -> None:
    """Begin the transition that is written."""
    state.answer = Answer.NONE
    begin_transition(state.coordinator, state.log)


def epoch_is_raised(state: State, bounds: Bounds, is_named: bool, age: Age) -> bool:
    """A client asks for the next epoch; it may name one."""
    metadata = state.coordinator.metadata
    epoch = max(0, metadata.producer_epoch + 1 - age)
    if is_epoch_exhausted(bounds, metadata.producer_epoch):
        return False
    is_fenced = is_named and metadata.producer_epoch != NO_PRODUCER_EPOCH and epoch != metadata.last_producer_epoch
    is_fenced = is_fenced and epoch != metadata.producer_epoch
    if not is_fenced and not is_allowed(state, TransactionState.EMPTY):
        return False
    state.asked.kind = RequestKind.INIT_PRODUCER_ID
    state.asked.producer_epoch = epoch
    if is_named:
        state.asked.producer_id = metadata.producer_id
    state.answer = raise_epoch(state.coordinator, state.log, bounds, state.producer_ids, state.asked)
    clear(state.asked)
    return True


def producer_id_is_replaced(state: State, records_last_epoch: bool) -> bool:
    """The transactional id gets a new producer id."""
    metadata = state.coordinator.metadata
    if not is_allowed(state, TransactionState.EMPTY):
        return False
    copy(state.log.appended, metadata)
    last_epoch = metadata.producer_epoch if records_last_epoch else NO_PRODUCER_EPOCH
    prepare_new_producer_id(state.log.appended, generate_producer_id(state.producer_ids), last_epoch)
    begin(state)
    return True


def partition_is_added(state: State, partition_id: PartitionId, version: Version) -> bool:
    """A partition joins the transaction."""
    if not is_allowed(state, TransactionState.ONGOING) or state.coordinator.metadata.producer_epoch < 0:
        return False
    copy(state.log.appended, state.coordinator.metadata)
    prepare_add_partitions(state.log.appended, Ids({partition_id}), version)
    begin(state)
    return True


def decide(state: State, rules: TransactionRules, marker: Marker, version: int, next_producer_id: int) -> None:
    """Prepare the decision."""
    copy(state.log.appended, state.coordinator.metadata)
    raises_epoch = has_version_2(rules, version)
    prepare_abort_or_commit(state.log.appended, marker, version, raises_epoch, next_producer_id)
    begin(state)


def transaction_is_decided(state: State, rules: TransactionRules, commits: bool) -> bool:
    """A client with version 1 ends its transaction; the coordinator refuses the end of nothing."""
    if not is_allowed(state, TransactionState.PREPARE_COMMIT):
        return False
    decide(state, rules, Marker.COMMIT if commits else Marker.ABORT, 0, NO_PRODUCER_ID)
    return True


def transaction_is_decided_by_version_2(
    state: State, rules: TransactionRules, commits: bool, replaces_id: bool
) -> bool:
    """A client with version 2 ends its transaction, or aborts nothing; the next producer id may come with it."""
    following = TransactionState.PREPARE_COMMIT if commits else TransactionState.PREPARE_ABORT
    if not is_allowed(state, following):
        return False
    next_producer_id = generate_producer_id(state.producer_ids) if replaces_id else NO_PRODUCER_ID
    decide(state, rules, Marker.COMMIT if commits else Marker.ABORT, 1, next_producer_id)
    return True


def producer_is_fenced(state: State, rules: TransactionRules) -> bool:
    """The coordinator is about to abort by itself, and raises the epoch."""
    if not is_allowed(state, TransactionState.PREPARE_EPOCH_FENCE):
        return False
    copy(state.log.appended, state.coordinator.metadata)
    state.log.appended.producer_epoch = fenced_epoch(state.coordinator, rules)
    state.log.appended.state = TransactionState.PREPARE_EPOCH_FENCE
    begin(state)
    return True


def fence_fails(state: State) -> bool:
    """The coordinator has raised the epoch in memory, and fails to append its abort."""
    if state.coordinator.pending_state != TransactionState.PREPARE_EPOCH_FENCE:
        return False
    state.coordinator.metadata.producer_epoch = state.log.appended.producer_epoch
    state.coordinator.metadata.last_producer_epoch = NO_PRODUCER_EPOCH
    state.coordinator.has_failed_epoch_fence = True
    return append_fails(state)


def transaction_is_completed(state: State) -> bool:
    """Every marker is written."""
    metadata = state.coordinator.metadata
    is_commit = metadata.state == TransactionState.PREPARE_COMMIT
    if not is_allowed(state, TransactionState.COMPLETE_COMMIT if is_commit else TransactionState.COMPLETE_ABORT):
        return False
    copy(state.log.appended, metadata)
    prepare_complete(state.log.appended)
    state.coordinator.has_failed_epoch_fence = False
    begin(state)
    return True


def transactional_id_expires(state: State) -> bool:
    """The transactional id is unused for long."""
    if not is_allowed(state, TransactionState.DEAD):
        return False
    copy(state.log.appended, state.coordinator.metadata)
    state.log.appended.state = TransactionState.DEAD
    begin(state)
    return True


def append_is_completed(state: State, rules: TransactionRules) -> bool:
    """The log has the transition; one that removes the id, or that only fences, has no other end."""
    pending = state.coordinator.pending_state
    if pending == TransactionState.NONE or pending == TransactionState.DEAD:
        return False
    if pending == TransactionState.PREPARE_EPOCH_FENCE:
        return False
    complete_transition(state.coordinator.metadata, rules, state.log.appended)
    return append_fails(state)


def append_fails(state: State) -> bool:
    """The log does not have the transition."""
    if state.coordinator.pending_state == TransactionState.NONE:
        return False
    state.answer = Answer.NONE
    state.coordinator.pending_state = TransactionState.NONE
    drop_append(state.log)
    return True


def is_within_bounds(state: State, bounds: Bounds) -> bool:
    """Whether no more epochs are used than the bounds allow, producer ids are left, and the highest epoch ends."""
    metadata = state.coordinator.metadata
    epoch = metadata.producer_epoch
    if state.producer_ids.next_producer_id >= bounds.producer_ids:
        return False
    if epoch == bounds.max_producer_epoch and (is_idle(metadata) or metadata.state == TransactionState.ONGOING):
        return False
    return epoch <= bounds.low_epochs or (bounds.first_epoch > bounds.low_epochs and epoch >= bounds.first_epoch)


ACTIONS = (
    epoch_is_raised,
    producer_id_is_replaced,
    partition_is_added,
    transaction_is_decided,
    transaction_is_decided_by_version_2,
    producer_is_fenced,
    fence_fails,
    transaction_is_completed,
    transactional_id_expires,
    append_is_completed,
    append_fails,
)

MODEL = Model(
    name="transaction_metadata",
    question=__doc__,
    state=State,
    initial=start,
    rules=TransactionRules(transaction_version=1),
    actions=ACTIONS,
    stuttering=[epoch_is_raised],
    always=[],
    constraint=is_within_bounds,
    bounds={
        "first_epoch": 32764,
        "low_epochs": 1,
        "oldest": 2,
        "producer_ids": 3,
        "max_producer_epoch": 32767,
        "partitions": 1,
        "transactional_ids": 1,
        "upgrades": 1,
        "max_coordinator_epoch": 0,
    },
    check_deadlock=False,
)
