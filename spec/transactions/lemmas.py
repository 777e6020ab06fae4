"""Facts that coordinators, partitions and producers rely on: invariants that prove transactions for all states.

Every action of the models that list a lemma preserves it. The action may begin in any well-typed state in which all
lemmas hold, reachable or not. The search confirms that each lemma holds in every reachable state (`check --lemmas`).

Part of Kafka judged: `impl/transactions`, `impl/coordinator` and `impl/client`, by their records only.
Source: this project's, after KIP-98 and KIP-890.
Left out, and why that is sound: appends to the transaction log whose outcome is unknown, producers that a partition
has forgotten, cleaned logs and groups; `spec/PROOFS.md` lists all that is not proved. An omission in one lemma cannot
make another one true.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.client.transactional_records import Client
from kafkacheck.impl.coordinator.records import Coordinator, TransactionMetadata
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.records import PartitionLog
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.transactions.constants import (
    NO_PARTITION,
    NO_TRANSACTION,
    ProducerState,
    ProduceStage,
    RequestKind,
    TransactionState,
    Upgrade,
)
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions.steps import may_follow


def has_transaction(client: Client) -> bool:
    """Whether the application has begun a transaction, and does not yet know how it ended."""
    if client.state == ProducerState.IN_TRANSACTION or client.state == ProducerState.ABORTABLE_ERROR:
        return True
    return client.state == ProducerState.COMMITTING or client.state == ProducerState.ABORTING


def producers_have_ids(state: State) -> bool:
    """A producer in a transaction knows which one it is; like a ready one it has a producer id and an epoch.

    Why: only a ready producer begins a transaction, and the coordinator's answer makes it ready.
    Source: `TransactionManager.State`; KIP-98.
    """
    for client in state.clients:
        if has_transaction(client) and client.transaction == NO_TRANSACTION:
            return False
        if has_transaction(client) or client.state == ProducerState.READY:
            if client.producer_id == NO_PRODUCER_ID or client.producer_epoch == NO_PRODUCER_EPOCH:
                return False
    return True


def transactions_have_inputs(state: State) -> bool:
    """If a transaction is made from an input, that input exists.

    Why: an application takes the input at its position, if there is one.
    Source: `KafkaConsumer.poll`.
    """
    return all(
        state.transactions[transaction].input_offset < len(state.processed) - 1
        for transaction in range(len(state.transactions))
    )


def is_asked_by(request: Request, client: Client) -> bool:
    """Whether the client is in a state in which it may have sent that request."""
    if client.state == ProducerState.FATAL_ERROR:
        return True
    if request.kind == RequestKind.INIT_PRODUCER_ID:
        return client.state == ProducerState.INITIALIZING
    if request.kind == RequestKind.ADD_PARTITIONS_TO_TXN:
        return client.state == ProducerState.IN_TRANSACTION
    return client.state == ProducerState.COMMITTING or client.state == ProducerState.ABORTING


def leads_to(kind: RequestKind, appended: TransactionState) -> bool:
    """Whether a request of that kind waits for an entry in that state."""
    if kind == RequestKind.INIT_PRODUCER_ID:
        return appended == TransactionState.EMPTY
    if kind == RequestKind.ADD_PARTITIONS_TO_TXN:
        return appended == TransactionState.ONGOING
    return appended == TransactionState.PREPARE_COMMIT or appended == TransactionState.PREPARE_ABORT


def requests_fit_their_clients(state: State) -> bool:
    """A client that awaits an answer is in a state to use it; a waiting request waits for the entry that it led to.

    Why: a client does nothing else while it awaits an answer, and one entry is appended at a time.
    Source: `TransactionManager` (one request in flight); `TransactionCoordinator` (CONCURRENT_TRANSACTIONS).
    """
    for request_id, request in enumerate(state.requests):
        if request.kind == RequestKind.ADD_PARTITIONS_TO_TXN and request.partition == NO_PARTITION:
            return False
        if request.kind == RequestKind.NONE:
            if request.is_waiting:
                return False
        elif request_id < len(state.clients) and not is_asked_by(request, state.clients[request_id]):
            return False
        if request.is_waiting:
            if request_id >= len(state.clients):
                return False
            transactional = state.transactional_ids[request.transactional_id]
            if not transactional.log.is_appended or not leads_to(request.kind, transactional.log.appended.state):
                return False
    return True


def one_request_at_a_time(state: State) -> bool:
    """A client that awaits a produce response is in a transaction, unless it stopped, and awaits no other response.

    Why: a transactional producer ends its transaction, or adds a partition, only when no batch is in flight.
    Source: `TransactionManager.nextRequest`, `Sender.maybeSendAndPollTransactionalRequest`.
    """
    return all(
        not (client.state != ProducerState.IN_TRANSACTION and client.state != ProducerState.FATAL_ERROR)
        and state.requests[client_id].kind == RequestKind.NONE
        for client_id, client in enumerate(state.clients)
        if state.produces[client_id].stage != ProduceStage.IDLE
    )


def produce_requests_are_transactional(state: State) -> bool:
    """A produce request names its partition, and its batch names the producer id and epoch of a transaction.

    Why: a producer sends only in a transaction, in which it has both.
    Source: `Sender.sendProduceRequest`; KIP-98.
    """
    for produce in state.produces:
        batch = produce.batch
        if batch.marker != Marker.NONE:
            return False
        if produce.stage != ProduceStage.IDLE:
            if produce.partition == NO_PARTITION or batch.is_transactional == 0:
                return False
            if batch.producer_id == NO_PRODUCER_ID or batch.producer_epoch == NO_PRODUCER_EPOCH:
                return False
    return True


def is_well_formed(metadata: TransactionMetadata) -> bool:
    """Whether an entry has a producer id and an epoch if, and only if, its transactional id is known."""
    is_known = metadata.state != TransactionState.NONE
    if not is_known and (metadata.partitions != Ids() or metadata.next_producer_id != NO_PRODUCER_ID):
        return False
    if is_known != (metadata.producer_id != NO_PRODUCER_ID) or is_known != (
        metadata.producer_epoch != NO_PRODUCER_EPOCH
    ):
        return False
    return metadata.state != TransactionState.PREPARE_EPOCH_FENCE


def is_new(metadata: TransactionMetadata) -> bool:
    """Whether a coordinator has only the producer id of a transactional id that the log does not have."""
    if metadata.state != TransactionState.EMPTY or metadata.producer_epoch != NO_PRODUCER_EPOCH:
        return False
    if metadata.partitions != Ids() or metadata.next_producer_id != NO_PRODUCER_ID:
        return False
    return metadata.producer_id != NO_PRODUCER_ID


def well_formed_metadata(state: State) -> bool:
    """A known id has a producer id and an epoch; raising an epoch and removing an id are only ever pending.

    Why: the log gets producer id and epoch at once; a coordinator has the producer id of a new transactional id in
    memory earlier. An abort follows a raised epoch, and a tombstone follows the removal of an id.
    Source: `TransactionMetadata`; `TransactionStateManager.removeExpiredTransactionalIds`.
    """
    for transactional in state.transactional_ids:
        if not is_well_formed(transactional.log.entry) or transactional.log.entry.state == TransactionState.DEAD:
            return False
        if not is_well_formed(transactional.log.appended):
            return False
        if transactional.log.is_appended != (transactional.log.appended.state != TransactionState.NONE):
            return False
        for term in range(len(transactional.coordinators)):
            metadata = transactional.coordinators[term].metadata
            if not is_well_formed(metadata) and not is_new(metadata):
                return False
            if metadata.state == TransactionState.DEAD:
                return False
    return True


def newest_coordinator_serves(state: State) -> bool:
    """The newest term's coordinator serves, no later one does, and a coordinator that does not serve has no memory.

    Why: a term begins with loading the transaction log, and ends with unloading it.
    Source: `TransactionCoordinator.onElection`, `onResignation`.
    """
    for transactional in state.transactional_ids:
        if transactional.log.coordinator_epoch + state.budget.failovers >= len(transactional.coordinators):
            return False
        for term, coordinator in enumerate(transactional.coordinators):
            if term == transactional.log.coordinator_epoch and not coordinator.is_serving:
                return False
            if term > transactional.log.coordinator_epoch and coordinator.is_serving:
                return False
            if not coordinator.is_serving:
                if coordinator.metadata.state != TransactionState.NONE or coordinator.is_marking:
                    return False
                if coordinator.pending_state != TransactionState.NONE:
                    return False
    return True


def is_consistent(coordinator: Coordinator) -> bool:
    """Whether the pending state may come next, and is the completion if a transaction is decided."""
    state = coordinator.metadata.state
    pending = coordinator.pending_state
    if pending != TransactionState.NONE and not may_follow(state, pending):
        return False
    is_decided = state == TransactionState.PREPARE_COMMIT or state == TransactionState.PREPARE_ABORT
    if is_decided and pending == TransactionState.NONE:
        return False
    return is_decided or not coordinator.is_marking


def pending_states_may_follow(state: State) -> bool:
    """A pending state may come next; after a decision it is the completion, and markers are awaited only then.

    Why: a coordinator begins a transition only from a valid previous state, and one at a time; with a decision it
    begins the completion at once.
    Source: `TransactionMetadata.prepareTransitionTo`, `prepareComplete`.
    """
    return all(
        is_consistent(coordinator)
        for transactional in state.transactional_ids
        for coordinator in transactional.coordinators
    )


def is_copy(metadata: TransactionMetadata, entry: TransactionMetadata) -> bool:
    """Whether the memory agrees with the log, except for an epoch that may have been raised since, or a new id."""
    if entry.state == TransactionState.NONE and is_new(metadata):
        return True
    if metadata.state != entry.state or metadata.producer_id != entry.producer_id:
        return False
    if metadata.partitions != entry.partitions or metadata.next_producer_id != entry.next_producer_id:
        return False
    return metadata.producer_epoch >= entry.producer_epoch


def memory_matches_transaction_log(state: State) -> bool:
    """The newest coordinator's memory agrees with the log; it awaits the appended entry, whose epoch is not older.

    Why: it loads the log, and applies each append when that is committed. Only its own abort raises the epoch in memory
    earlier, and a new id is in memory while its first entry is appended.
    Source: `TransactionStateManager.appendTransactionToLog`; KAFKA-6119.
    """
    for transactional in state.transactional_ids:
        coordinator = transactional.coordinators[transactional.log.coordinator_epoch]
        metadata = coordinator.metadata
        if not is_copy(metadata, transactional.log.entry):
            return False
        if is_new(metadata) and coordinator.pending_state != TransactionState.EMPTY:
            return False
        if is_new(metadata) and not transactional.log.is_appended:
            return False
        if transactional.log.is_appended:
            if coordinator.pending_state != transactional.log.appended.state:
                return False
            if transactional.log.appended.producer_id == metadata.producer_id:
                if transactional.log.appended.producer_epoch < metadata.producer_epoch:
                    return False
        elif metadata.producer_epoch != transactional.log.entry.producer_epoch:
            return False
    return True


def is_given(state: State, producer_id: int) -> bool:
    """Whether this is no producer id, or one that was given out."""
    return producer_id < state.producer_ids.next_producer_id


def producer_ids_are_new(state: State) -> bool:
    """Every producer id in use was given out, so a new one is unused; the next one is not the current one.

    Why: producer ids are given in order, from blocks that the controller hands out once.
    Source: `ProducerIdManager`; KIP-890 (the next producer id).
    """
    for transactional in state.transactional_ids:
        if not are_given(state, transactional.log.entry) or not are_given(state, transactional.log.appended):
            return False
        for term in range(len(transactional.coordinators)):
            if not are_given(state, transactional.coordinators[term].metadata):
                return False
    return True


def are_given(state: State, metadata: TransactionMetadata) -> bool:
    """Whether the producer ids of an entry were given out, and the next one is not the current one."""
    if not is_given(state, metadata.producer_id) or not is_given(state, metadata.next_producer_id):
        return False
    return metadata.next_producer_id == NO_PRODUCER_ID or metadata.next_producer_id != metadata.producer_id


def nobody_goes_over(state: State) -> bool:
    """No client changes its transaction version.

    Why: all begin with the version of the rules, and only a client whose change is due makes it.
    Source: this project's: the models of going over have no lemmas.
    """
    return all(client.upgrade == Upgrade.NONE for client in state.clients)


def markers_are_decisions(state: State) -> bool:
    """A marker under way says how a transaction of some producer id and epoch ends.

    Why: a coordinator sends markers only for a transaction that is decided.
    Source: `TransactionMarkerChannelManager.addTxnMarkersToSend`.
    """
    for transactional in state.transactional_ids:
        for term in range(len(transactional.coordinators)):
            for partition_id in range(len(state.partitions)):
                request = transactional.coordinators[term].markers[partition_id]
                if request.is_sent:
                    if request.producer_id == NO_PRODUCER_ID or request.producer_epoch == NO_PRODUCER_EPOCH:
                        return False
                    if request.marker == Marker.NONE:
                        return False
    return True


def has_well_formed_log(log: PartitionLog) -> bool:
    """Whether a log has batches and markers of transactions up to its end, and blanks after it."""
    for offset, batch in enumerate(log.records):
        if offset < log.end_offset:
            if batch.producer_id == NO_PRODUCER_ID or batch.producer_epoch == NO_PRODUCER_EPOCH:
                return False
            if batch.is_transactional == 0 or (batch.marker != Marker.NONE and batch.id != NO_BATCH):
                return False
        elif batch.id != NO_BATCH or batch.producer_id != NO_PRODUCER_ID or batch.marker != Marker.NONE:
            return False
    return log.start_offset == 0


def well_formed_transactional_logs(state: State) -> bool:
    """A log has batches and markers of transactions up to its end, and none after it.

    Why: they are appended at the end, and only transactional producers and their coordinators write here.
    Source: `UnifiedLog`; KIP-98.
    """
    return all(has_well_formed_log(partition.log) for partition in state.partitions)


def high_watermark_is_stored(state: State) -> bool:
    """The high watermark is not above the log's end.

    Why: a batch that is not stored cannot be replicated.
    Source: `UnifiedLog.updateHighWatermark`.
    """
    return all(partition.high_watermark <= partition.log.end_offset for partition in state.partitions)


def newest_epochs_are_remembered(state: State) -> bool:
    """A partition remembers for each producer a producer and a coordinator epoch no older than any in its log.

    Why: the producer state follows every append, and is rebuilt from the log.
    Source: `ProducerStateManager`, `ProducerAppendInfo.appendEndTxnMarker`; KIP-98.
    """
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for offset in range(log.end_offset):
            batch = log.records[offset]
            entry = log.producers[batch.producer_id]
            if batch.producer_epoch > entry.producer_epoch:
                return False
            if batch.marker != Marker.NONE and batch.coordinator_epoch > entry.coordinator_epoch:
                return False
    return True


def open_offset(log: PartitionLog, producer_id: int, end_offset: int) -> int:
    """The first offset of the producer's open transaction in the log below `end_offset`; `NO_OFFSET` without one."""
    first = NO_OFFSET
    for offset in range(end_offset):
        batch = log.records[offset]
        if batch.producer_id == producer_id:
            if batch.marker != Marker.NONE:
                first = NO_OFFSET
            elif first == NO_OFFSET:
                first = offset
    return first


def open_transactions_match_log(state: State) -> bool:
    """A partition knows for each producer where its open transaction begins in the log.

    Why: the first batch of a transaction opens it, and the next marker of its producer ends it.
    Source: `ProducerStateEntry.currentTxnFirstOffset`, `ProducerStateManager.ongoingTxns`.
    """
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for producer_id in range(len(log.producers)):
            known = log.producers[producer_id].current_transaction_first_offset
            if known != open_offset(log, producer_id, log.end_offset):
                return False
    return True


def unreplicated_offset(partition: Partition, offset: int) -> int:
    """The first offset of the transaction that an unreplicated marker at `offset` ended; else `NO_OFFSET`."""
    batch = partition.log.records[offset]
    if offset < partition.high_watermark or batch.marker == Marker.NONE:
        return NO_OFFSET
    return open_offset(partition.log, batch.producer_id, offset)


def unreplicated_transactions_match_log(state: State) -> bool:
    """A partition keeps where a transaction began until the marker that ended it is replicated.

    Why: the high watermark may still be below the marker, and then the next leader may have to end it again.
    Source: `ProducerStateManager.unreplicatedTxns`, `onHighWatermarkUpdated`.
    """
    return all(
        partition.index.unreplicated[offset] == unreplicated_offset(partition, offset)
        for partition in state.partitions
        for offset in range(len(partition.index.unreplicated))
    )


def aborted_offset(partition: Partition, offset: int) -> int:
    """The first offset of the transaction that a marker at `offset` aborted; `NO_OFFSET` if there is none."""
    batch = partition.log.records[offset]
    if batch.marker != Marker.ABORT:
        return NO_OFFSET
    return open_offset(partition.log, batch.producer_id, offset)


def aborted_index_matches_log(state: State) -> bool:
    """The aborted-transaction index has every transaction that a marker in the log aborted, and no other.

    Why: the entry is written before the transaction counts as ended, and the index is rebuilt from the log.
    Source: `TransactionIndex`, `UnifiedLog.updateProducers`; KAFKA-7866.
    """
    for partition in state.partitions:
        for offset in range(len(partition.index.aborted)):
            first_offset = aborted_offset(partition, offset)
            if partition.index.aborted[offset].first_offset != first_offset:
                return False
            if first_offset != NO_OFFSET:
                if partition.index.aborted[offset].producer_id != partition.log.records[offset].producer_id:
                    return False
    return True


def deliveries_lie_below_position(state: State) -> bool:
    """A consumer was given only records below its position.

    Why: it reads on from its position, which is after the records that it was given.
    Source: `SubscriptionState`, `CompletedFetch`.
    """
    return all(offset < reader.position for reader in state.readers for offset in reader.delivered)
