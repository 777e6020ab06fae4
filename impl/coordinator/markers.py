"""Markers: a coordinator sends one to each partition of a decided transaction, and completes it when all are written.

Part of Kafka modelled: `TransactionMarkerChannelManager`, `TransactionMarkerRequestCompletionHandler`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-1228, KAFKA-10080, KAFKA-16352.
Left out, and why that is sound: the answer as a message of its own: it reaches the coordinator in the step that writes
the marker, or it is lost and the marker is sent again.
"""

from kafkacheck.checker.schema import Bag, Ids, add, clear, copy, is_full
from kafkacheck.impl.coordinator.records import Coordinator, SecondCompletion, TransactionLog, TransactionMetadata
from kafkacheck.impl.coordinator.runtime import begin_append
from kafkacheck.impl.coordinator.transaction_log import begin_transition, can_append_entry
from kafkacheck.impl.coordinator.transaction_metadata import decision_of, is_preparing, prepare_complete
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker, ProduceError
from kafkacheck.impl.messages.write_txn_markers import LateMarker, MarkerRequest
from kafkacheck.impl.transactions.constants import TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules


def send_marker(coordinator: Coordinator, partition_id: int) -> bool:
    """Send a marker to the leader of a partition of the decided transaction.

    Who: a broker that believes that it is the coordinator.
    When: it awaits that partition's marker, has no request for it under way, and finds the partition.
    Effect: WriteTxnMarkers is under way, with the coordinator epoch and the producer epoch.
    Source: TransactionMarkerChannelManager.addTxnMarkersToSend.
    Left out: markers of several transactions in one request.
    """
    request = coordinator.markers[partition_id]
    if not coordinator.is_marking or request.is_sent:
        return False
    if partition_id not in coordinator.unmarked:
        return False
    request.is_sent = True
    request.producer_id = coordinator.metadata.producer_id
    request.producer_epoch = coordinator.metadata.producer_epoch
    request.marker = decision_of(coordinator.metadata)
    request.is_upgraded = coordinator.metadata.is_upgraded
    return True


def send_marker_again(
    request: MarkerRequest, late_markers: Bag[LateMarker], partition_id: int, coordinator_term: int
) -> bool:
    """Keep the first request for a marker as a late one, if it is under way and there is room; return whether so."""
    if not request.is_sent or is_full(late_markers):
        return False
    add(late_markers, LateMarker(partition=partition_id, term=coordinator_term, request=request))
    return True


def drop_deleted_partition(coordinator: Coordinator, rules: TransactionRules, partition_id: int) -> bool:
    """Learn that a partition of the decided transaction no longer exists.

    Who: a broker that believes that it is the coordinator.
    When: it awaits that partition's marker, has no request for it under way, and the topic is deleted.
    Effect: it no longer awaits that marker.
    Source: TransactionMarkerChannelManager.addTxnMarkersToBrokerQueue; KAFKA-5202.
    """
    if not rules.deleted_partition_is_dropped:
        return False
    # Kafka looks for the leader only before it sends: an answer that is still to come is heard first.
    if not coordinator.is_marking or coordinator.markers[partition_id].is_sent:
        return False
    if partition_id not in coordinator.unmarked:
        return False
    coordinator.unmarked -= {partition_id}
    return True


def drop_pending(coordinator: Coordinator, successor: Coordinator, rules: TransactionRules) -> None:
    """Stop waiting for the transaction's markers, because the coordinator's term is over.

    Before KAFKA-16352 an earlier term's handler also removed the next term's entry, if both terms were on the same
    broker.
    """
    coordinator.is_marking = False
    if not rules.handler_removes_its_own and not coordinator.is_serving and successor.is_back:
        successor.is_marking = False


def hear_of_marker(
    coordinator: Coordinator, successor: Coordinator, rules: TransactionRules, partition_id: int, error: ProduceError
) -> None:
    """Tell a coordinator the outcome of its marker; its successor has the next term, and may be on the same broker."""
    if not coordinator.is_serving or error != ProduceError.NONE:
        drop_pending(coordinator, successor, rules)
    elif coordinator.is_marking:
        coordinator.unmarked -= {partition_id}


def has_every_marker(coordinator: Coordinator) -> bool:
    """Whether every marker of a decided transaction is written."""
    return coordinator.is_marking and coordinator.unmarked == Ids() and is_preparing(coordinator.metadata)


def begin_completion(coordinator: Coordinator, log: TransactionLog, term: int) -> bool:
    """Begin to append that the transaction is complete, because all its markers are written.

    Who: the coordinator.
    When: it awaits no marker; it tries again whenever the append fails.
    Effect: the entry is appended.
    Source: TransactionMarkerChannelManager.maybeWriteTxnCompletion.
    """
    if not has_every_marker(coordinator) or not can_append_entry(coordinator, log, term):
        return False
    copy(log.appended, coordinator.metadata)
    prepare_complete(log.appended)
    begin_transition(coordinator, log)
    return True


def note_second_completion(
    second: SecondCompletion, transactional_id: int, term: int, decided: TransactionMetadata
) -> None:
    """Note that a second thread will append the completion of a transaction whose markers are all written."""
    second.outcome = decision_of(decided)
    second.transactional_id = transactional_id
    second.term = term
    second.producer_id = decided.producer_id
    second.previous_producer_id = decided.producer_id
    second.producer_epoch = decided.producer_epoch
    second.last_producer_epoch = decided.last_producer_epoch
    second.is_upgraded = decided.is_upgraded
    if decided.next_producer_id != NO_PRODUCER_ID:
        second.producer_id = decided.next_producer_id
        second.producer_epoch = 0


def fill_second_completion(target: TransactionMetadata, second: SecondCompletion) -> None:
    """Make `target` the entry that the second thread appends."""
    clear(target)
    target.state = TransactionState.COMPLETE_ABORT
    if second.outcome == Marker.COMMIT:
        target.state = TransactionState.COMPLETE_COMMIT
    target.producer_id = second.producer_id
    target.previous_producer_id = second.previous_producer_id
    target.producer_epoch = second.producer_epoch
    target.last_producer_epoch = second.last_producer_epoch
    target.is_upgraded = second.is_upgraded


def complete_by_second_thread(
    coordinator: Coordinator, log: TransactionLog, second: SecondCompletion, rules: TransactionRules
) -> bool:
    """Let the second thread of a coordinator, which has found every marker written, go on.

    Who: the coordinator.
    When: there is such a thread; before KAFKA-10080, the coordinator must also be able to append.
    Effect: it does nothing, because the first thread has taken the transaction. Before KAFKA-10080 it appends that the
        transaction is complete, regardless of later events, and does not check the pending state.
    Source: TransactionMarkerChannelManager.maybeWriteTxnCompletion; KAFKA-10080.
    Left out: a second thread that completes the transaction: it makes no difference which thread does.
    """
    if not rules.transaction_completes_once and coordinator.is_serving:
        if not can_append_entry(coordinator, log, second.term):
            return False
        fill_second_completion(log.appended, second)
        begin_append(log)
    clear(second)
    return True
