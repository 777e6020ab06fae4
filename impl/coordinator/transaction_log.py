"""The transaction log: a coordinator appends an entry and learns its outcome, and a new coordinator loads the log.

Part of Kafka modelled: `TransactionStateManager` (`appendTransactionToLog`, `loadTransactionsForTxnTopicPartition`,
`removeTransactionsForTxnTopicPartition`).
Source: apache/kafka (commit 1eb7644349); KAFKA-7519, KAFKA-9235, KAFKA-9666.
Left out, and why that is sound: the time that loading takes, in which a coordinator answers nothing.
"""

from kafkacheck.checker.schema import Ids, clear, copy
from kafkacheck.impl.coordinator import runtime
from kafkacheck.impl.coordinator.records import Coordinator, TransactionLog
from kafkacheck.impl.coordinator.transaction_metadata import complete_transition, is_preparing
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from kafkacheck.impl.transactions.constants import TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules


def can_append_entry(coordinator: Coordinator, log: TransactionLog, term: int) -> bool:
    """Whether the coordinator of that term can begin an append."""
    return runtime.can_append(log, coordinator.is_serving, term)


def begin_transition(coordinator: Coordinator, log: TransactionLog) -> None:
    """Begin to append `appended`, which the caller has filled in; its state becomes the pending state.

    Every transition records the present producer id as the previous one, even if the id does not change.
    """
    log.appended.previous_producer_id = coordinator.metadata.producer_id
    runtime.begin_append(log)
    coordinator.pending_state = log.appended.state


def begin_marking(coordinator: Coordinator) -> None:
    """Begin to write the markers of a decided transaction."""
    coordinator.is_marking = True
    coordinator.unmarked = coordinator.metadata.partitions
    if coordinator.metadata.state == TransactionState.PREPARE_COMMIT:
        coordinator.pending_state = TransactionState.COMPLETE_COMMIT
    else:
        coordinator.pending_state = TransactionState.COMPLETE_ABORT


def complete_append(coordinator: Coordinator, log: TransactionLog, rules: TransactionRules) -> None:
    """Let the coordinator apply its committed append."""
    complete_transition(coordinator.metadata, rules, log.entry)
    coordinator.pending_state = TransactionState.NONE
    coordinator.has_failed_epoch_fence = False
    coordinator.is_marking = False
    if is_preparing(coordinator.metadata):
        begin_marking(coordinator)
    if coordinator.metadata.state == TransactionState.DEAD:
        clear(coordinator.metadata)
        clear(log.entry)


def awaits_append(coordinator: Coordinator, log: TransactionLog) -> bool:
    """Whether the current coordinator awaits the outcome of the append that is under way."""
    if not coordinator.is_serving or coordinator.pending_state == TransactionState.NONE:
        return False
    return coordinator.pending_state == log.appended.state


def give_append_up(coordinator: Coordinator, log: TransactionLog, rules: TransactionRules) -> None:
    """Tell the coordinator that its append failed, or that its outcome is unknown.

    If the append was an abort of its own, under an epoch that it has raised in memory, the coordinator remembers that.
    """
    if coordinator.is_marking:
        return
    is_raised = coordinator.metadata.producer_epoch > log.entry.producer_epoch
    if is_raised and coordinator.pending_state == TransactionState.PREPARE_ABORT:
        coordinator.has_failed_epoch_fence = rules.failed_fence_is_remembered
    if rules.pending_state_is_cleared:
        coordinator.pending_state = TransactionState.NONE


def load_entry(coordinator: Coordinator, log: TransactionLog, rules: TransactionRules) -> None:
    """Load the log's newest entry into the newest term's coordinator, which continues a decided transaction.

    An entry that removed the id leaves nothing. No entry has the previous epoch.
    """
    coordinator.is_serving = True
    if log.entry.state == TransactionState.DEAD:
        clear(log.entry)
    copy(coordinator.metadata, log.entry)
    coordinator.metadata.last_producer_epoch = NO_PRODUCER_EPOCH
    if not rules.next_producer_id_is_logged:
        coordinator.metadata.previous_producer_id = NO_PRODUCER_ID
        coordinator.metadata.next_producer_id = NO_PRODUCER_ID
    if is_preparing(coordinator.metadata):
        begin_marking(coordinator)


def unload(coordinator: Coordinator) -> None:
    """Forget everything in memory. Requests to partitions stay under way."""
    coordinator.is_serving = False
    coordinator.has_failed_epoch_fence = False
    coordinator.pending_state = TransactionState.NONE
    coordinator.is_marking = False
    coordinator.unmarked = Ids()
    clear(coordinator.metadata)


def stop_replica(coordinator: Coordinator, rules: TransactionRules) -> None:
    """Delete a broker's replica of the transaction log (StopReplica), which ends its role as coordinator.

    Before KAFKA-9235 only a broker that stayed as a follower (LeaderAndIsr) unloaded its state.
    """
    if rules.stopped_replica_is_unloaded:
        unload(coordinator)
