"""The transaction log: a coordinator appends an entry and learns its outcome, and a new coordinator loads the log.

Part of Kafka modelled: `TransactionStateManager` (`appendTransactionToLog`, `loadTransactionsForTxnTopicPartition`,
`removeTransactionsForTxnTopicPartition`).
Source: apache/kafka (commit 1eb7644349); KAFKA-7519, KAFKA-9235, KAFKA-9666.
Left out, and why that is sound: a second append while the outcome of the first is open: the log is then short of
replicas, and refuses it. A zombie's appends: no follower fetches them, so they never count.
"""

from kafkacheck.checker.schema import clear, copy
from kafkacheck.impl.transactions.client import receive_answer
from kafkacheck.impl.transactions.constants import Answer, TransactionState
from kafkacheck.impl.transactions.metadata import is_preparing
from kafkacheck.impl.transactions.records import Coordinator, TransactionalId, TransactionalIdNumber
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def can_append(transactional: TransactionalId, term: int) -> bool:
    """Whether the coordinator of that term can begin an append: it is the current one, and no append is under way."""
    if term != transactional.coordinator_epoch or transactional.is_appended:
        return False
    return transactional.coordinators[term].is_serving


def begin_append(transactional: TransactionalId, coordinator: Coordinator) -> None:
    """Begin to append `appended`, which the caller has filled in; its state becomes the pending state."""
    transactional.is_appended = True
    coordinator.pending_state = transactional.appended.state


def clear_append(transactional: TransactionalId) -> None:
    """Remove the entry that is appended and not committed."""
    transactional.is_appended = False
    clear(transactional.appended)


def answer_waiting(state: State, rules: TransactionRules, transactional_id: int) -> None:
    """Answer the request that waited for the append, if its client still waits."""
    transactional = state.transactional_ids[transactional_id]
    metadata = transactional.coordinators[transactional.coordinator_epoch].metadata
    for client_id in range(len(state.clients)):
        request = state.requests[client_id]
        if request.is_waiting and request.transactional_id == transactional_id:
            receive_answer(state, rules, client_id, Answer.NONE, metadata)


def unanswer_waiting(state: State, transactional_id: int) -> None:
    """Let the client of a waiting request send it again (COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR)."""
    for client_id in range(len(state.clients)):
        if state.requests[client_id].transactional_id == transactional_id:
            state.requests[client_id].is_waiting = False


def begin_marking(coordinator: Coordinator) -> None:
    """Begin to write the markers of a decided transaction."""
    coordinator.is_marking = True
    coordinator.unmarked = coordinator.metadata.partitions
    if coordinator.metadata.state == TransactionState.PREPARE_COMMIT:
        coordinator.pending_state = TransactionState.COMPLETE_COMMIT
    else:
        coordinator.pending_state = TransactionState.COMPLETE_ABORT


def complete_append(state: State, rules: TransactionRules, transactional_id: int) -> None:
    """Let the coordinator apply its committed append, and answer the waiting request."""
    transactional = state.transactional_ids[transactional_id]
    coordinator = transactional.coordinators[transactional.coordinator_epoch]
    copy(coordinator.metadata, transactional.entry)
    coordinator.pending_state = TransactionState.NONE
    coordinator.has_failed_epoch_fence = False
    coordinator.is_marking = False
    answer_waiting(state, rules, transactional_id)
    if is_preparing(coordinator.metadata):
        begin_marking(coordinator)
    if coordinator.metadata.state == TransactionState.DEAD:
        clear(coordinator.metadata)
        clear(transactional.entry)


def awaits_append(transactional: TransactionalId) -> bool:
    """Whether the current coordinator awaits the outcome of the append that is under way."""
    coordinator = transactional.coordinators[transactional.coordinator_epoch]
    if not coordinator.is_serving or coordinator.pending_state == TransactionState.NONE:
        return False
    return coordinator.pending_state == transactional.appended.state


def transaction_log_commits(state: State, rules: TransactionRules, transactional_id: TransactionalIdNumber) -> bool:
    """The appended entry of the transaction log is replicated to all in-sync replicas.

    Who: the leader of the transaction log's partition.
    When: an entry is appended and not committed.
    Effect: it is the newest entry. A coordinator that still awaits it applies it, answers, and begins to send markers
        if the transaction is decided.
    Source: TransactionStateManager.appendTransactionToLog, `updateCacheCallback`.
    """
    transactional = state.transactional_ids[transactional_id]
    if not transactional.is_appended:
        return False
    is_awaited = awaits_append(transactional)
    copy(transactional.entry, transactional.appended)
    clear_append(transactional)
    if is_awaited:
        complete_append(state, rules, transactional_id)
    return True


def give_append_up(state: State, rules: TransactionRules, transactional_id: int) -> None:
    """Tell the coordinator that its append failed, or that its outcome is unknown."""
    transactional = state.transactional_ids[transactional_id]
    coordinator = transactional.coordinators[transactional.coordinator_epoch]
    unanswer_waiting(state, transactional_id)
    if coordinator.is_marking:
        return
    if coordinator.metadata.producer_epoch > transactional.entry.producer_epoch:
        coordinator.has_failed_epoch_fence = rules.failed_fence_is_remembered
    if rules.pending_state_is_cleared:
        coordinator.pending_state = TransactionState.NONE


def load_entry(transactional: TransactionalId) -> None:
    """Load the log's newest entry into the newest term's coordinator, which continues a decided transaction."""
    coordinator = transactional.coordinators[transactional.coordinator_epoch]
    coordinator.is_serving = True
    copy(coordinator.metadata, transactional.entry)
    if is_preparing(coordinator.metadata):
        begin_marking(coordinator)


def unload(coordinator: Coordinator) -> None:
    """Forget everything in memory. Requests to partitions stay under way."""
    coordinator.is_serving = False
    coordinator.has_failed_epoch_fence = False
    coordinator.pending_state = TransactionState.NONE
    coordinator.is_marking = False
    coordinator.unmarked = 0
    clear(coordinator.metadata)


def stop_replica(rules: TransactionRules, coordinator: Coordinator) -> None:
    """Make a broker give up its replica of the transaction log (StopReplica), and with it the role of coordinator.

    By the old rule only a broker that stayed as a follower (LeaderAndIsr) unloaded its state (KAFKA-9235).
    """
    if rules.stopped_replica_is_unloaded:
        unload(coordinator)


def begin_term(state: State, transactional_id: int, keeps_append: bool) -> None:
    """Let another leader of the transaction log begin the next term, with or without the uncommitted entry."""
    transactional = state.transactional_ids[transactional_id]
    unanswer_waiting(state, transactional_id)
    if transactional.is_appended and keeps_append:
        copy(transactional.entry, transactional.appended)
        if transactional.entry.state == TransactionState.DEAD:
            clear(transactional.entry)
    clear_append(transactional)
    transactional.coordinator_epoch += 1
    load_entry(transactional)
