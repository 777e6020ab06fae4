"""The transaction coordinator: its answers to producers, and the actions that it takes by itself.

Part of Kafka modelled: `TransactionCoordinator` (`handleInitProducerId`, `handleAddPartitionsToTransaction`,
`handleVerifyPartitionsInTransaction`, `handleEndTransaction`, `abortTimedOutTransactions`).
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890, KAFKA-6119, KAFKA-9666, KAFKA-19367, KAFKA-20090,
KAFKA-20785.
Left out, and why that is sound: `transaction.max.timeout.ms`: a client that asks for more time is refused at once.

With transaction version 2 the coordinator raises the epoch even if it aborts a transaction that it does not know, as
Kafka 4.0 does: batches of that transaction may still be under way.
"""

from kafkacheck.checker.schema import Ids, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.producer_ids import generate_producer_id, has_producer_ids
from kafkacheck.impl.coordinator.records import Coordinator, ProducerIdManager, TransactionLog, TransactionMetadata
from kafkacheck.impl.coordinator.transaction_log import begin_transition, can_append_entry
from kafkacheck.impl.coordinator.transaction_metadata import (
    cluster_upgrade,
    decision_of,
    has_version_2,
    is_epoch_exhausted,
    is_idle,
    is_preparing,
    prepare_abort_or_commit,
    prepare_add_partitions,
    prepare_increment_producer_epoch,
    prepare_new_producer_id,
    prepare_repeated_epoch,
)
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.transactions.constants import Answer, ProduceStage, RequestKind, TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules


def decide(
    coordinator: Coordinator,
    log: TransactionLog,
    rules: TransactionRules,
    bounds: Bounds,
    ids: ProducerIdManager,
    request: Request,
) -> bool:
    """Begin to append the decision, and return whether the append began. Transaction version 2 gives it the next epoch.

    If that epoch is the last one, allocate the producer id that follows when the transaction completes (KIP-890).
    """
    epoch = coordinator.metadata.producer_epoch
    raises_epoch = has_version_2(rules, request.is_upgraded)
    is_last = raises_epoch and is_epoch_exhausted(bounds, epoch)
    if raises_epoch and epoch == bounds.max_producer_epoch:
        return False
    if is_last and not has_producer_ids(ids, bounds):
        return False
    next_producer_id = generate_producer_id(ids) if is_last else NO_PRODUCER_ID
    copy(log.appended, coordinator.metadata)
    prepare_abort_or_commit(log.appended, request.marker, request.is_upgraded, raises_epoch, next_producer_id)
    begin_transition(coordinator, log)
    return True


def fenced_epoch(coordinator: Coordinator, rules: TransactionRules) -> int:
    """The epoch that the coordinator has in memory when it begins to abort by itself (PREPARE_EPOCH_FENCE).

    With transaction version 2 the decision raises the epoch, as a client's decision does. With version 1 the epoch is
    raised in memory at once. If the append fails, it stays raised and must not be raised again.
    """
    epoch = coordinator.metadata.producer_epoch
    if not rules.coordinator_abort_bumps_epoch or coordinator.has_failed_epoch_fence:
        return epoch
    if has_version_2(rules, cluster_upgrade(rules)) and rules.fence_bumps_once:
        return epoch
    return epoch + 1


def fence_and_abort(
    coordinator: Coordinator,
    log: TransactionLog,
    term: int,
    rules: TransactionRules,
    bounds: Bounds,
    ids: ProducerIdManager,
) -> bool:
    """Begin to abort an ongoing transaction under the next epoch, which no client has; return whether the append began.

    The transaction version is the cluster's, also if the client has another one. With version 2 a producer id whose
    epochs are used up is replaced here, too.
    """
    metadata = coordinator.metadata
    is_version_2 = has_version_2(rules, cluster_upgrade(rules))
    epoch = fenced_epoch(coordinator, rules)
    raises_epoch = is_version_2 and rules.coordinator_abort_bumps_epoch
    if not can_append_entry(coordinator, log, term) or epoch + int(raises_epoch) > bounds.max_producer_epoch:
        return False
    rotates = is_version_2 and rules.fence_rotates_producer_id and is_epoch_exhausted(bounds, epoch)
    if rotates and not has_producer_ids(ids, bounds):
        return False
    if epoch > metadata.producer_epoch or coordinator.has_failed_epoch_fence:
        metadata.producer_epoch = epoch
        metadata.last_producer_epoch = NO_PRODUCER_EPOCH
    next_producer_id = generate_producer_id(ids) if rotates else NO_PRODUCER_ID
    copy(log.appended, metadata)
    prepare_abort_or_commit(log.appended, Marker.ABORT, cluster_upgrade(rules), raises_epoch, next_producer_id)
    begin_transition(coordinator, log)
    return True


def is_expected_producer_id(metadata: TransactionMetadata, bounds: Bounds, request: Request) -> bool:
    """Whether the producer id is the current one, or the previous one with its last epoch."""
    if metadata.producer_epoch == NO_PRODUCER_EPOCH or request.producer_id == metadata.producer_id:
        return True
    if request.producer_id != metadata.previous_producer_id:
        return False
    return is_epoch_exhausted(bounds, request.producer_epoch)


def raise_epoch(
    coordinator: Coordinator, log: TransactionLog, bounds: Bounds, ids: ProducerIdManager, request: Request
) -> Answer:
    """Begin to append the next epoch, or a new producer id if the epochs are used up.

    A client that repeats its request gets the same epoch again; but in the last epoch Kafka throws
    IllegalStateException instead, which is as fatal to the client as being fenced.
    """
    metadata = coordinator.metadata
    appended = log.appended
    is_expecting = request.producer_id != NO_PRODUCER_ID
    last_epoch = metadata.producer_epoch if is_expecting else NO_PRODUCER_EPOCH
    is_current = not is_expecting or request.producer_epoch == metadata.producer_epoch
    is_current = is_current or metadata.producer_epoch == NO_PRODUCER_EPOCH
    is_exhausted = is_epoch_exhausted(bounds, metadata.producer_epoch)
    rotates = is_current and is_exhausted
    if rotates and not has_producer_ids(ids, bounds):
        return Answer.WAIT
    if not is_current and (is_exhausted or request.producer_epoch != metadata.last_producer_epoch):
        return Answer.PRODUCER_FENCED
    copy(appended, metadata)
    if not is_current:
        prepare_repeated_epoch(appended)
    elif rotates:
        prepare_new_producer_id(appended, generate_producer_id(ids), last_epoch)
    else:
        prepare_increment_producer_epoch(appended, last_epoch)
    begin_transition(coordinator, log)
    return Answer.APPENDING


def init_producer_id(
    coordinator: Coordinator,
    log: TransactionLog,
    term: int,
    rules: TransactionRules,
    bounds: Bounds,
    ids: ProducerIdManager,
    request: Request,
) -> Answer:
    """Give the client an epoch of its own, after the transaction of an earlier client has ended.

    A new transactional id gets its producer id in memory at once, and its first epoch when the log has it.
    """
    metadata = coordinator.metadata
    if coordinator.pending_state != TransactionState.NONE or not can_append_entry(coordinator, log, term):
        return Answer.WAIT
    if metadata.state == TransactionState.NONE:
        if not has_producer_ids(ids, bounds):
            return Answer.WAIT
        metadata.producer_id = generate_producer_id(ids)
        metadata.state = TransactionState.EMPTY
    if request.producer_id != NO_PRODUCER_ID and not is_expected_producer_id(metadata, bounds, request):
        return Answer.PRODUCER_FENCED
    if metadata.state == TransactionState.ONGOING:
        return Answer.FENCING if fence_and_abort(coordinator, log, term, rules, bounds, ids) else Answer.WAIT
    if not is_idle(metadata):
        return Answer.WAIT
    return raise_epoch(coordinator, log, bounds, ids, request)


def awaits_transition(coordinator: Coordinator, rules: TransactionRules) -> bool:
    """Whether a transition is pending, after which the client's producer id and epoch may be right."""
    return rules.pending_transition_comes_first and coordinator.pending_state != TransactionState.NONE


def partitions_to_add(metadata: TransactionMetadata, rules: TransactionRules, bounds: Bounds, partition_id: int) -> Ids:
    """The partitions that join the transaction; by a faulty rule not that of the offsets, if no record was sent yet."""
    if partition_id == bounds.offsets_partition and not rules.offsets_begin_transaction:
        if metadata.partitions == Ids():
            return Ids()
    return Ids({partition_id})


def add_partition(
    coordinator: Coordinator,
    log: TransactionLog,
    term: int,
    rules: TransactionRules,
    bounds: Bounds,
    producer_id: int,
    producer_epoch: int,
    partition_id: int,
    is_upgraded: int,
) -> Answer:
    """Add a partition to the transaction, which may begin with it."""
    metadata = coordinator.metadata
    if metadata.state == TransactionState.NONE:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if awaits_transition(coordinator, rules):
        return Answer.WAIT
    if producer_id != metadata.producer_id:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if producer_epoch != metadata.producer_epoch:
        return Answer.PRODUCER_FENCED
    if coordinator.pending_state != TransactionState.NONE or is_preparing(metadata):
        return Answer.WAIT
    partitions = partitions_to_add(metadata, rules, bounds, partition_id)
    if metadata.state == TransactionState.ONGOING and partitions <= metadata.partitions:
        return Answer.NONE
    if not can_append_entry(coordinator, log, term):
        return Answer.WAIT
    copy(log.appended, metadata)
    prepare_add_partitions(log.appended, partitions, is_upgraded)
    begin_transition(coordinator, log)
    return Answer.APPENDING


def verify_partition(metadata: TransactionMetadata, producer_id: int, producer_epoch: int, partition_id: int) -> Answer:
    """Say whether the partition is in the ongoing transaction. The pending state is ignored."""
    if metadata.state == TransactionState.NONE or producer_id != metadata.producer_id:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if producer_epoch != metadata.producer_epoch:
        return Answer.PRODUCER_FENCED
    if is_preparing(metadata):
        return Answer.WAIT
    if partition_id in metadata.partitions:
        return Answer.NONE
    return Answer.TRANSACTION_ABORTABLE


def is_repeated_end(metadata: TransactionMetadata, rules: TransactionRules, bounds: Bounds, request: Request) -> bool:
    """Whether an EndTxn has the previous epoch, as a retry has after the transaction ended (transaction version 2).

    Kafka does not check that version 2 ended the transaction and so raised the epoch. So after a transaction of version
    1 it also takes the request of a client with an older epoch for a retry. With `repeated_end_is_of_version_2` it
    checks.
    """
    if not has_version_2(rules, request.is_upgraded):
        return False
    if rules.repeated_end_is_of_version_2 and not has_version_2(rules, metadata.is_upgraded):
        return False
    if request.producer_id == metadata.producer_id and request.producer_epoch + 1 == metadata.producer_epoch:
        return True
    if request.producer_id != metadata.previous_producer_id or metadata.producer_epoch != 0:
        return False
    return request.producer_epoch == bounds.max_producer_epoch - 1


def is_end_fenced(rules: TransactionRules, metadata: TransactionMetadata, request: Request, is_repeated: bool) -> bool:
    """Whether an EndTxn has an epoch that cannot end the coordinator's current transaction.

    With transaction version 2 the decision has already raised the epoch: only the request that caused the decision has
    the previous epoch, and a request with the next epoch must come after the transaction has completed.
    """
    if is_repeated:
        return decision_of(metadata) == Marker.NONE
    if request.producer_epoch != metadata.producer_epoch:
        return True
    return is_preparing(metadata) and has_version_2(rules, request.is_upgraded)


def end_decided(rules: TransactionRules, metadata: TransactionMetadata, request: Request) -> Answer:
    """The answer to an EndTxn of a transaction that is decided already."""
    if decision_of(metadata) != request.marker:
        return Answer.INVALID_TXN_STATE
    if is_preparing(metadata):
        return Answer.WAIT
    return Answer.NONE if rules.repeated_end_is_answered else Answer.INVALID_TXN_STATE


def end_repeated(rules: TransactionRules, metadata: TransactionMetadata, request: Request) -> Answer:
    """The answer to an EndTxn of the previous epoch.

    A client repeats the decision that it has made. So if its commit meets an aborted transaction, the coordinator has
    aborted it by itself, and by the new rule says so.
    """
    if rules.commit_after_abort_is_fenced and request.marker == Marker.COMMIT:
        if metadata.state == TransactionState.COMPLETE_ABORT:
            return Answer.PRODUCER_FENCED
    return end_decided(rules, metadata, request)


def end_txn(
    coordinator: Coordinator,
    log: TransactionLog,
    term: int,
    rules: TransactionRules,
    bounds: Bounds,
    ids: ProducerIdManager,
    request: Request,
) -> Answer:
    """Decide the transaction, or say how it was decided."""
    metadata = coordinator.metadata
    is_repeated = is_repeated_end(metadata, rules, bounds, request)
    if metadata.state == TransactionState.NONE:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if has_version_2(rules, request.is_upgraded) and awaits_transition(coordinator, rules):
        return Answer.WAIT
    if request.producer_id != metadata.producer_id and not is_repeated:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if is_end_fenced(rules, metadata, request, is_repeated):
        return Answer.PRODUCER_FENCED
    if coordinator.pending_state != TransactionState.NONE:
        return Answer.WAIT
    if is_repeated:
        return end_repeated(rules, metadata, request)
    if metadata.state != TransactionState.ONGOING:
        is_version_2 = has_version_2(rules, request.is_upgraded)
        if not is_version_2 and metadata.state != TransactionState.EMPTY:
            return end_decided(rules, metadata, request)
        if not is_version_2 or request.marker == Marker.COMMIT:
            return Answer.INVALID_TXN_STATE
    if not can_append_entry(coordinator, log, term):
        return Answer.WAIT
    return Answer.APPENDING if decide(coordinator, log, rules, bounds, ids, request) else Answer.WAIT


def answer_of(
    coordinator: Coordinator,
    log: TransactionLog,
    term: int,
    rules: TransactionRules,
    bounds: Bounds,
    ids: ProducerIdManager,
    request: Request,
) -> Answer:
    """Handle a request in the coordinator of that term."""
    if request.kind == RequestKind.INIT_PRODUCER_ID:
        return init_producer_id(coordinator, log, term, rules, bounds, ids, request)
    if request.kind == RequestKind.ADD_PARTITIONS_TO_TXN:
        return add_partition(
            coordinator,
            log,
            term,
            rules,
            bounds,
            request.producer_id,
            request.producer_epoch,
            request.partition,
            request.is_upgraded,
        )
    return end_txn(coordinator, log, term, rules, bounds, ids, request)


def handle_request(
    coordinator: Coordinator,
    log: TransactionLog,
    term: int,
    rules: TransactionRules,
    bounds: Bounds,
    ids: ProducerIdManager,
    request: Request,
) -> Answer:
    """Handle a client's request; the response, if there is one, takes the request's place in the slot."""
    if not coordinator.is_serving:
        return Answer.WAIT
    answer = answer_of(coordinator, log, term, rules, bounds, ids, request)
    if answer == Answer.APPENDING:
        request.is_waiting = True
    elif answer == Answer.NONE:
        respond(request, coordinator.metadata)
    return answer


def respond(request: Request, metadata: TransactionMetadata) -> None:
    """Put the producer id and epoch that the client has from now on into the slot of its request."""
    request.producer_id = metadata.producer_id
    request.producer_epoch = metadata.producer_epoch
    if request.kind == RequestKind.END_TXN and metadata.next_producer_id != NO_PRODUCER_ID:
        request.producer_id = metadata.next_producer_id
        request.producer_epoch = 0


def handle_verification(
    coordinator: Coordinator, log: TransactionLog, term: int, rules: TransactionRules, bounds: Bounds, produce: Produce
) -> Answer:
    """Answer a leader that asks about a batch: with transaction version 2, add the partition to the transaction."""
    if not coordinator.is_serving:
        return Answer.WAIT
    batch = produce.batch
    if has_version_2(rules, produce.is_upgraded):
        answer = add_partition(
            coordinator,
            log,
            term,
            rules,
            bounds,
            batch.producer_id,
            batch.producer_epoch,
            produce.partition,
            produce.is_upgraded,
        )
    else:
        answer = verify_partition(coordinator.metadata, batch.producer_id, batch.producer_epoch, produce.partition)
    if answer == Answer.NONE:
        produce.stage = ProduceStage.VERIFIED
    return answer


def abort_timed_out(
    coordinator: Coordinator,
    log: TransactionLog,
    term: int,
    rules: TransactionRules,
    bounds: Bounds,
    ids: ProducerIdManager,
) -> bool:
    """Abort a transaction that exceeds the timeout that its client asked for.

    Who: the coordinator.
    When: the transaction is ongoing, and nothing is pending.
    Effect: the abort is appended, under the next epoch.
    Source: TransactionCoordinator.abortTimedOutTransactions; `transaction.timeout.ms`; KAFKA-6119.
    """
    if coordinator.metadata.state != TransactionState.ONGOING:
        return False
    if coordinator.pending_state != TransactionState.NONE:
        return False
    return fence_and_abort(coordinator, log, term, rules, bounds, ids)


def remove_transactional_id(coordinator: Coordinator, log: TransactionLog, term: int) -> bool:
    """Begin to remove an idle transactional id (DEAD, and then a tombstone); return whether the append began."""
    if not is_idle(coordinator.metadata) or coordinator.pending_state != TransactionState.NONE:
        return False
    if not can_append_entry(coordinator, log, term):
        return False
    copy(log.appended, coordinator.metadata)
    log.appended.state = TransactionState.DEAD
    begin_transition(coordinator, log)
    return True
