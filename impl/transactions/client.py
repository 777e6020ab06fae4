"""The producer's side of a transaction: the requests that it sends, and its reactions to the answers.

Part of Kafka modelled: `TransactionManager` and `Sender` of a transactional producer.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890.
Left out, and why that is sound: finding the coordinator, which amounts to sending a request again; several requests of
one kind under way from one producer, because it waits for the answer or gives the request up, which is then a stray.

An answer reaches its client in the step that gives it: an event before a late answer arrives can as well happen before
the request is handled. A lost answer is the answer to a stray, after which the client sends its request again.
"""

from kafkacheck.checker.schema import clear, contains, including
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker, ProduceError
from kafkacheck.impl.log.sequences import sequence_after
from kafkacheck.impl.transactions.constants import (
    NO_INPUT,
    NO_PARTITION,
    NO_TRANSACTION,
    Answer,
    ProducerState,
    ProduceStage,
    RequestKind,
    Upgrade,
)
from kafkacheck.impl.transactions.metadata import has_version_2
from kafkacheck.impl.transactions.records import Client, ClientId, PartitionId, TransactionMetadata
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def is_idle(state: State, client_id: int) -> bool:
    """Whether the client awaits no answer."""
    return state.requests[client_id].kind == RequestKind.NONE and state.produces[client_id].stage == ProduceStage.IDLE


def is_upgraded(client: Client) -> int:
    """1 if the client has upgraded to transaction version 2, and has not gone back."""
    return 1 if client.upgrade >= Upgrade.BUMPING else 0


def send_request(state: State, client_id: int, kind: RequestKind) -> None:
    """Send a request to the coordinator, in the client's own slot."""
    client = state.clients[client_id]
    request = state.requests[client_id]
    request.kind = kind
    request.transactional_id = client.transactional_id
    request.producer_id = client.producer_id
    request.producer_epoch = client.producer_epoch
    request.is_upgraded = is_upgraded(client)


def following_input(state: State, client_id: int, marker: Marker) -> int:
    """The input to process after the transaction; after an abort, only the committed offset tells it."""
    input_offset = state.transactions[state.clients[client_id].transaction].input_offset
    if marker == Marker.ABORT or input_offset == NO_INPUT:
        return NO_INPUT
    return input_offset + 1


def end_transaction(state: State, client_id: int, marker: Marker) -> None:
    """Tell the application how its transaction ended, and become ready for the next one."""
    client = state.clients[client_id]
    state.transactions[client.transaction].told = marker
    client.state = ProducerState.READY
    client.input_offset = following_input(state, client_id, marker)
    client.transaction = NO_TRANSACTION
    client.partitions = 0
    client.sent = 0


def adopt_epoch(client: Client, producer_id: int, producer_epoch: int) -> None:
    """Adopt this producer id and epoch; if either is new, sequences begin again."""
    if client.producer_id == producer_id and client.producer_epoch == producer_epoch:
        return
    client.producer_id = producer_id
    client.producer_epoch = producer_epoch
    client.has_lost_batch = False
    if client.upgrade == Upgrade.BUMPING:
        client.upgrade = Upgrade.DONE
    for partition_id in range(len(client.sequences)):
        client.sequences[partition_id] = 0


def receive_end_txn(state: State, rules: TransactionRules, client_id: int, metadata: TransactionMetadata) -> None:
    """Handle a successful answer to EndTxn; with transaction version 2 it carries the client's next epoch."""
    client = state.clients[client_id]
    end_transaction(state, client_id, state.requests[client_id].marker)
    if has_version_2(rules, state.requests[client_id].is_upgraded):
        if metadata.next_producer_id != NO_PRODUCER_ID:
            adopt_epoch(client, metadata.next_producer_id, 0)
        else:
            adopt_epoch(client, metadata.producer_id, metadata.producer_epoch)


def refuse(state: State, client_id: int, answer: Answer) -> None:
    """Handle a refusal: the client must abort its transaction, or stops if the error is fatal."""
    client = state.clients[client_id]
    if answer == Answer.INVALID_TXN_STATE and client.state == ProducerState.COMMITTING:
        state.transactions[client.transaction].told = Marker.ABORT
    is_abortable = answer == Answer.TRANSACTION_ABORTABLE or answer == Answer.INVALID_PRODUCER_ID_MAPPING
    if is_abortable and client.state == ProducerState.IN_TRANSACTION:
        client.state = ProducerState.ABORTABLE_ERROR
    else:
        client.state = ProducerState.FATAL_ERROR


def receive_answer(
    state: State, rules: TransactionRules, client_id: int, answer: Answer, metadata: TransactionMetadata
) -> None:
    """Handle the coordinator's answer to the client's request, and go on if the client is alive."""
    client = state.clients[client_id]
    request = state.requests[client_id]
    if client.state != ProducerState.FATAL_ERROR:
        if answer != Answer.NONE:
            refuse(state, client_id, answer)
        elif request.kind == RequestKind.INIT_PRODUCER_ID:
            adopt_epoch(client, metadata.producer_id, metadata.producer_epoch)
            client.state = ProducerState.READY
        elif request.kind == RequestKind.ADD_PARTITIONS_TO_TXN:
            client.partitions = including(client.partitions, request.partition)
        else:
            receive_end_txn(state, rules, client_id, metadata)
    clear(request)
    needs_epoch = client.upgrade == Upgrade.BUMPING or (client.has_lost_batch and rules.lost_batch_bumps_epoch)
    if client.state == ProducerState.READY and needs_epoch:
        client.state = ProducerState.INITIALIZING
        send_request(state, client_id, RequestKind.INIT_PRODUCER_ID)
        if not rules.init_names_epoch:
            state.requests[client_id].producer_id = NO_PRODUCER_ID
            state.requests[client_id].producer_epoch = NO_PRODUCER_EPOCH


def producer_initializes(state: State, client_id: ClientId) -> bool:
    """An application starts, and asks for the producer id of its transactional id.

    Who: a producer without a producer id.
    When: always.
    Effect: InitProducerId is under way.
    Source: TransactionManager.initializeTransactions; KIP-98.
    """
    client = state.clients[client_id]
    if client.state != ProducerState.UNINITIALIZED:
        return False
    client.state = ProducerState.INITIALIZING
    send_request(state, client_id, RequestKind.INIT_PRODUCER_ID)
    return True


def producer_begins_transaction(state: State, client_id: ClientId) -> bool:
    """An application begins a transaction. No other process learns of it.

    Who: a producer that is ready.
    When: there is a transaction left.
    Effect: it is in the next transaction.
    Source: TransactionManager.beginTransaction.
    """
    client = state.clients[client_id]
    if client.state != ProducerState.READY:
        return False
    if state.next_transaction >= len(state.transactions):
        return False
    client.state = ProducerState.IN_TRANSACTION
    client.transaction = state.next_transaction
    state.next_transaction += 1
    return True


def send_batch(state: State, client_id: int, partition_id: int) -> None:
    """Send the transaction's batch, which has no sequence yet, to a partition."""
    client = state.clients[client_id]
    client.partitions = including(client.partitions, partition_id)
    client.sent = including(client.sent, partition_id)
    produce = state.produces[client_id]
    produce.stage = ProduceStage.REQUESTED
    produce.transactional_id = client.transactional_id
    produce.partition = partition_id
    produce.incarnation = state.partitions[partition_id].incarnation
    produce.is_upgraded = is_upgraded(client)
    produce.batch.id = client.transaction
    produce.batch.producer_id = client.producer_id
    produce.batch.producer_epoch = client.producer_epoch
    produce.batch.is_transactional = 1


def is_added(rules: TransactionRules, client: Client, partition_id: int) -> bool:
    """Whether the client believes that the partition is in its transaction.

    By the old rule it was enough to have added any partition for the record.
    """
    if not rules.added_partition_is_written and client.partitions != 0:
        return True
    return contains(client.partitions, partition_id)


def producer_sends(state: State, rules: TransactionRules, client_id: ClientId, partition_id: PartitionId) -> bool:
    """A producer sends its transaction's record to a partition; with transaction version 1 it adds the partition first.

    Who: a producer in a transaction.
    When: it awaits no answer, and has not sent the record there.
    Effect: AddPartitionsToTxn or the produce request is under way.
    Source: TransactionManager.maybeAddPartition, Sender.sendProduceRequest; KIP-890.
    Left out: several requests in flight from one producer; strays stand for requests that are overtaken.
    """
    client = state.clients[client_id]
    if client.state != ProducerState.IN_TRANSACTION or not is_idle(state, client_id):
        return False
    if contains(client.sent, partition_id) or partition_id == state.offsets_partition:
        return False
    if not has_version_2(rules, is_upgraded(client)) and not is_added(rules, client, partition_id):
        send_request(state, client_id, RequestKind.ADD_PARTITIONS_TO_TXN)
        state.requests[client_id].partition = partition_id
        return True
    send_batch(state, client_id, partition_id)
    state.produces[client_id].batch.base_sequence = client.sequences[partition_id]
    client.sequences[partition_id] = sequence_after(
        client.sequences[partition_id], 1, state.partitions[partition_id].log.max_sequence
    )
    return True


def receive_produce_answer(state: State, client_id: int, error: ProduceError) -> None:
    """Handle the answer to a produce request whose client awaits it."""
    client = state.clients[client_id]
    if client.state != ProducerState.IN_TRANSACTION:
        return
    transaction = state.transactions[client.transaction]
    if error == ProduceError.NONE:
        transaction.acknowledged = including(transaction.acknowledged, state.produces[client_id].partition)
    else:
        client.state = ProducerState.ABORTABLE_ERROR


def ask_for_end(state: State, rules: TransactionRules, client_id: int, marker: Marker) -> None:
    """Ask the coordinator to end the transaction, if the coordinator can know of it.

    The request has the transaction's version. Then the client checks whether the cluster has another version: it asks
    for the next epoch before it uses a newer one, and goes back to an older one at once.
    """
    client = state.clients[client_id]
    state.transactions[client.transaction].asked = marker
    if client.partitions == 0:
        end_transaction(state, client_id, marker)
        return
    client.state = ProducerState.COMMITTING if marker == Marker.COMMIT else ProducerState.ABORTING
    send_request(state, client_id, RequestKind.END_TXN)
    state.requests[client_id].marker = marker
    if client.upgrade == Upgrade.DUE:
        client.upgrade = Upgrade.BUMPING if rules.upgrade_bumps_epoch else Upgrade.DONE
    elif client.upgrade == Upgrade.BACK_DUE:
        client.upgrade = Upgrade.NONE


def producer_commits(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """An application commits its transaction.

    Who: a producer in a transaction.
    When: it has sent something, also offsets if it has a group; everything that it sent is acknowledged.
    Effect: EndTxn is under way.
    Source: TransactionManager.beginCommit; `Sender` flushes first.
    Left out: committing an empty transaction.
    """
    client = state.clients[client_id]
    if client.state != ProducerState.IN_TRANSACTION or not is_idle(state, client_id):
        return False
    if client.sent == 0:
        return False
    if state.offsets_partition != NO_PARTITION and not contains(client.sent, state.offsets_partition):
        return False
    ask_for_end(state, rules, client_id, Marker.COMMIT)
    return True


def producer_aborts(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """An application aborts its transaction, because it wants to or because something failed.

    Who: a producer in a transaction.
    When: it awaits no answer.
    Effect: EndTxn is under way, unless the coordinator cannot know of the transaction.
    Source: TransactionManager.beginAbort.
    """
    client = state.clients[client_id]
    if client.state != ProducerState.IN_TRANSACTION and client.state != ProducerState.ABORTABLE_ERROR:
        return False
    if not is_idle(state, client_id):
        return False
    ask_for_end(state, rules, client_id, Marker.ABORT)
    return True
