"""Markers: a coordinator sends one to each partition of a decided transaction, and completes it when all are written.

Part of Kafka modelled: `TransactionMarkerChannelManager`, `TransactionMarkerRequestCompletionHandler`; at a partition's
leader `KafkaApis.handleWriteTxnMarkersRequest`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-1228, KAFKA-10080, KAFKA-16352, KAFKA-19999.
Left out, and why that is sound: the answer as a message of its own: it reaches the coordinator in the step that writes
the marker, or it is lost and the marker is sent again.
"""

from kafkacheck.checker.schema import clear, contains, copy, excluding
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.append import append_marker, marker_error
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker, ProduceError
from kafkacheck.impl.log.producer_state import has_open_transaction
from kafkacheck.impl.log.records import PartitionLog, ProducerId
from kafkacheck.impl.log.transactions import complete_transaction
from kafkacheck.impl.transactions.constants import TransactionState
from kafkacheck.impl.transactions.group import complete_pending_offset
from kafkacheck.impl.transactions.log import begin_append, can_append
from kafkacheck.impl.transactions.metadata import decision_of, has_version_2, is_preparing, prepare_complete
from kafkacheck.impl.transactions.partition import maybe_replicate, reload_partition
from kafkacheck.impl.transactions.records import (
    Coordinator,
    CoordinatorTerm,
    MarkerRequest,
    MarkerSlot,
    Partition,
    PartitionId,
    SecondCompletion,
    TransactionalId,
    TransactionalIdNumber,
    TransactionMetadata,
)
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def coordinator_sends_marker(
    state: State, transactional_id: TransactionalIdNumber, term: CoordinatorTerm, partition_id: PartitionId
) -> bool:
    """A coordinator sends a marker to the leader of a partition of the decided transaction.

    Who: a broker that believes that it is the coordinator.
    When: it awaits that partition's marker, has no request for it under way, and finds the partition.
    Effect: WriteTxnMarkers is under way, with the coordinator epoch and the producer epoch.
    Source: TransactionMarkerChannelManager.addTxnMarkersToSend.
    Left out: markers of several transactions in one request.
    """
    coordinator = state.transactional_ids[transactional_id].coordinators[term]
    request = coordinator.markers[partition_id]
    if not coordinator.is_marking or request.is_sent:
        return False
    if not contains(coordinator.unmarked, partition_id):
        return False
    if state.partitions[partition_id].is_deleted:
        return False
    request.is_sent = True
    request.producer_id = coordinator.metadata.producer_id
    request.producer_epoch = coordinator.metadata.producer_epoch
    request.marker = decision_of(coordinator.metadata)
    request.is_upgraded = coordinator.metadata.is_upgraded
    return True


def coordinator_drops_deleted_partition(
    state: State,
    rules: TransactionRules,
    transactional_id: TransactionalIdNumber,
    term: CoordinatorTerm,
    partition_id: PartitionId,
) -> bool:
    """A coordinator learns that a partition of the decided transaction no longer exists.

    Who: a broker that believes that it is the coordinator.
    When: it awaits that partition's marker, and the topic is deleted.
    Effect: it no longer awaits that marker.
    Source: TransactionMarkerChannelManager.addTxnMarkersToBrokerQueue; KAFKA-5202.
    """
    coordinator = state.transactional_ids[transactional_id].coordinators[term]
    if not rules.deleted_partition_is_dropped or not state.partitions[partition_id].is_deleted:
        return False
    if not coordinator.is_marking or not contains(coordinator.unmarked, partition_id):
        return False
    coordinator.unmarked = excluding(coordinator.unmarked, partition_id)
    return True


def drop_pending(transactional: TransactionalId, rules: TransactionRules, term: int) -> None:
    """Stop waiting for the transaction's markers, because the coordinator's term is over.

    By the old rule the handler of an earlier term on the same broker removed the entry of the newer term.
    """
    coordinator = transactional.coordinators[term]
    coordinator.is_marking = False
    if not rules.handler_removes_its_own and not coordinator.is_serving:
        successor = transactional.coordinators[min(term + 1, len(transactional.coordinators) - 1)]
        if successor.is_back:
            successor.is_marking = False


def hear_of_marker(
    transactional: TransactionalId, rules: TransactionRules, term: int, partition_id: int, error: ProduceError
) -> None:
    """Tell the coordinator of that term the outcome of its marker."""
    coordinator = transactional.coordinators[term]
    if not coordinator.is_serving or error != ProduceError.NONE:
        drop_pending(transactional, rules, term)
        return
    if coordinator.is_marking:
        coordinator.unmarked = excluding(coordinator.unmarked, partition_id)


def is_refused(log: PartitionLog, rules: TransactionRules, request: MarkerRequest) -> bool:
    """Whether the marker comes too late to end a transaction: the partition has already seen its epoch (KIP-1228).

    With transaction version 2 a marker's epoch is higher than the epoch of the records that it ends.
    """
    entry = log.producers[request.producer_id]
    if not has_version_2(rules, request.is_upgraded) or not rules.marker_epoch_is_higher:
        return False
    if request.producer_epoch != entry.producer_epoch:
        return False
    return has_open_transaction(entry) or not rules.repeated_marker_is_written


def error_of(log: PartitionLog, rules: TransactionRules, request: MarkerRequest, term: int) -> ProduceError:
    """Why the leader may not write a marker; `NONE` if it may."""
    if is_refused(log, rules, request):
        return ProduceError.INVALID_PRODUCER_EPOCH
    return marker_error(log, request.producer_id, request.producer_epoch, term)


def write_marker(partition: Partition, rules: TransactionRules, request: MarkerRequest, term: int) -> ProduceError:
    """Let the partition's leader write the marker, unless the marker is fenced. The log must not be full."""
    error = error_of(partition.log, rules, request, term)
    if error == ProduceError.NONE:
        first_offset = partition.log.producers[request.producer_id].current_transaction_first_offset
        append_marker(partition.log, request.producer_id, request.producer_epoch, term, request.marker)
        complete_transaction(partition.log, partition.index, partition.log.end_offset - 1, first_offset)
        maybe_replicate(partition, rules)
    return error


def write_marker_without_index(
    partition: Partition, rules: TransactionRules, request: MarkerRequest, term: int
) -> ProduceError:
    """Write an ABORT marker whose entry in the aborted-transaction index cannot be written.

    The disk counts as failed, and the next leader rebuilds the index from the log. By the old order the transaction had
    already ended, and the leader goes on without the entry.
    """
    error = error_of(partition.log, rules, request, term)
    if error == ProduceError.NONE:
        append_marker(partition.log, request.producer_id, request.producer_epoch, term, request.marker)
        maybe_replicate(partition, rules)
        if rules.index_comes_first:
            reload_partition(partition, rules)
    return error


def end_pending_offset(
    state: State, rules: TransactionRules, partition_id: int, producer_id: int, marker: Marker
) -> None:
    """Let the group coordinator apply a marker in the offsets partition."""
    if partition_id == state.offsets_partition:
        complete_pending_offset(state.group, rules, state.partitions[partition_id].log, producer_id, marker)


def has_unfollowed(state: State, partition_id: int, producer_id: int) -> bool:
    """Whether the group coordinator must still apply a marker of the producer in the offsets partition."""
    return partition_id == state.offsets_partition and state.group.unfollowed[producer_id] != Marker.NONE


def answer_followed(state: State, rules: TransactionRules, producer_id: int) -> None:
    """Answer the coordinators whose markers of the producer the group coordinator has now applied."""
    for transactional in state.transactional_ids:
        for term in range(len(transactional.coordinators)):
            request = transactional.coordinators[term].markers[state.offsets_partition]
            if request.is_sent and request.producer_id == producer_id:
                clear(request)
                hear_of_marker(transactional, rules, term, state.offsets_partition, ProduceError.NONE)


def group_coordinator_follows_marker(state: State, rules: TransactionRules, producer_id: ProducerId) -> bool:
    """The group coordinator applies a marker that was written before: it commits or drops the pending offset.

    Who: the group's coordinator.
    When: it has not applied the marker at once.
    Effect: the producer's pending offset is committed or dropped, and the marker is answered if it was not before.
    Source: GroupMetadataManager.handleTxnCompletion; KAFKA-17507.
    """
    marker = state.group.unfollowed[producer_id]
    if marker == Marker.NONE:
        return False
    end_pending_offset(state, rules, state.offsets_partition, producer_id, marker)
    state.group.unfollowed[producer_id] = Marker.NONE
    if rules.marker_answer_awaits_offsets:
        answer_followed(state, rules, producer_id)
    return True


def leader_writes_marker(
    state: State,
    rules: TransactionRules,
    transactional_id: TransactionalIdNumber,
    term: CoordinatorTerm,
    partition_id: PartitionId,
) -> bool:
    """The leader of a partition writes a marker, and the marker's coordinator learns of it.

    Who: the leader.
    When: the marker is under way, and there is room; the group coordinator has applied the producer's last marker.
    Effect: the marker is appended and ends the transaction there, unless its producer epoch or coordinator epoch is
        old. The coordinator awaits one marker fewer; if it was fenced, it gives up.
    Source: UnifiedLog.appendAsLeader, ProducerAppendInfo.appendEndTxnMarker; TransactionMarkerRequestCompletionHandler.
    """
    transactional = state.transactional_ids[transactional_id]
    request = transactional.coordinators[term].markers[partition_id]
    partition = state.partitions[partition_id]
    if not request.is_sent or has_unfollowed(state, partition_id, request.producer_id):
        return False
    if partition.is_deleted:
        clear(request)
        return True
    if is_full(partition.log):
        return False
    error = write_marker(partition, rules, request, term)
    if error == ProduceError.NONE:
        end_pending_offset(state, rules, partition_id, request.producer_id, request.marker)
    clear(request)
    hear_of_marker(transactional, rules, term, partition_id, error)
    return True


def leader_writes_late_marker(state: State, rules: TransactionRules, slot: MarkerSlot) -> bool:
    """The leader of a partition writes a marker that its coordinator has sent again, or no longer awaits.

    Who: the leader.
    When: the marker is under way, and the log has room.
    Effect: as in `leader_writes_marker`, but no coordinator learns of it.
    Source: KAFKA-19446, KIP-1228.
    """
    late = state.late_markers[slot]
    if not late.request.is_sent:
        return False
    partition = state.partitions[late.partition]
    if is_full(partition.log):
        return False
    if not partition.is_deleted and write_marker(partition, rules, late.request, late.term) == ProduceError.NONE:
        end_pending_offset(state, rules, late.partition, late.request.producer_id, late.request.marker)
    clear(late)
    return True


def coordinator_completes_transaction(
    state: State, transactional_id: TransactionalIdNumber, term: CoordinatorTerm
) -> bool:
    """A coordinator whose markers are all written begins to append that the transaction is complete.

    Who: the coordinator.
    When: it awaits no marker; it tries again whenever the append fails.
    Effect: the entry is appended.
    Source: TransactionMarkerChannelManager.maybeWriteTxnCompletion.
    """
    transactional = state.transactional_ids[transactional_id]
    coordinator: Coordinator = transactional.coordinators[term]
    if not coordinator.is_marking or coordinator.unmarked != 0:
        return False
    if not is_preparing(coordinator.metadata) or not can_append(transactional, term):
        return False
    copy(transactional.appended, coordinator.metadata)
    prepare_complete(transactional.appended)
    begin_append(transactional, coordinator)
    return True


def note_second_completion(
    second: SecondCompletion, transactional_id: int, term: int, decided: TransactionMetadata
) -> None:
    """Note that a second thread will append the completion of a transaction whose markers are all written."""
    second.outcome = decision_of(decided)
    second.transactional_id = transactional_id
    second.term = term
    second.producer_id = decided.producer_id
    second.previous_producer_id = decided.previous_producer_id
    second.producer_epoch = decided.producer_epoch
    second.last_producer_epoch = decided.last_producer_epoch
    second.is_upgraded = decided.is_upgraded
    if decided.next_producer_id != NO_PRODUCER_ID:
        second.previous_producer_id = decided.producer_id
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


def second_thread_completes_transaction(state: State, rules: TransactionRules) -> bool:
    """The second thread of a coordinator, which has found every marker written, goes on.

    Who: the coordinator.
    When: there is such a thread; by the old rule, the coordinator must also be able to append.
    Effect: it does nothing, because the first thread has taken the transaction. By the old rule it appends that the
        transaction is complete, regardless of later events, and does not check the pending state.
    Source: TransactionMarkerChannelManager.maybeWriteTxnCompletion; KAFKA-10080.
    Left out: a second thread that completes the transaction: it makes no difference which thread does.
    """
    second = state.second_completion
    if second.outcome == Marker.NONE:
        return False
    transactional = state.transactional_ids[second.transactional_id]
    if not rules.transaction_completes_once and transactional.coordinators[second.term].is_serving:
        if not can_append(transactional, second.term):
            return False
        fill_second_completion(transactional.appended, second)
        transactional.is_appended = True
    clear(second)
    return True
