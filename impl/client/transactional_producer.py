"""The producer's side of a transaction: the requests that it sends, and its reactions to the answers.

Part of Kafka modelled: `TransactionManager` and `Sender` of a transactional producer.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890.
Left out, and why that is sound: finding the coordinator, which amounts to sending a request again; several requests of
one kind under way from one producer, because it waits for the answer, or gives the request up, and that request becomes
a stray.

An answer reaches its client in the step that gives it: an event that comes before a late answer can as well come before
the request is handled. A lost answer counts as the answer to a stray; the client sends its request again.
"""

from kafkacheck.checker.schema import Array, Ids, clear
from kafkacheck.impl.client.transactional_records import Client, Transaction
from kafkacheck.impl.coordinator.transaction_metadata import has_version_2
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.sequences import sequence_after
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.messages.transactional_produce import Produce
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
from kafkacheck.impl.transactions.partition import is_offset_commit
from kafkacheck.impl.transactions.rules import TransactionRules


def awaits_answer(request: Request, produce: Produce) -> bool:
    """Whether one of the client's two requests is under way."""
    return request.kind != RequestKind.NONE or produce.stage != ProduceStage.IDLE


def is_upgraded(client: Client) -> int:
    """1 if the client has upgraded to transaction version 2, and has not gone back."""
    return 1 if client.upgrade >= Upgrade.BUMPING else 0


def send_request(client: Client, request: Request, kind: RequestKind) -> None:
    """Send a request to the coordinator, in the client's own slot."""
    request.kind = kind
    request.transactional_id = client.transactional_id
    request.producer_id = client.producer_id
    request.producer_epoch = client.producer_epoch
    request.is_upgraded = is_upgraded(client)


def following_input(client: Client, transactions: Array[Transaction], rules: TransactionRules, marker: Marker) -> int:
    """The input to process after the transaction; `NO_INPUT` after an abort: only the committed offset tells it."""
    input_offset = transactions[client.transaction].input_offset
    if input_offset == NO_INPUT or (marker == Marker.ABORT and rules.abort_rewinds_position):
        return NO_INPUT
    return input_offset + 1


def leave_transaction(
    client: Client, transactions: Array[Transaction], rules: TransactionRules, marker: Marker
) -> None:
    """Tell the application how its transaction ended, and become ready for the next one."""
    transactions[client.transaction].told = marker
    client.state = ProducerState.READY
    client.input_offset = following_input(client, transactions, rules, marker)
    client.transaction = NO_TRANSACTION
    client.partitions = Ids()
    client.sent = Ids()


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


def is_abortable(client: Client, rules: TransactionRules, answer: Answer) -> bool:
    """Whether a client whose request is refused may abort its transaction, and go on."""
    if answer == Answer.INVALID_PRODUCER_ID_MAPPING:
        return client.state == ProducerState.IN_TRANSACTION and not rules.unmapped_id_is_fatal
    if answer != Answer.TRANSACTION_ABORTABLE:
        return False
    return client.state == ProducerState.IN_TRANSACTION or client.state == ProducerState.COMMITTING


def refuse(client: Client, transactions: Array[Transaction], rules: TransactionRules, answer: Answer) -> None:
    """Handle a refusal: the client must abort its transaction, or stops if the error is fatal."""
    if answer == Answer.INVALID_TXN_STATE and client.state == ProducerState.COMMITTING:
        transactions[client.transaction].told = Marker.ABORT
    if is_abortable(client, rules, answer):
        client.state = ProducerState.ABORTABLE_ERROR
    else:
        client.state = ProducerState.FATAL_ERROR


def receive_answer(
    client: Client, transactions: Array[Transaction], rules: TransactionRules, request: Request, answer: Answer
) -> None:
    """Handle the coordinator's answer to the client's request, and go on if the client is alive.

    The slot holds the response in place of the request: the producer id and the epoch. The response to EndTxn has them
    only with transaction version 2; they are the client's next ones.
    """
    if client.state != ProducerState.FATAL_ERROR:
        if answer != Answer.NONE:
            refuse(client, transactions, rules, answer)
        elif request.kind == RequestKind.INIT_PRODUCER_ID:
            adopt_epoch(client, request.producer_id, request.producer_epoch)
            client.state = ProducerState.READY
        elif request.kind == RequestKind.ADD_PARTITIONS_TO_TXN:
            client.partitions |= {request.partition}
        else:
            leave_transaction(client, transactions, rules, request.marker)
            if has_version_2(rules, request.is_upgraded):
                adopt_epoch(client, request.producer_id, request.producer_epoch)
    clear(request)
    needs_epoch = client.upgrade == Upgrade.BUMPING or (client.has_lost_batch and rules.lost_batch_bumps_epoch)
    if client.state == ProducerState.READY and needs_epoch:
        client.state = ProducerState.INITIALIZING
        client.has_lost_batch = False
        send_request(client, request, RequestKind.INIT_PRODUCER_ID)
        if not rules.init_names_epoch:
            request.producer_id = NO_PRODUCER_ID
            request.producer_epoch = NO_PRODUCER_EPOCH


def initialize(client: Client, request: Request) -> bool:
    """Start, and ask for the producer id of the transactional id.

    Who: a producer without a producer id.
    When: always.
    Effect: InitProducerId is under way.
    Source: TransactionManager.initializeTransactions; KIP-98.
    """
    if client.state != ProducerState.UNINITIALIZED:
        return False
    client.state = ProducerState.INITIALIZING
    send_request(client, request, RequestKind.INIT_PRODUCER_ID)
    return True


def begin_transaction(client: Client, transaction: int) -> bool:
    """Begin a transaction, if the client is ready; return whether it was."""
    if client.state != ProducerState.READY:
        return False
    client.state = ProducerState.IN_TRANSACTION
    client.transaction = transaction
    return True


def send_batch_of_transaction(client: Client, produce: Produce, partition_id: int, incarnation: int) -> None:
    """Send the transaction's batch, which has no sequence yet, to a partition."""
    client.partitions |= {partition_id}
    client.sent |= {partition_id}
    produce.stage = ProduceStage.REQUESTED
    produce.transactional_id = client.transactional_id
    produce.partition = partition_id
    produce.incarnation = incarnation
    produce.is_upgraded = is_upgraded(client)
    produce.batch.id = client.transaction
    produce.batch.producer_id = client.producer_id
    produce.batch.producer_epoch = client.producer_epoch
    produce.batch.is_transactional = 1


def is_added(rules: TransactionRules, client: Client, partition_id: int) -> bool:
    """Whether the client believes that the partition is in its transaction.

    Before KAFKA-13782 it was enough that any partition had been added for the record.
    """
    if not rules.added_partition_is_written and client.partitions != Ids():
        return True
    return partition_id in client.partitions


def send_record(
    client: Client,
    rules: TransactionRules,
    request: Request,
    produce: Produce,
    partition_id: int,
    incarnation: int,
    max_sequence: int,
) -> bool:
    """Send the transaction's record to a partition; with transaction version 1, add the partition first.

    Who: a producer in a transaction.
    When: it awaits no answer, and has not sent the record there.
    Effect: AddPartitionsToTxn or the produce request is under way.
    Source: TransactionManager.maybeAddPartition, Sender.sendProduceRequest; KIP-890.
    Left out: several requests in flight from one producer; strays stand for requests that are overtaken.
    """
    if client.state != ProducerState.IN_TRANSACTION or awaits_answer(request, produce):
        return False
    if partition_id in client.sent:
        return False
    if not has_version_2(rules, is_upgraded(client)) and not is_added(rules, client, partition_id):
        send_request(client, request, RequestKind.ADD_PARTITIONS_TO_TXN)
        request.partition = partition_id
        return True
    send_batch_of_transaction(client, produce, partition_id, incarnation)
    produce.batch.base_sequence = client.sequences[partition_id]
    client.sequences[partition_id] = sequence_after(client.sequences[partition_id], 1, max_sequence)
    return True


def lose_batch(client: Client, rules: TransactionRules) -> None:
    """Give up a batch, so that the transaction must be aborted.

    A client of version 1 also asks for the next epoch then, because its sequences have a gap.
    """
    if client.state == ProducerState.IN_TRANSACTION:
        client.state = ProducerState.ABORTABLE_ERROR
        client.has_lost_batch = not has_version_2(rules, is_upgraded(client))


def receive_produce_answer(
    client: Client, transactions: Array[Transaction], rules: TransactionRules, produce: Produce, answer: Answer
) -> None:
    """Handle the answer to a produce request or TxnOffsetCommit whose client awaits it."""
    if client.state != ProducerState.IN_TRANSACTION:
        return
    if answer == Answer.NONE:
        transactions[client.transaction].acknowledged |= {produce.partition}
    elif answer == Answer.INVALID_PRODUCER_ID_MAPPING and rules.unmapped_id_is_fatal:
        client.state = ProducerState.FATAL_ERROR
    elif not is_offset_commit(produce):
        lose_batch(client, rules)
    elif answer == Answer.PRODUCER_FENCED:
        client.state = ProducerState.FATAL_ERROR
    else:
        client.state = ProducerState.ABORTABLE_ERROR


def needs_no_end(client: Client, rules: TransactionRules) -> bool:
    """Whether the client ends its transaction by itself, because the coordinator cannot know of it."""
    if client.partitions != Ids():
        return False
    return rules.empty_end_is_not_sent or not has_version_2(rules, is_upgraded(client))


def ask_for_end(
    client: Client, transactions: Array[Transaction], rules: TransactionRules, request: Request, marker: Marker
) -> None:
    """Ask the coordinator to end the transaction, if the coordinator can know of it.

    The request has the transaction's version. Then the client checks whether the cluster has another version. It asks
    for the next epoch before it uses a newer version, and goes back to an older version at once.
    """
    transactions[client.transaction].asked = marker
    if needs_no_end(client, rules):
        leave_transaction(client, transactions, rules, marker)
        return
    client.state = ProducerState.COMMITTING if marker == Marker.COMMIT else ProducerState.ABORTING
    send_request(client, request, RequestKind.END_TXN)
    request.marker = marker
    if client.upgrade == Upgrade.DUE:
        client.upgrade = Upgrade.BUMPING if rules.upgrade_bumps_epoch else Upgrade.DONE
    elif client.upgrade == Upgrade.BACK_DUE:
        client.upgrade = Upgrade.NONE


def can_commit(client: Client, rules: TransactionRules) -> bool:
    """Whether the application may ask to commit: after an error it may only abort."""
    if client.state == ProducerState.ABORTABLE_ERROR:
        return not rules.error_forbids_commit
    return client.state == ProducerState.IN_TRANSACTION


def commit_transaction(
    client: Client,
    transactions: Array[Transaction],
    rules: TransactionRules,
    request: Request,
    produce: Produce,
    offsets_partition: int,
) -> bool:
    """Commit the transaction.

    Who: a producer in a transaction.
    When: it has sent something, also offsets if it has a group; everything that it sent is acknowledged. By a faulty
        rule it may also commit after an error.
    Effect: EndTxn is under way.
    Source: TransactionManager.beginCommit (`maybeFailWithError`); `Sender` flushes first.
    """
    if not can_commit(client, rules) or awaits_answer(request, produce):
        return False
    if client.sent == Ids():
        return False
    if offsets_partition != NO_PARTITION and offsets_partition not in client.sent:
        return False
    ask_for_end(client, transactions, rules, request, Marker.COMMIT)
    return True


def commit_nothing(
    client: Client, transactions: Array[Transaction], rules: TransactionRules, request: Request, produce: Produce
) -> bool:
    """Commit a transaction in which nothing was sent.

    Who: a producer in a transaction.
    When: it has neither sent a record or an offset, nor asked to add a partition.
    Effect: the application is told that the transaction is committed. No request is sent; by the old rule, EndTxn is
        sent.
    Source: TransactionManager.beginCommit, `transactionStarted`; KAFKA-18401.
    """
    if client.state != ProducerState.IN_TRANSACTION or awaits_answer(request, produce):
        return False
    if client.partitions != Ids():
        return False
    ask_for_end(client, transactions, rules, request, Marker.COMMIT)
    return True


def abort_transaction(
    client: Client, transactions: Array[Transaction], rules: TransactionRules, request: Request, produce: Produce
) -> bool:
    """Abort the transaction, because the application wants to or because something failed.

    Who: a producer in a transaction.
    When: it awaits no answer.
    Effect: EndTxn is under way, unless the coordinator cannot know of the transaction.
    Source: TransactionManager.beginAbort.
    """
    if client.state != ProducerState.IN_TRANSACTION and client.state != ProducerState.ABORTABLE_ERROR:
        return False
    if awaits_answer(request, produce):
        return False
    ask_for_end(client, transactions, rules, request, Marker.ABORT)
    return True
