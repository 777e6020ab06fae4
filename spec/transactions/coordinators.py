"""How transaction coordinators answer requests and append entries, according to Kafka's state tables.

Part of Kafka judged: `impl/coordinator`, by its records only.
Source: KIP-98, KIP-360, KIP-890; apache/kafka `TransactionCoordinator` (`endTransaction`, `handleInitProducerId`,
`handleAddPartitionsToTransaction`).
Left out, and why that is sound: that a request is eventually answered, which only liveness can say.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.records import Coordinator, TransactionMetadata
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.transactions.constants import Answer, ProducerState, ProduceStage, RequestKind, TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State, TransactionalId


def is_of_version_2(rules: TransactionRules, is_upgraded: int) -> bool:
    """Whether a request is of transaction version 2."""
    return rules.transaction_version == 2 or is_upgraded == 1


def is_preparing(state: TransactionState) -> bool:
    """Whether a transaction in that state is decided, and its markers are being written."""
    return state == TransactionState.PREPARE_COMMIT or state == TransactionState.PREPARE_ABORT


def is_complete(state: TransactionState) -> bool:
    """Whether a transaction in that state has ended."""
    return state == TransactionState.COMPLETE_COMMIT or state == TransactionState.COMPLETE_ABORT


def ends_with(state: TransactionState) -> Marker:
    """How a transaction in that state was decided."""
    if state == TransactionState.PREPARE_COMMIT or state == TransactionState.COMPLETE_COMMIT:
        return Marker.COMMIT
    if state == TransactionState.PREPARE_ABORT or state == TransactionState.COMPLETE_ABORT:
        return Marker.ABORT
    return Marker.NONE


def is_exhausted(producer_epoch: int, bounds: Bounds) -> bool:
    """Whether no client may have a higher epoch."""
    return producer_epoch >= bounds.max_producer_epoch - 1


def is_of_present_epoch(metadata: TransactionMetadata, producer_id: int, producer_epoch: int) -> bool:
    """Whether the producer is the current one."""
    return metadata.producer_id == producer_id and metadata.producer_epoch == producer_epoch


def is_of_former_epoch(
    rules: TransactionRules, metadata: TransactionMetadata, request: Request, bounds: Bounds
) -> bool:
    """Whether an EndTxn has the previous epoch, which may be the last epoch of the previous producer id.

    With `repeated_end_is_of_version_2` it does not count after a transaction of version 1, which leaves the epoch as it
    was.
    """
    if rules.repeated_end_is_of_version_2 and not is_of_version_2(rules, metadata.is_upgraded):
        return False
    if request.producer_id == metadata.producer_id:
        return request.producer_epoch == metadata.producer_epoch - 1
    is_last = request.producer_epoch == bounds.max_producer_epoch - 1
    return is_last and request.producer_id == metadata.previous_producer_id and metadata.producer_epoch == 0


def due_end_of_version_1(metadata: TransactionMetadata, pending: TransactionState, request: Request) -> Answer:
    """The answer due to a version 1 EndTxn of a known transactional id."""
    if metadata.producer_id != request.producer_id:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if metadata.producer_epoch != request.producer_epoch:
        return Answer.PRODUCER_FENCED
    if pending != TransactionState.NONE:
        return Answer.WAIT
    if metadata.state == TransactionState.ONGOING:
        return Answer.APPENDING
    if ends_with(metadata.state) != request.marker:
        return Answer.INVALID_TXN_STATE
    return Answer.NONE if is_complete(metadata.state) else Answer.WAIT


def due_end_of_version_2(
    rules: TransactionRules, metadata: TransactionMetadata, pending: TransactionState, request: Request, bounds: Bounds
) -> Answer:
    """The answer due to a version 2 EndTxn of a known transactional id; every such EndTxn raises the epoch."""
    if pending != TransactionState.NONE:
        return Answer.WAIT
    is_present = is_of_present_epoch(metadata, request.producer_id, request.producer_epoch)
    is_former = is_of_former_epoch(rules, metadata, request, bounds)
    if metadata.producer_id != request.producer_id and not is_former:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    is_fit = is_present
    if is_preparing(metadata.state):
        is_fit = is_former
    elif is_complete(metadata.state):
        is_fit = is_present or is_former
    if not is_fit:
        return Answer.PRODUCER_FENCED
    if metadata.state == TransactionState.ONGOING:
        return Answer.APPENDING
    if is_former:
        if ends_with(metadata.state) != request.marker:
            is_aborted = metadata.state == TransactionState.COMPLETE_ABORT
            is_named = rules.commit_after_abort_is_fenced and is_aborted
            return Answer.PRODUCER_FENCED if is_named else Answer.INVALID_TXN_STATE
        return Answer.NONE if is_complete(metadata.state) else Answer.WAIT
    return Answer.APPENDING if request.marker == Marker.ABORT else Answer.INVALID_TXN_STATE


def due_init(metadata: TransactionMetadata, request: Request, bounds: Bounds) -> Answer:
    """The answer due to an InitProducerId while nothing is pending."""
    is_named = request.producer_id != NO_PRODUCER_ID
    if metadata.state == TransactionState.NONE:
        return Answer.APPENDING
    is_new = metadata.producer_epoch == NO_PRODUCER_EPOCH
    if is_named and not is_new and request.producer_id != metadata.producer_id:
        if request.producer_id != metadata.previous_producer_id:
            return Answer.PRODUCER_FENCED
        if not is_exhausted(request.producer_epoch, bounds):
            return Answer.PRODUCER_FENCED
    if metadata.state == TransactionState.ONGOING or is_preparing(metadata.state):
        return Answer.WAIT
    if not is_named or is_new or request.producer_epoch == metadata.producer_epoch:
        return Answer.APPENDING
    is_last = is_exhausted(metadata.producer_epoch, bounds)
    is_repeated = request.producer_epoch == metadata.last_producer_epoch and not is_last
    return Answer.APPENDING if is_repeated else Answer.PRODUCER_FENCED


def due_add(metadata: TransactionMetadata, pending: TransactionState, request: Request) -> Answer:
    """The answer due to an AddPartitionsToTxn."""
    if metadata.state == TransactionState.NONE:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if pending != TransactionState.NONE:
        return Answer.WAIT
    if metadata.producer_id != request.producer_id:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if metadata.producer_epoch != request.producer_epoch:
        return Answer.PRODUCER_FENCED
    if is_preparing(metadata.state):
        return Answer.WAIT
    if metadata.state == TransactionState.ONGOING and request.partition in metadata.partitions:
        return Answer.NONE
    return Answer.APPENDING


def due_answer(rules: TransactionRules, bounds: Bounds, coordinator: Coordinator, request: Request) -> Answer:
    """The answer due from a coordinator; `WAIT` if the client must ask again."""
    metadata = coordinator.metadata
    if request.kind == RequestKind.ADD_PARTITIONS_TO_TXN:
        return due_add(metadata, coordinator.pending_state, request)
    if request.kind == RequestKind.INIT_PRODUCER_ID:
        is_pending = coordinator.pending_state != TransactionState.NONE
        return Answer.WAIT if is_pending else due_init(metadata, request, bounds)
    if metadata.state == TransactionState.NONE:
        return Answer.INVALID_PRODUCER_ID_MAPPING
    if is_of_version_2(rules, request.is_upgraded):
        return due_end_of_version_2(rules, metadata, coordinator.pending_state, request, bounds)
    return due_end_of_version_1(metadata, coordinator.pending_state, request)


def is_taken(before: Request, after: Request) -> bool:
    """Whether a coordinator has taken the request in this step."""
    if before.kind == RequestKind.NONE or before.is_waiting:
        return False
    return after.is_waiting or after.kind != before.kind


def is_answered_so(before: State, after: State, rules: TransactionRules, client_id: int, due: Answer) -> bool:
    """Whether a live client whose request was taken in this step got the answer `due`."""
    if after.requests[client_id].is_waiting:
        return due == Answer.APPENDING
    was = before.clients[client_id]
    now = after.clients[client_id].state
    if due == Answer.NONE:
        return now != ProducerState.FATAL_ERROR and now != ProducerState.ABORTABLE_ERROR
    if due == Answer.WAIT or due == Answer.APPENDING:
        return False
    if due == Answer.INVALID_PRODUCER_ID_MAPPING and was.state == ProducerState.IN_TRANSACTION:
        if not rules.unmapped_id_is_fatal:
            return now == ProducerState.ABORTABLE_ERROR
    if was.state == ProducerState.COMMITTING:
        told = Marker.ABORT if due == Answer.INVALID_TXN_STATE else before.transactions[was.transaction].told
        if after.transactions[was.transaction].told != told:
            return False
    elif was.state == ProducerState.ABORTING:
        if after.transactions[was.transaction].told != before.transactions[was.transaction].told:
            return False
    return now == ProducerState.FATAL_ERROR


def fits(before: State, after: State, rules: TransactionRules, bounds: Bounds, request_id: int, term: int) -> bool:
    """Whether the coordinator of that term may have handled the request as this step did."""
    request = before.requests[request_id]
    transactional = before.transactional_ids[request.transactional_id]
    if not transactional.coordinators[term].is_serving:
        return False
    due = due_answer(rules, bounds, transactional.coordinators[term], request)
    is_begun = after.transactional_ids[request.transactional_id].log.is_appended and not transactional.log.is_appended
    if due == Answer.WAIT or is_begun != (due == Answer.APPENDING):
        return False
    if request_id >= len(before.clients):
        return True
    if before.clients[request_id].state == ProducerState.FATAL_ERROR:
        return True
    return is_answered_so(before, after, rules, request_id, due)


def coordinators_answer_by_their_state(before: State, after: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """A serving coordinator handles a request as the transaction's state and the request's producer demand.

    Lost if it fails: a retry takes effect twice; a request of a replaced producer takes effect; or a correct producer
    has to stop.
    Source: `TransactionCoordinator.endTransaction`, `prepareInitProducerIdTransit`, `handleAddPartitionsToTransaction`.
    """
    for request_id, request in enumerate(before.requests):
        if is_taken(request, after.requests[request_id]):
            transactional = before.transactional_ids[request.transactional_id]
            is_fit = False
            for term in range(len(transactional.coordinators)):
                if fits(before, after, rules, bounds, request_id, term):
                    is_fit = True
            if not is_fit:
                return False
    return True


def follows_init(
    before: State, transactional: TransactionalId, request: Request, appended: TransactionMetadata, bounds: Bounds
) -> bool:
    """Whether an InitProducerId leads to the entry: the next epoch, or epoch 0 of a new producer id.

    A client that repeats its request, because it has not heard of its epoch, gets the same one again.
    """
    metadata = transactional.coordinators[transactional.log.coordinator_epoch].metadata
    is_known = metadata.state != TransactionState.NONE
    is_named = request.producer_id != NO_PRODUCER_ID
    is_new = metadata.producer_epoch == NO_PRODUCER_EPOCH
    if is_named and not is_new and request.producer_epoch != metadata.producer_epoch:
        is_same = is_of_present_epoch(appended, metadata.producer_id, metadata.producer_epoch)
        return is_same and appended.last_producer_epoch == metadata.last_producer_epoch
    last_epoch = metadata.producer_epoch if is_named and is_known else NO_PRODUCER_EPOCH
    if appended.state != TransactionState.EMPTY or appended.last_producer_epoch != last_epoch:
        return False
    if is_known and not is_exhausted(metadata.producer_epoch, bounds):
        return is_of_present_epoch(appended, metadata.producer_id, metadata.producer_epoch + 1)
    return is_of_present_epoch(appended, before.producer_ids.next_producer_id, 0)


def follows_end(
    before: State, transactional: TransactionalId, appended: TransactionMetadata, is_version_2: bool, bounds: Bounds
) -> bool:
    """Whether an EndTxn leads to the entry: with version 2 the next epoch, and after the last epoch a new id."""
    metadata = transactional.coordinators[transactional.log.coordinator_epoch].metadata
    if appended.partitions != metadata.partitions or appended.producer_id != metadata.producer_id:
        return False
    if not is_version_2:
        return appended.producer_epoch == metadata.producer_epoch and appended.next_producer_id == NO_PRODUCER_ID
    if (
        appended.producer_epoch != metadata.producer_epoch + 1
        or appended.last_producer_epoch != metadata.producer_epoch
    ):
        return False
    is_last = is_exhausted(metadata.producer_epoch, bounds)
    return appended.next_producer_id == (before.producer_ids.next_producer_id if is_last else NO_PRODUCER_ID)


def appended_entries_follow_requests(before: State, after: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """An entry appended for a request has the epoch, the producer id and the decision that the request leads to.

    Lost if it fails: two producers have one epoch; or a decision differs from the one that was asked for.
    Source: `TransactionMetadata` (`prepareIncrementProducerEpoch`, `prepareAbortOrCommit`).
    """
    for request_id, request in enumerate(before.requests):
        transactional = before.transactional_ids[request.transactional_id]
        appended = after.transactional_ids[request.transactional_id].log.appended
        is_begun = (
            after.transactional_ids[request.transactional_id].log.is_appended and not transactional.log.is_appended
        )
        if is_begun and is_taken(request, after.requests[request_id]):
            if request.kind == RequestKind.INIT_PRODUCER_ID:
                if not follows_init(before, transactional, request, appended, bounds):
                    return False
            elif request.kind == RequestKind.END_TXN:
                if ends_with(appended.state) != request.marker or not is_preparing(appended.state):
                    return False
                if not follows_end(
                    before, transactional, appended, is_of_version_2(rules, request.is_upgraded), bounds
                ):
                    return False
    return True


def is_in_transaction(metadata: TransactionMetadata, produce: Produce) -> bool:
    """Whether the batch is of the current producer, and its partition is in the transaction."""
    if metadata.state != TransactionState.ONGOING or produce.partition not in metadata.partitions:
        return False
    return is_of_present_epoch(metadata, produce.batch.producer_id, produce.batch.producer_epoch)


def is_out_of_transaction(metadata: TransactionMetadata, produce: Produce, is_version_2: bool) -> bool:
    """Whether a verification is refused for good: another producer, or with version 1 another partition."""
    if metadata.state == TransactionState.NONE:
        return True
    if not is_of_present_epoch(metadata, produce.batch.producer_id, produce.batch.producer_epoch):
        return True
    return not is_version_2 and not is_preparing(metadata.state) and produce.partition not in metadata.partitions


def verifications_are_true(before: State, after: State, rules: TransactionRules) -> bool:
    """A batch is verified only if a serving coordinator has its transaction, and refused only if one does not have it.

    Lost if it fails: a batch is stored and no marker ends it; or a valid transaction fails.
    Source: TransactionCoordinator.handleVerifyPartitionsInTransaction; KIP-890.
    """
    for produce_id, produce in enumerate(before.produces):
        stage = after.produces[produce_id].stage
        is_given_up = before.budget.delays != after.budget.delays
        if produce.stage == ProduceStage.VERIFYING and stage != ProduceStage.VERIFYING and not is_given_up:
            transactional = before.transactional_ids[produce.transactional_id]
            is_version_2 = is_of_version_2(rules, produce.is_upgraded)
            is_true = False
            for term in range(len(transactional.coordinators)):
                if transactional.coordinators[term].is_serving:
                    metadata = transactional.coordinators[term].metadata
                    if stage == ProduceStage.VERIFIED and is_in_transaction(metadata, produce):
                        is_true = True
                    if stage == ProduceStage.IDLE and is_out_of_transaction(metadata, produce, is_version_2):
                        is_true = True
            if not is_true:
                return False
    return True


def grows_by_batch(before: State, rules: TransactionRules, transactional_id: int, partitions: Ids) -> bool:
    """Whether a version 2 batch that is being verified adds one of the partitions to the transaction."""
    return any(
        is_of_version_2(rules, produce.is_upgraded) and produce.partition in partitions
        for produce in before.produces
        if produce.stage == ProduceStage.VERIFYING and produce.transactional_id == transactional_id
    )


def transactions_grow_by_request(before: State, after: State, rules: TransactionRules) -> bool:
    """A partition joins a transaction only if a client adds it or, with version 2, sends a batch to it.

    Lost if it fails: a transaction begins that its client does not know, and does not end.
    Source: KIP-890 (`addOrVerifyTransaction`).
    """
    for transactional_id, was in enumerate(before.transactional_ids):
        now = after.transactional_ids[transactional_id]
        if now.log.is_appended and not was.log.is_appended and now.log.appended.state == TransactionState.ONGOING:
            is_asked = grows_by_batch(before, rules, transactional_id, now.log.appended.partitions)
            for request_id, request in enumerate(before.requests):
                if request.kind == RequestKind.ADD_PARTITIONS_TO_TXN and request.transactional_id == transactional_id:
                    if is_taken(request, after.requests[request_id]):
                        is_asked = True
            if not is_asked:
                return False
    return True


def answers_follow_appends(before: State, after: State) -> bool:
    """A request that waits for an append is answered only when its own transactional id's append is committed.

    Lost if it fails: a client hears of a change that the log does not have.
    Source: TransactionStateManager.appendTransactionToLog (`responseCallback`).
    """
    for client_id in range(len(before.clients)):
        request = before.requests[client_id]
        if request.is_waiting and after.requests[client_id].kind != request.kind:
            was = before.transactional_ids[request.transactional_id]
            if not was.log.is_appended or after.transactional_ids[request.transactional_id].log.is_appended:
                return False
    return True


def completions_bring_the_next_id(before: State, after: State) -> bool:
    """When a transaction in the last epoch completes, the producer id that was allocated for that takes over.

    Lost if it fails: the client goes on with an id that its coordinator does not know, and is refused.
    Source: `TransactionMetadata.prepareComplete`; KIP-890, KAFKA-20310.
    """
    for was, now in zip(before.transactional_ids, after.transactional_ids):
        if now.log.is_appended and not was.log.is_appended and is_complete(now.log.appended.state):
            next_id = was.log.entry.next_producer_id
            if next_id != NO_PRODUCER_ID and not is_of_present_epoch(now.log.appended, next_id, 0):
                return False
            if next_id == NO_PRODUCER_ID and now.log.appended.producer_id != was.log.entry.producer_id:
                return False
    return True


def clients_go_on_as_they_were_told(before: State, after: State, rules: TransactionRules) -> bool:
    """With version 2 a client whose transaction has ended goes on with the next producer id and epoch.

    Lost if it fails: its next requests are refused, or count as a part of the previous transaction.
    Source: `EndTxnResponse` (`producerId`, `producerEpoch`); KIP-890.
    """
    for client_id in range(len(before.clients)):
        request = before.requests[client_id]
        client = after.clients[client_id]
        is_ended = request.kind == RequestKind.END_TXN and after.requests[client_id].kind != RequestKind.END_TXN
        is_living = client.state == ProducerState.READY or client.state == ProducerState.INITIALIZING
        if is_ended and is_living and is_of_version_2(rules, request.is_upgraded):
            entry = after.transactional_ids[request.transactional_id].log.entry
            producer_id = entry.producer_id
            producer_epoch = entry.producer_epoch
            if entry.next_producer_id != NO_PRODUCER_ID:
                producer_id = entry.next_producer_id
                producer_epoch = 0
            if client.producer_id != producer_id or client.producer_epoch != producer_epoch:
                return False
    return True


def marking_coordinators_await_completion(state: State) -> bool:
    """A coordinator that waits for markers has the completion pending, even if an append fails.

    Lost if it fails: another request comes between the decision and its completion.
    Source: TransactionMarkerChannelManager.maybeWriteTxnCompletion; `TransactionMetadata.prepareComplete`.
    """
    return all(
        is_complete(coordinator.pending_state)
        for transactional in state.transactional_ids
        for coordinator in transactional.coordinators
        if coordinator.is_marking
    )


def failed_fences_raised_the_epoch(before: State, after: State) -> bool:
    """A coordinator takes an append for a failed fence only if it has a higher epoch in memory than the log has.

    Lost if it fails: the next fence does not raise the epoch, and the client that it should keep out goes on.
    Source: `TransactionMetadata.hasFailedEpochFence`; KAFKA-8803.
    """
    for transactional_id, transactional in enumerate(after.transactional_ids):
        for term, now in enumerate(transactional.coordinators):
            was = before.transactional_ids[transactional_id].coordinators[term]
            if now.has_failed_epoch_fence and not was.has_failed_epoch_fence:
                if now.metadata.producer_epoch <= transactional.log.entry.producer_epoch:
                    return False
    return True


def only_marking_coordinators_count_markers(before: State, after: State) -> bool:
    """A coordinator that waits for no markers does not count markers that are written anyway.

    Lost if it fails: a marker of one transaction counts for the next one, which completes without its own marker.
    Source: TransactionMarkerRequestCompletionHandler; KAFKA-10080.
    """
    for transactional_id, transactional in enumerate(before.transactional_ids):
        for term, was in enumerate(transactional.coordinators):
            now = after.transactional_ids[transactional_id].coordinators[term]
            if was.is_serving and now.is_serving and not was.is_marking and not now.is_marking:
                if was.unmarked != now.unmarked:
                    return False
    return True
