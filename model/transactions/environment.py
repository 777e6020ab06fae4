"""Disturbances of transactions: no process of Kafka causes them, and each is charged to a budget.

Delay and overtaking need no action if a request stays in its slot until a process takes it. A request that its client
gives up becomes a stray. Retries cost nothing.
"""

from kafkacheck.checker.schema import clear, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client.application import receive_assignment
from kafkacheck.impl.client.transactional_producer import lose_batch
from kafkacheck.impl.coordinator.markers import has_every_marker, note_second_completion, send_marker_again
from kafkacheck.impl.coordinator.offsets import begin_loading_offsets, expire_offset, is_loading_offsets
from kafkacheck.impl.coordinator.runtime import drop_append
from kafkacheck.impl.coordinator.transaction_log import awaits_append, give_append_up, stop_replica, unload
from kafkacheck.impl.coordinator.transactions import remove_transactional_id
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.constants import Marker, ProduceError
from kafkacheck.impl.log.producer_state import expire_producer
from kafkacheck.impl.log.records import ProducerId
from kafkacheck.impl.transactions.constants import NO_TRANSACTION, ProducerState, ProduceStage, RequestKind
from kafkacheck.impl.transactions.leader import write_marker, write_marker_without_index
from kafkacheck.impl.transactions.partition import delete_partition, reload_partition
from kafkacheck.impl.transactions.records import (
    ClientId,
    CoordinatorTerm,
    ProduceSlot,
    RequestSlot,
    TransactionalIdNumber,
)
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.coordinators import change_coordinator, tell_of_marker, unanswer_waiting
from kafkacheck.model.transactions.partitions import deliver_marker, end_pending_offset, has_unfollowed
from kafkacheck.model.transactions.system import State


def request_is_repeated(state: State, client_id: ClientId, stray_id: RequestSlot) -> bool:
    """A client gets no answer in time and sends its request again; the first copy may arrive later.

    When: the request has not been taken; a delay is left, and a slot for a stray.
    Effect: two copies of the request are under way, and only one is answered.
    Source: `request.timeout.ms`; a broken connection.
    """
    if stray_id < len(state.clients):
        return False
    request = state.requests[client_id]
    if request.kind == RequestKind.NONE or request.is_waiting or client_id >= len(state.clients):
        return False
    if state.requests[stray_id].kind != RequestKind.NONE:
        return False
    copy(state.requests[stray_id], request)
    return True


def produce_is_repeated(state: State, client_id: ClientId, stray_id: ProduceSlot) -> bool:
    """A client gets no answer to a produce request in time and sends it again; the first copy may arrive later.

    When: the request has not been answered; a delay is left, and a slot for a stray.
    Effect: two copies of the batch are under way.
    Source: `request.timeout.ms`; a broken connection.
    """
    if not produce_becomes_stray(state, client_id, stray_id):
        return False
    state.produces[client_id].stage = ProduceStage.REQUESTED
    state.produces[client_id].guard = 0
    return True


def produce_is_given_up(state: State, rules: TransactionRules, client_id: ClientId, stray_id: ProduceSlot) -> bool:
    """A client gets no answer to a produce request for too long and gives up the batch, which may still arrive.

    When: the request has not been answered; a delay is left, and a slot for a stray.
    Effect: the batch stays under way, and its client must abort the transaction.
    Source: `delivery.timeout.ms`; TransactionManager.handleFailedBatch.
    """
    if not produce_becomes_stray(state, client_id, stray_id):
        return False
    clear(state.produces[client_id])
    lose_batch(state.clients[client_id], rules)
    return True


def produce_becomes_stray(state: State, client_id: int, stray_id: int) -> bool:
    """Copy a produce request into a stray's slot; return whether it did."""
    if stray_id < len(state.clients):
        return False
    if state.produces[client_id].stage == ProduceStage.IDLE or state.produces[stray_id].stage != ProduceStage.IDLE:
        return False
    copy(state.produces[stray_id], state.produces[client_id])
    return True


def client_dies(state: State, client_id: ClientId) -> bool:
    """An application's process ends at once; its requests may still arrive.

    When: the client has begun and has no fatal error; a crash is left.
    Effect: it does nothing more.
    Source: the process is killed.
    """
    client = state.clients[client_id]
    if client.state == ProducerState.UNINITIALIZED or client.state == ProducerState.FATAL_ERROR:
        return False
    client.state = ProducerState.FATAL_ERROR
    return True


def coordinator_is_replaced(
    state: State, rules: TransactionRules, transactional_id: TransactionalIdNumber, keeps_append: bool, notices: bool
) -> bool:
    """Another broker becomes the coordinator; the old one crashes or resigns, or does not notice.

    When: a fail-over is left.
    Effect: the next term begins with the contents of the transaction log; an uncommitted entry may be lost.
    Source: TransactionCoordinator.onElection, onResignation.
    """
    transactional = state.transactional_ids[transactional_id]
    if keeps_append and not transactional.log.is_appended:
        return False
    if notices:
        unload(transactional.coordinators[transactional.log.coordinator_epoch])
    change_coordinator(state, rules, transactional_id, keeps_append)
    return True


def coordinator_comes_back(
    state: State, rules: TransactionRules, transactional_id: TransactionalIdNumber, keeps_append: bool
) -> bool:
    """The coordinator's broker loses its role and gets it back at once; its requests are still under way.

    When: a fail-over is left.
    Effect: as when another broker becomes the coordinator.
    Source: KAFKA-16352.
    """
    transactional = state.transactional_ids[transactional_id]
    if keeps_append and not transactional.log.is_appended:
        return False
    unload(transactional.coordinators[transactional.log.coordinator_epoch])
    change_coordinator(state, rules, transactional_id, keeps_append)
    transactional.coordinators[transactional.log.coordinator_epoch].is_back = True
    return True


def zombie_coordinator_resigns(state: State, transactional_id: TransactionalIdNumber) -> bool:
    """A replaced coordinator notices, or its broker dies.

    Who: the coordinator of an earlier term.
    When: it still serves.
    Effect: it forgets everything; its requests stay under way.
    Source: TransactionCoordinator.onResignation.
    """
    transactional = state.transactional_ids[transactional_id]
    for term in range(transactional.log.coordinator_epoch):
        if transactional.coordinators[term].is_serving:
            unload(transactional.coordinators[term])
            return True
    return False


def append_fails(
    state: State, rules: TransactionRules, transactional_id: TransactionalIdNumber, is_definitive: bool
) -> bool:
    """An append to the transaction log fails, or takes so long that its coordinator does not learn the outcome.

    When: an append is under way; a failure is left.
    Effect: the coordinator takes the append for failed. The entry is gone, or may still be committed.
    Source: NOT_ENOUGH_REPLICAS; NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT.
    """
    transactional = state.transactional_ids[transactional_id]
    log = transactional.log
    if not log.is_appended:
        return False
    is_awaited = awaits_append(transactional.coordinators[transactional.log.coordinator_epoch], log)
    if not is_definitive and not is_awaited:
        return False
    if is_awaited:
        unanswer_waiting(state, transactional_id)
        give_append_up(transactional.coordinators[transactional.log.coordinator_epoch], log, rules)
    if is_definitive:
        drop_append(log)
    return True


def marker_answer_is_lost(
    state: State,
    rules: TransactionRules,
    transactional_id: TransactionalIdNumber,
    term: CoordinatorTerm,
    partition_id: PartitionId,
) -> bool:
    """A marker is written, but its coordinator does not hear of it and sends it again.

    When: the marker is under way, and the log has room; a loss is left.
    Effect: as when it is written, but the coordinator still awaits it.
    Source: a broken connection; TransactionMarkerRequestCompletionHandler.
    """
    request = state.transactional_ids[transactional_id].coordinators[term].markers[partition_id]
    if not request.is_sent or is_full(state.partitions[partition_id].log):
        return False
    deliver_marker(state, rules, partition_id, request, term)
    clear(request)
    return True


def marker_is_repeated(
    state: State, transactional_id: TransactionalIdNumber, term: CoordinatorTerm, partition_id: PartitionId
) -> bool:
    """A coordinator gets no answer to a marker in time and sends it again; the first copy may arrive later.

    When: the marker is under way; a delay is left, and room for it.
    Effect: two copies of the marker are under way, and the coordinator awaits only one.
    Source: a broken connection; KAFKA-19446.
    """
    request = state.transactional_ids[transactional_id].coordinators[term].markers[partition_id]
    return send_marker_again(request, state.late_markers, partition_id, term)


def partition_is_deleted(state: State, partition_id: PartitionId) -> bool:
    """The topic of a partition is deleted.

    When: a deletion is left.
    Effect: nothing of the partition is left.
    Source: KAFKA-5202.
    """
    partition = state.partitions[partition_id]
    if partition.is_deleted:
        return False
    delete_partition(partition)
    return True


def topic_is_recreated(state: State, partition_id: PartitionId) -> bool:
    """A topic is created under the name of a deleted one.

    When: the partition is deleted; a creation is left.
    Effect: the new partition of that name is empty and remembers no producers. Requests that name the topic may still
        be under way, and the coordinator may have the partition in its transaction.
    Source: KIP-516.
    """
    partition = state.partitions[partition_id]
    if not partition.is_deleted:
        return False
    partition.is_deleted = False
    partition.incarnation += 1
    return True


def is_message_under_way(state: State, producer_id: int) -> bool:
    """Whether a batch or marker of the producer is under way, or an old coordinator may still send one."""
    for produce_id in range(len(state.produces)):
        if state.produces[produce_id].batch.producer_id == producer_id:
            return True
    for transactional in state.transactional_ids:
        for term, coordinator in enumerate(transactional.coordinators):
            if coordinator.is_serving and term < transactional.log.coordinator_epoch:
                return True
            for partition_id in range(len(state.partitions)):
                if coordinator.markers[partition_id].producer_id == producer_id:
                    return True
    return False


def producer_state_expires(
    state: State, rules: TransactionRules, partition_id: PartitionId, producer_id: ProducerId
) -> bool:
    """A partition forgets a producer that has not written for long.

    Why: `producer.id.expiration.ms` has passed.
    When: the producer has no transaction open there; an expiration is left. No message and no replaced coordinator
        lives that long, so none is left. By the old rule markers do not count as writes, so a marker may have come just
        now.
    Effect: the partition knows nothing of the producer.
    Source: ProducerStateManager.removeExpiredProducers; KAFKA-9144.
    """
    if state.partitions[partition_id].is_deleted:
        return False
    if rules.marker_refreshes_expiry and is_message_under_way(state, producer_id):
        return False
    return expire_producer(state.partitions[partition_id].log, producer_id)


def transactional_id_expires(state: State, transactional_id: TransactionalIdNumber) -> bool:
    """A transactional id was unused for long, and its coordinator begins to remove it.

    Why: `transactional.id.expiration.ms` has passed.
    When: the id is known, no transaction of it is under way and nothing is pending; an expiration is left.
    Effect: the coordinator appends its removal.
    Source: TransactionStateManager.removeExpiredTransactionalIds.
    """
    transactional = state.transactional_ids[transactional_id]
    if not remove_transactional_id(
        transactional.coordinators[transactional.log.coordinator_epoch],
        transactional.log,
        transactional.log.coordinator_epoch,
    ):
        return False
    return True


def index_fails(
    state: State,
    rules: TransactionRules,
    transactional_id: TransactionalIdNumber,
    term: CoordinatorTerm,
    partition_id: PartitionId,
) -> bool:
    """An ABORT marker is written to the log, but its entry in the aborted-transaction index cannot be written.

    When: such a marker is under way, the partition exists, and its log has room; an error is left.
    Effect: the broker takes its disk for failed, and the next leader builds the index from the log. The coordinator
        hears of no success and sends the marker again.
    Source: an I/O error; KAFKA-7866.
    Left out: the time without a leader.
    """
    request = state.transactional_ids[transactional_id].coordinators[term].markers[partition_id]
    partition = state.partitions[partition_id]
    if not request.is_sent or request.marker != Marker.ABORT:
        return False
    if is_full(partition.log) or partition.is_deleted:
        return False
    if write_marker_without_index(partition, rules, request, term) == ProduceError.NONE:
        end_pending_offset(state, rules, partition_id, request)
    clear(request)
    return True


def group_coordinator_lags(
    state: State, rules: TransactionRules, transactional_id: TransactionalIdNumber, term: CoordinatorTerm
) -> bool:
    """A marker is written to the offsets partition, and the group's coordinator will apply it later.

    Why: its scheduler is busy.
    When: the marker is under way, the log has room, and every earlier marker of the producer is applied; a delay of the
        group is left.
    Effect: offsets stay pending. The marker is answered when they no longer are; by the old rule, at once.
    Source: GroupMetadataManager.scheduleHandleTxnCompletion; KAFKA-17507, KAFKA-15784.
    """
    transactional = state.transactional_ids[transactional_id]
    request = transactional.coordinators[term].markers[state.offsets_partition]
    partition = state.partitions[state.offsets_partition]
    if not request.is_sent or is_full(partition.log):
        return False
    if has_unfollowed(state, state.offsets_partition, request.producer_id):
        return False
    error = write_marker(partition, rules, request, term)
    if error == ProduceError.NONE:
        state.group.unfollowed[request.producer_id] = request.marker
    if error != ProduceError.NONE or not rules.marker_answer_awaits_offsets:
        clear(request)
        tell_of_marker(transactional, rules, term, state.offsets_partition, error)
    return True


def group_coordinator_is_replaced(state: State, rules: TransactionRules) -> bool:
    """Another broker comes to lead the offsets partition, and so becomes the group's coordinator.

    When: a change of the group's coordinator is left.
    Effect: as when another partition changes its leader. The coordinator's memory is gone, including the markers that
        it has still to apply. Its requests are sent again. The new coordinator begins to read the log.
    Source: GroupCoordinator.onElection, GroupMetadataManager.scheduleLoadGroupAndOffsets.
    Left out: the time without a leader.
    """
    reload_partition(state.partitions[state.offsets_partition], rules)
    begin_loading_offsets(state.group)
    return True


def partition_is_reloaded(state: State, rules: TransactionRules, partition_id: PartitionId) -> bool:
    """Another broker comes to lead a partition: it has the log, and rebuilds its state from the log.

    When: a move is left.
    Effect: verifications are forgotten; the producer state and the aborted-transaction index are built from the log.
    Source: UnifiedLog.rebuildProducerState; `Partition.makeLeader`.
    Left out: a log that ends earlier: a record that was never replicated is like one that has not arrived yet.
    """
    if state.partitions[partition_id].is_deleted:
        return False
    reload_partition(state.partitions[partition_id], rules)
    return True


def group_is_rebalanced(state: State, client_id: ClientId) -> bool:
    """The group gives its input to another member, or to the same one again; no other member hears of it at once.

    Why: a member has joined, left, or is taken for dead.
    When: the client lives and has no transaction; the group's coordinator is not loading; a rebalance is left.
    Effect: the next generation begins, and the client asks for the committed offset.
    Source: GroupCoordinator; `session.timeout.ms`, `max.poll.interval.ms`.
    Left out: several partitions, and members without one.
    """
    client = state.clients[client_id]
    if client.state == ProducerState.FATAL_ERROR:
        return False
    if client.transaction != NO_TRANSACTION or is_loading_offsets(state.group):
        return False
    state.group.generation += 1
    receive_assignment(client, state.group.generation)
    return True


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
    if keeps_append and not transactional.log.is_appended:
        return False
    stop_replica(transactional.coordinators[transactional.log.coordinator_epoch], rules)
    change_coordinator(state, rules, transactional_id, keeps_append)
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
    if state.second_completion.outcome != Marker.NONE:
        return False
    if transactional.log.is_appended:
        return False
    if not has_every_marker(coordinator):
        return False
    note_second_completion(state.second_completion, transactional_id, term, coordinator.metadata)
    return True


def offset_expires(state: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """The group has not committed an offset for long, and its coordinator forgets the offset.

    Why: `offsets.retention.minutes` have passed.
    When: the group has an offset, and by the new rule none is pending; its coordinator is not loading, and the log has
        room; an expiration is left.
    Effect: the offsets partition has a tombstone, and the group has no offset: the member that gets the input begins
        with the first one (`auto.offset.reset`). By the old rule the coordinator ignores pending offsets, and forgets
        them, too.
    Source: OffsetMetadataManager.cleanupExpiredOffsets; KAFKA-14505, KAFKA-19163.
    """
    return expire_offset(state.group, state.partitions[state.offsets_partition], rules, bounds)


CHARGES = {
    request_is_repeated: "delays",
    produce_is_repeated: "delays",
    produce_is_given_up: "delays",
    client_dies: "crashes",
    coordinator_is_replaced: "failovers",
    coordinator_comes_back: "failovers",
    append_fails: "append_failures",
    marker_answer_is_lost: "marker_losses",
    marker_is_repeated: "delays",
    partition_is_deleted: "deletions",
    topic_is_recreated: "recreations",
    producer_state_expires: "expirations",
    transactional_id_expires: "expirations",
    index_fails: "io_errors",
    group_coordinator_lags: "group_delays",
    group_coordinator_is_replaced: "group_failovers",
    partition_is_reloaded: "moves",
    group_is_rebalanced: "rebalances",
    coordinator_is_reassigned: "failovers",
    completion_is_found_twice: "second_completions",
    offset_expires: "offset_expirations",
}
"""The allowance to which each disturbance of this file is charged."""
