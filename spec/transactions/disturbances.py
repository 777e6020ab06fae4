"""How the environment may disturb transactions, and examples that must be reachable.

Part of Kafka judged: `model/transactions/environment.py` and `impl/coordinator`, by their records only.
Source: KIP-98, KIP-360, KIP-890; apache/kafka `TransactionStateManager`.
Left out, and why that is sound: when a disturbance comes, because it may come at any time.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, Marker
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.transactions.constants import ProducerState, ProduceStage, RequestKind, TransactionState
from kafkacheck.model.transactions.system import State, TransactionalId
from kafkacheck.spec.transactions.partitions import is_open


def is_same_request(one: Request, other: Request) -> bool:
    """Whether two requests ask for the same."""
    if one.kind != other.kind or one.producer_id != other.producer_id or one.producer_epoch != other.producer_epoch:
        return False
    return one.partition == other.partition and one.marker == other.marker


def a_request_became_stray(before: State, after: State) -> bool:
    """Whether a free slot now has a copy of a client's request that no coordinator has taken."""
    return any(
        not before.requests[client_id].is_waiting
        and is_same_request(before.requests[client_id], after.requests[stray_id])
        for stray_id in range(len(before.clients), len(before.requests))
        if before.requests[stray_id].kind == RequestKind.NONE and after.requests[stray_id].kind != RequestKind.NONE
        for client_id in range(len(before.clients))
    )


def a_batch_became_stray(before: State, after: State) -> bool:
    """Whether a free slot now has a batch that a client had sent."""
    return any(
        before.produces[stray_id].stage == ProduceStage.IDLE and after.produces[stray_id].stage != ProduceStage.IDLE
        for stray_id in range(len(before.clients), len(before.produces))
    )


def a_marker_became_late(before: State, after: State) -> bool:
    """Whether one marker more is under way that no coordinator awaits."""
    return len(after.late_markers) > len(before.late_markers)


def a_coordinator_was_replaced(before: State, after: State) -> bool:
    """Whether some transactional id has a coordinator of the next term."""
    return any(
        after.transactional_ids[transactional_id].log.coordinator_epoch
        == before.transactional_ids[transactional_id].log.coordinator_epoch + 1
        for transactional_id in range(len(before.transactional_ids))
    )


def an_append_failed(before: State, after: State) -> bool:
    """Whether an append is gone, or its coordinator has given it up."""
    for was, now in zip(before.transactional_ids, after.transactional_ids):
        if was.log.is_appended:
            if not now.log.is_appended:
                return True
            coordinator = was.coordinators[was.log.coordinator_epoch]
            if coordinator.is_marking and coordinator.pending_state == was.log.appended.state:
                return True
            if coordinator.pending_state != now.coordinators[was.log.coordinator_epoch].pending_state:
                return True
    return False


def a_marker_was_taken(before: State, after: State, marker: Marker) -> bool:
    """Whether a marker of the given kind, or any if that is `NONE`, was under way and no longer is."""
    return any(
        marker == Marker.NONE or request.marker == marker
        for transactional_id, was in enumerate(before.transactional_ids)
        for term, coordinator in enumerate(was.coordinators)
        for partition_id, request in enumerate(coordinator.markers)
        if request.is_sent
        and not after.transactional_ids[transactional_id].coordinators[term].markers[partition_id].is_sent
    )


def has_batch_under_way(state: State, producer_id: int) -> bool:
    """Whether a batch of the producer is under way."""
    return any(produce.batch.producer_id == producer_id for produce in state.produces)


def an_idle_producer_was_forgotten(before: State, after: State) -> bool:
    """Whether a partition has forgotten a producer with no open transaction there and no batch under way."""
    for partition_id in range(len(before.partitions)):
        was = before.partitions[partition_id].log
        now = after.partitions[partition_id].log
        for producer_id in range(len(was.producers)):
            if was.producers[producer_id].producer_epoch != NO_PRODUCER_EPOCH:
                if now.producers[producer_id].producer_epoch == NO_PRODUCER_EPOCH:
                    return not is_open(was, producer_id) and not has_batch_under_way(before, producer_id)
    return False


def an_id_is_removed(before: State, after: State) -> bool:
    """Whether the removal of a transactional id is appended."""
    return any(
        after.transactional_ids[transactional_id].log.appended.state == TransactionState.DEAD
        and not before.transactional_ids[transactional_id].log.is_appended
        for transactional_id in range(len(before.transactional_ids))
    )


def a_topic_was_recreated(before: State, after: State) -> bool:
    """Whether a deleted topic was created again."""
    return any(
        old_partition.is_deleted and not partition.is_deleted
        for old_partition, partition in zip(before.partitions, after.partitions)
    )


def disturbances_are_real(before: State, after: State) -> bool:
    """Each disturbance that is charged to the budget has really happened.

    A delay leaves a request in a free slot, and a fail-over begins a term. An append that fails, and a marker whose
    answer is lost, were under way. A forgotten producer was idle, and a topic that is created again was deleted.

    Lost if it fails: behaviours, because the budget is spent on disturbances that did not happen.
    Source: `model/transactions/environment.py`.
    """
    was = before.budget
    now = after.budget
    if was.delays != now.delays:
        is_late = a_request_became_stray(before, after) or a_batch_became_stray(before, after)
        if not is_late and not a_marker_became_late(before, after):
            return False
    if was.failovers != now.failovers and not a_coordinator_was_replaced(before, after):
        return False
    if was.append_failures != now.append_failures and not an_append_failed(before, after):
        return False
    if was.marker_losses != now.marker_losses and not a_marker_was_taken(before, after, Marker.NONE):
        return False
    if was.io_errors != now.io_errors and not a_marker_was_taken(before, after, Marker.ABORT):
        return False
    if was.expirations != now.expirations and not an_id_is_removed(before, after):
        if not an_idle_producer_was_forgotten(before, after):
            return False
    return was.recreations == now.recreations or a_topic_was_recreated(before, after)


def transaction_is_fenced(state: State) -> bool:
    """An abort is appended that no client asked for. Without an example no transaction is taken over."""
    if any(transaction.asked == Marker.ABORT for transaction in state.transactions):
        return False
    return any(
        transactional.log.appended.state == TransactionState.PREPARE_ABORT for transactional in state.transactional_ids
    )


def is_begun_behind(state: State, last: TransactionState) -> bool:
    """Whether the next epoch is appended after a transaction that ended in that state."""
    return any(
        transactional.log.appended.state == TransactionState.EMPTY and transactional.log.entry.state == last
        for transactional in state.transactional_ids
    )


def epoch_begins_behind_nothing(state: State) -> bool:
    """A producer asks for the next epoch before there was a transaction."""
    return is_begun_behind(state, TransactionState.EMPTY)


def epoch_begins_behind_commit(state: State) -> bool:
    """A producer asks for the next epoch after a committed transaction."""
    return is_begun_behind(state, TransactionState.COMPLETE_COMMIT)


def epoch_begins_behind_abort(state: State) -> bool:
    """A producer asks for the next epoch after an aborted transaction."""
    return is_begun_behind(state, TransactionState.COMPLETE_ABORT)


def epoch_begins_without_ids_left(state: State, bounds: Bounds) -> bool:
    """A producer is given the next epoch when no producer id is left."""
    for transactional_id in range(len(state.transactional_ids)):
        appended = state.transactional_ids[transactional_id].log.appended
        if appended.state == TransactionState.EMPTY and appended.producer_epoch > 0:
            if state.producer_ids.next_producer_id == bounds.producer_ids:
                return True
    return False


def init_rotates_producer_id(state: State) -> bool:
    """A producer that asks for the next epoch is given another producer id, because the epochs are used up."""
    for transactional_id in range(len(state.transactional_ids)):
        appended = state.transactional_ids[transactional_id].log.appended
        if appended.state == TransactionState.EMPTY and appended.producer_epoch == 0:
            if appended.previous_producer_id != appended.producer_id:
                return True
    return False


def is_replaced(transactional: TransactionalId) -> bool:
    """Whether the first coordinator of the id was replaced."""
    return transactional.log.coordinator_epoch > 0


def coordinator_is_replaced_at_rest(state: State) -> bool:
    """A coordinator is replaced while nothing is under way."""
    return all(client.state == ProducerState.UNINITIALIZED for client in state.clients) and is_replaced(
        state.transactional_ids[0]
    )


def entry_outlives_its_coordinator(state: State) -> bool:
    """The former coordinator appended a request's entry, the next one has it, and the request awaits its answer."""
    transactional = state.transactional_ids[0]
    is_asking = state.requests[0].kind == RequestKind.INIT_PRODUCER_ID and not state.requests[0].is_waiting
    is_done = transactional.log.entry.state == TransactionState.EMPTY and transactional.log.entry.producer_epoch == 0
    return is_replaced(transactional) and is_asking and is_done and not transactional.log.is_appended


def is_same_broker_back(state: State) -> bool:
    """Whether the current coordinator is on the broker of the previous one."""
    transactional = state.transactional_ids[0]
    return transactional.coordinators[transactional.log.coordinator_epoch].is_back


def coordinator_is_back_at_rest(state: State) -> bool:
    """A broker comes back as coordinator while nothing is under way."""
    return coordinator_is_replaced_at_rest(state) and is_same_broker_back(state)


def entry_outlives_with_broker(state: State) -> bool:
    """A coordinator appended a request's entry before it came back, and the request awaits its answer."""
    return entry_outlives_its_coordinator(state) and is_same_broker_back(state)


def entry_is_lost(state: State) -> bool:
    """A producer id was given out, and its entry was lost before it was committed."""
    transactional = state.transactional_ids[0]
    if transactional.log.is_appended or transactional.log.entry.state != TransactionState.NONE:
        return False
    return state.producer_ids.next_producer_id > 0


def append_of_unknown_outcome(state: State) -> bool:
    """A coordinator has given up an appended entry, which may still be committed."""
    return any(
        transactional.log.is_appended
        and transactional.coordinators[transactional.log.coordinator_epoch].pending_state == TransactionState.NONE
        for transactional in state.transactional_ids
    )


def producer_is_forgotten_behind_failover(state: State) -> bool:
    """A partition has forgotten a producer whose last marker came from the second coordinator."""
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        if log.end_offset > 0 and log.records[log.end_offset - 1].coordinator_epoch > 0:
            producer_id = log.records[log.end_offset - 1].producer_id
            if log.producers[producer_id].producer_epoch == NO_PRODUCER_EPOCH:
                return True
    return False
