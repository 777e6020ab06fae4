"""The steps of coordinators of transactions, and of the group: each is delivered to the coordinator of its term."""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.markers import (
    begin_completion,
    complete_by_second_thread,
    drop_deleted_partition,
    hear_of_marker,
    send_marker,
)
from kafkacheck.impl.coordinator.offsets import complete_pending_offset, end_loading, read_record
from kafkacheck.impl.coordinator.runtime import begin_term, commit_append
from kafkacheck.impl.coordinator.transaction_log import awaits_append, complete_append, load_entry
from kafkacheck.impl.coordinator.transactions import abort_timed_out, handle_request, handle_verification, respond
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.log.constants import Marker, ProduceError
from kafkacheck.impl.log.records import ProducerId
from kafkacheck.impl.transactions.constants import Answer, ProduceStage, RequestKind
from kafkacheck.impl.transactions.records import CoordinatorTerm, ProduceSlot, RequestSlot, TransactionalIdNumber
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.clients import deliver_answer, deliver_produce_answer
from kafkacheck.model.transactions.system import State, TransactionalId


def coordinator_handles_request(
    state: State, rules: TransactionRules, bounds: Bounds, request_id: RequestSlot, term: CoordinatorTerm
) -> bool:
    """A coordinator handles a producer's request: InitProducerId, AddPartitionsToTxn or EndTxn.

    Who: a broker that believes that it is the coordinator.
    When: the request is under way, and the coordinator can do more than tell the client to ask again.
    Effect: it answers, or begins to append to the transaction log and answers when the append is committed.
    Source: TransactionCoordinator; KIP-98, KIP-360, KIP-890.
    """
    request = state.requests[request_id]
    if request.kind == RequestKind.NONE or request.is_waiting:
        return False
    transactional = state.transactional_ids[request.transactional_id]
    answer = handle_request(
        transactional.coordinators[term], transactional.log, term, rules, bounds, state.producer_ids, request
    )
    if answer == Answer.WAIT:
        return False
    if answer == Answer.FENCING:
        return True
    if request_id >= len(state.clients):
        clear(request)
    elif answer != Answer.APPENDING:
        deliver_answer(state, rules, request_id, answer)
    return True


def answer_waiting(state: State, rules: TransactionRules, transactional_id: int) -> None:
    """Answer the request that waited for the append, if its client still waits."""
    for client_id in range(len(state.clients)):
        request = state.requests[client_id]
        if request.is_waiting and request.transactional_id == transactional_id:
            respond(request, state.transactional_ids[transactional_id].log.entry)
            deliver_answer(state, rules, client_id, Answer.NONE)


def unanswer_waiting(state: State, transactional_id: int) -> None:
    """Let the client of a waiting request send it again (COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR)."""
    for client_id in range(len(state.clients)):
        if state.requests[client_id].transactional_id == transactional_id:
            state.requests[client_id].is_waiting = False


def transaction_log_commits(state: State, rules: TransactionRules, transactional_id: TransactionalIdNumber) -> bool:
    """The appended entry of the transaction log is replicated to all in-sync replicas.

    Who: the leader of the transaction log's partition.
    When: an entry is appended and not committed.
    Effect: it is the newest entry. A coordinator that still awaits it applies it, answers, and begins to send markers
        if the transaction is decided.
    Source: TransactionStateManager.appendTransactionToLog, `updateCacheCallback`.
    """
    transactional = state.transactional_ids[transactional_id]
    if not transactional.log.is_appended:
        return False
    coordinator = transactional.coordinators[transactional.log.coordinator_epoch]
    is_awaited = awaits_append(coordinator, transactional.log)
    commit_append(transactional.log)
    if is_awaited:
        answer_waiting(state, rules, transactional_id)
        complete_append(coordinator, transactional.log, rules)
    return True


def change_coordinator(state: State, rules: TransactionRules, transactional_id: int, keeps_append: bool) -> None:
    """Let another leader of the transaction log begin the next term, with or without the uncommitted entry."""
    transactional = state.transactional_ids[transactional_id]
    unanswer_waiting(state, transactional_id)
    begin_term(transactional.log, keeps_append)
    load_entry(transactional.coordinators[transactional.log.coordinator_epoch], transactional.log, rules)


def coordinator_sends_marker(
    state: State, transactional_id: TransactionalIdNumber, term: CoordinatorTerm, partition_id: PartitionId
) -> bool:
    """A coordinator sends a marker to the leader of a partition that exists."""
    if state.partitions[partition_id].is_deleted:
        return False
    return send_marker(state.transactional_ids[transactional_id].coordinators[term], partition_id)


def coordinator_drops_deleted_partition(
    state: State,
    rules: TransactionRules,
    transactional_id: TransactionalIdNumber,
    term: CoordinatorTerm,
    partition_id: PartitionId,
) -> bool:
    """A coordinator learns that a partition of the decided transaction no longer exists."""
    if not state.partitions[partition_id].is_deleted:
        return False
    return drop_deleted_partition(state.transactional_ids[transactional_id].coordinators[term], rules, partition_id)


def tell_of_marker(
    transactional: TransactionalId, rules: TransactionRules, term: int, partition_id: int, error: ProduceError
) -> None:
    """Deliver the outcome of a marker to the coordinator of `term`."""
    successor = transactional.coordinators[min(term + 1, len(transactional.coordinators) - 1)]
    hear_of_marker(transactional.coordinators[term], successor, rules, partition_id, error)


def coordinator_completes_transaction(
    state: State, transactional_id: TransactionalIdNumber, term: CoordinatorTerm
) -> bool:
    """A coordinator whose markers are all written begins to append that the transaction is complete."""
    transactional = state.transactional_ids[transactional_id]
    return begin_completion(transactional.coordinators[term], transactional.log, term)


def second_thread_completes_transaction(state: State, rules: TransactionRules) -> bool:
    """The second thread of a coordinator, which has found every marker written, goes on."""
    second = state.second_completion
    transactional = state.transactional_ids[second.transactional_id]
    if second.outcome == Marker.NONE:
        return False
    return complete_by_second_thread(transactional.coordinators[second.term], transactional.log, second, rules)


def coordinator_aborts_timed_out(
    state: State,
    rules: TransactionRules,
    bounds: Bounds,
    transactional_id: TransactionalIdNumber,
    term: CoordinatorTerm,
) -> bool:
    """A coordinator aborts a transaction that exceeds the timeout that its client asked for."""
    transactional = state.transactional_ids[transactional_id]
    return abort_timed_out(transactional.coordinators[term], transactional.log, term, rules, bounds, state.producer_ids)


def coordinator_verifies_partition(
    state: State, rules: TransactionRules, bounds: Bounds, produce_id: ProduceSlot, term: CoordinatorTerm
) -> bool:
    """A coordinator answers a leader that asks about the transaction of a batch.

    Who: a broker that believes that it is the coordinator.
    When: the leader asks, and the coordinator can do more than tell it to ask again.
    Effect: with transaction version 1 it says whether the transaction has the partition; with version 2 it adds the
        partition.
    Source: TransactionCoordinator.handleVerifyPartitionsInTransaction, handleAddPartitionsToTransaction; KIP-890.
    """
    produce = state.produces[produce_id]
    if produce.stage != ProduceStage.VERIFYING:
        return False
    transactional = state.transactional_ids[produce.transactional_id]
    answer = handle_verification(transactional.coordinators[term], transactional.log, term, rules, bounds, produce)
    if answer == Answer.WAIT:
        return False
    if answer != Answer.NONE and answer != Answer.APPENDING:
        deliver_produce_answer(state, rules, produce_id, answer)
    return True


def answer_followed(state: State, rules: TransactionRules, producer_id: int) -> None:
    """Answer the coordinators whose markers of the producer the group coordinator has now applied."""
    for transactional in state.transactional_ids:
        for term, coordinator in enumerate(transactional.coordinators):
            request = coordinator.markers[state.offsets_partition]
            if request.is_sent and request.producer_id == producer_id:
                clear(request)
                tell_of_marker(transactional, rules, term, state.offsets_partition, ProduceError.NONE)


def group_coordinator_follows_marker(state: State, rules: TransactionRules, producer_id: ProducerId) -> bool:
    """The group coordinator applies a marker that was written before: it commits or drops the pending offset.

    Who: the group's coordinator.
    When: a marker of the producer is written, and not yet applied.
    Effect: the producer's pending offset is committed or dropped, and the marker is answered if it was not before.
    Source: GroupMetadataManager.handleTxnCompletion; KAFKA-17507.
    """
    marker = state.group.unfollowed[producer_id]
    if marker == Marker.NONE:
        return False
    complete_pending_offset(state.group, rules, state.partitions[state.offsets_partition].log, producer_id, marker)
    state.group.unfollowed[producer_id] = Marker.NONE
    if rules.marker_answer_awaits_offsets:
        answer_followed(state, rules, producer_id)
    return True


def group_coordinator_reads_record(state: State, rules: TransactionRules) -> bool:
    """A new coordinator of the group reads the next record of its log."""
    return read_record(state.group, rules, state.partitions[state.offsets_partition].log)


def group_coordinator_ends_loading(state: State, rules: TransactionRules) -> bool:
    """A new coordinator of the group has read its whole log, and begins to answer."""
    return end_loading(state.group, rules, state.partitions[state.offsets_partition].log)
