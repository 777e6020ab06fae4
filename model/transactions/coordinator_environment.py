"""Disturbances of coordinators beyond `model/transactions/environment.py`; each is charged to a budget."""

from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.transactions.log import begin_term, stop_replica
from kafkacheck.impl.transactions.markers import note_second_completion
from kafkacheck.impl.transactions.metadata import is_preparing
from kafkacheck.impl.transactions.records import CoordinatorTerm, TransactionalIdNumber
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def coordinator_is_reassigned(
    state: State, rules: TransactionRules, transactional_id: TransactionalIdNumber, keeps_append: bool
) -> bool:
    """A reassignment takes the transaction log from the coordinator's broker; another broker becomes the coordinator.

    When: a fail-over is left.
    Effect: the broker must give up its replica. The next term begins as when the coordinator is replaced.
    Source: KafkaApis.handleStopReplicaRequest, TransactionCoordinator.onResignation; KAFKA-9235.
    Left out: the time until the broker hears of it, which `coordinator_is_replaced` covers.
    """
    transactional = state.transactional_ids[transactional_id]
    if state.budget.failovers == 0:
        return False
    if keeps_append and not transactional.is_appended:
        return False
    state.budget.failovers -= 1
    stop_replica(rules, transactional.coordinators[transactional.coordinator_epoch])
    begin_term(state, transactional_id, keeps_append)
    return True


def completion_is_found_twice(state: State, transactional_id: TransactionalIdNumber, term: CoordinatorTerm) -> bool:
    """A second thread of a coordinator finds every marker written before the first thread has reacted to it.

    Why: the coordinator handles two answers about markers at once, or one while it queues markers.
    When: every marker is written, and the first thread has not begun to append; no other such thread is under way; a
        second completion is left.
    Effect: the second thread goes on at some later time.
    Source: TransactionMarkerChannelManager (`addTxnMarkersToSend`, `removeMarkersForTxnTopicPartition`); KAFKA-10080.
    Left out: a third thread.
    """
    transactional = state.transactional_ids[transactional_id]
    coordinator = transactional.coordinators[term]
    if state.budget.second_completions == 0 or state.second_completion.outcome != Marker.NONE:
        return False
    if transactional.is_appended:
        return False
    if not coordinator.is_marking or coordinator.unmarked != 0 or not is_preparing(coordinator.metadata):
        return False
    state.budget.second_completions -= 1
    note_second_completion(state.second_completion, transactional_id, term, coordinator.metadata)
    return True
