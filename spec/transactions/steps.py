"""No step of a transaction makes a stable record unstable, or undoes a decision.

Part of Kafka judged: `impl/transactions`, by its records before and after a step.
Source: KIP-98 and the issues named below.
Left out, and why that is sound: steps of the environment, which Kafka does not answer for.
"""

from kafkacheck.impl.coordinator.records import Coordinator
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.transactions.constants import ProducerState, RequestKind, TransactionState
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.model.transactions.system import State


def ends_later(partition: Partition, offset: int) -> bool:
    """Whether the record at `offset` is open, or the marker that ends its transaction is not replicated."""
    batch = partition.log.records[offset]
    return all(
        partition.log.records[later].marker == Marker.NONE
        for later in range(offset + 1, partition.high_watermark)
        if partition.log.records[later].producer_id == batch.producer_id
    )


def stable_offset(partition: Partition) -> int:
    """The first offset of a record whose fate is not replicated, or the high watermark."""
    for offset in range(partition.high_watermark):
        batch = partition.log.records[offset]
        if batch.producer_id != NO_PRODUCER_ID and batch.marker == Marker.NONE and ends_later(partition, offset):
            return offset
    return partition.high_watermark


def stable_offset_does_not_fall(before: State, after: State) -> bool:
    """The last stable offset does not fall: a decision that is replicated stays.

    Lost if it fails: a consumer has read a record that is undecided again.
    Source: KIP-98 (last stable offset).
    """
    return all(
        stable_offset(partition) >= stable_offset(old_partition)
        for old_partition, partition in zip(before.partitions, after.partitions)
    )


def may_follow(state: int, following: int) -> bool:
    """Whether a transactional id may go from the first state to the second one.

    `NONE` is an unknown id: it begins as EMPTY, and is unknown again once the removal of an idle id is complete.
    """
    is_complete = state == TransactionState.COMPLETE_COMMIT or state == TransactionState.COMPLETE_ABORT
    is_idle = is_complete or state == TransactionState.EMPTY
    if following == TransactionState.EMPTY:
        return is_idle or state == TransactionState.NONE
    if following == TransactionState.ONGOING:
        return is_idle or state == TransactionState.ONGOING
    if following == TransactionState.PREPARE_COMMIT or following == TransactionState.PREPARE_EPOCH_FENCE:
        return state == TransactionState.ONGOING
    if following == TransactionState.PREPARE_ABORT:
        return is_idle or state == TransactionState.ONGOING or state == TransactionState.PREPARE_EPOCH_FENCE
    if following == TransactionState.COMPLETE_COMMIT:
        return state == TransactionState.PREPARE_COMMIT
    if following == TransactionState.COMPLETE_ABORT:
        return state == TransactionState.PREPARE_ABORT
    if following == TransactionState.DEAD:
        return is_idle
    return is_idle or state == TransactionState.DEAD


def transitions_are_valid(before: State, after: State) -> bool:
    """The transaction log's newest entry goes from state to state as `TransactionState` allows.

    Lost if it fails: a decision is undone, or a transaction completes without one.
    Source: `TransactionState.validPreviousStates`; an abort of nothing is that of Kafka 4.0.
    """
    for transactional_id in range(len(before.transactional_ids)):
        state = before.transactional_ids[transactional_id].log.entry.state
        following = after.transactional_ids[transactional_id].log.entry.state
        if state != following and not may_follow(state, following):
            return False
    return True


def is_valid_transition(before: Coordinator, after: Coordinator) -> bool:
    """Whether a coordinator that served before and after enters only its pending state, and replaces none.

    It has a new transactional id in memory as soon as the first epoch is pending.
    """
    state = before.metadata.state
    following = after.metadata.state
    if state == following:
        is_kept = before.pending_state == TransactionState.NONE or after.pending_state == before.pending_state
        return is_kept or after.pending_state == TransactionState.NONE
    if before.pending_state == TransactionState.DEAD:
        return following == TransactionState.NONE
    if state == TransactionState.NONE and after.metadata.producer_epoch == NO_PRODUCER_EPOCH:
        return following == TransactionState.EMPTY
    return following == before.pending_state and may_follow(state, following)


def coordinator_transitions_are_valid(before: State, after: State) -> bool:
    """A coordinator enters only its pending state, and only a state that may come next is ever pending.

    Lost if it fails: Kafka throws IllegalStateException, and the transactional id can no longer be used.
    Source: `TransactionMetadata.prepareTransitionTo`, `completeTransitionTo`; `TransactionState`.
    """
    for transactional_id in range(len(before.transactional_ids)):
        coordinators = before.transactional_ids[transactional_id].coordinators
        for term, was in enumerate(coordinators):
            coordinator = after.transactional_ids[transactional_id].coordinators[term]
            pending = coordinator.pending_state
            if pending != TransactionState.NONE and not may_follow(coordinator.metadata.state, pending):
                return False
            if was.is_serving and coordinator.is_serving and not is_valid_transition(was, coordinator):
                return False
    return True


def transactional_ids_do_not_go_back(before: State, after: State) -> bool:
    """A coordinator's term never falls, nor does an id's producer epoch in the log if its producer id stays.

    Lost if it fails: a fenced producer or coordinator is the current one again.
    Source: KIP-98 (zombie fencing), KIP-360; `TransactionMetadata.completeTransitionTo`.
    """
    for was, now in zip(before.transactional_ids, after.transactional_ids):
        if now.log.coordinator_epoch < was.log.coordinator_epoch:
            return False
        if (
            now.log.entry.producer_id == was.log.entry.producer_id
            and now.log.entry.producer_epoch < was.log.entry.producer_epoch
        ):
            return False
    return True


def is_taken(before: Request, after: Request) -> bool:
    """Whether a coordinator has taken a request to add a partition or to end a transaction in this step."""
    if before.is_waiting or before.kind == RequestKind.NONE or before.kind == RequestKind.INIT_PRODUCER_ID:
        return False
    return after.is_waiting or after.kind == RequestKind.NONE


def older_producers_append_nothing(before: State, after: State) -> bool:
    """A request of a producer whose id or epoch is not the current one leads to no entry in the log.

    Lost if it fails: a producer that was replaced adds to its successor's transaction, or ends it.
    Source: KIP-98 (zombie fencing): INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED.
    """
    for request_id, request in enumerate(before.requests):
        was = before.transactional_ids[request.transactional_id]
        is_begun = after.transactional_ids[request.transactional_id].log.is_appended and not was.log.is_appended
        if is_begun and is_taken(request, after.requests[request_id]):
            if (
                request.producer_id != was.log.entry.producer_id
                or request.producer_epoch < was.log.entry.producer_epoch
            ):
                return False
    return True


def clients_skip_no_epoch(before: State, after: State) -> bool:
    """A client that keeps its producer id and raises its epoch goes on in the next epoch.

    Lost if it fails: another client was given the epoch in between, and its predecessor now fences it.
    Source: KIP-360.
    """
    return all(
        after.clients[client_id].producer_epoch <= client.producer_epoch + 1
        for client_id, client in enumerate(before.clients)
        if client.producer_id != NO_PRODUCER_ID and client.producer_id == after.clients[client_id].producer_id
    )


def stopped_clients_do_nothing(before: State, after: State) -> bool:
    """A client that has died, or was refused for good, does nothing more.

    Lost if it fails: an application that was told to stop goes on beside its successor.
    Source: `TransactionManager.State.FATAL_ERROR`.
    """
    for client, now in zip(before.clients, after.clients):
        if client.state == ProducerState.FATAL_ERROR:
            if now.state != client.state or now.input_offset != client.input_offset:
                return False
            if now.transaction != client.transaction or now.is_halfway != client.is_halfway:
                return False
            if now.generation != client.generation:
                return False
    return True


def committed_offset_does_not_fall(before: State, after: State) -> bool:
    """The group's committed offset does not go back.

    Lost to users: the next client that is assigned the input processes records again.
    Source: `GroupCoordinator.validateOffsetCommit`; KIP-447.
    """
    return after.group.committed >= before.group.committed
