"""Applications of a group: they process inputs, and commit the offset after each, in a transaction or without one.

Part of Kafka modelled: `KafkaProducer.sendOffsetsToTransaction`; `KafkaConsumer.commitSync`, `OffsetFetch`; an
application around them.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-447, KAFKA-5247.
Left out, and why that is sound: joining and assigning: a generation begins at once, the one input has one owner, and
former owners do not notice. Periodic commits (`enable.auto.commit`), which lose or repeat inputs like the orders here.
"""

from kafkacheck.checker.schema import Array, Ids
from kafkacheck.impl.client.transactional_producer import (
    awaits_answer,
    begin_transaction,
    is_upgraded,
    send_batch_of_transaction,
    send_request,
)
from kafkacheck.impl.client.transactional_records import Client, Transaction
from kafkacheck.impl.coordinator.transaction_metadata import has_version_2
from kafkacheck.impl.log.constants import NO_PRODUCER_ID
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.transactions.constants import NO_INPUT, Delivery, ProducerState, RequestKind
from kafkacheck.impl.transactions.rules import TransactionRules


def is_plain(client: Client) -> bool:
    """Whether the client is a consumer that does not write: it has no producer id."""
    return client.producer_id == NO_PRODUCER_ID


def receive_assignment(client: Client, generation: int) -> None:
    """Become the owner of the input, in a new generation; with generation 0, learn that another member owns it now."""
    client.generation = generation
    client.input_offset = NO_INPUT
    client.is_halfway = False


def awaits_position(client: Client) -> bool:
    """Whether the client was given the input, is in no transaction, and does not know its position."""
    return client.generation != 0 and client.input_offset == NO_INPUT and client.state == ProducerState.READY


def take_input(client: Client, transactions: Array[Transaction], transaction: int, inputs: int) -> bool:
    """Begin a transaction for the input that the application has read; inputs have numbers below `inputs`."""
    if client.input_offset == NO_INPUT or client.input_offset >= inputs or is_plain(client):
        return False
    if not begin_transaction(client, transaction):
        return False
    transactions[transaction].input_offset = client.input_offset
    return True


def send_offsets(
    client: Client,
    rules: TransactionRules,
    request: Request,
    produce: Produce,
    offsets_partition: int,
    incarnation: int,
) -> bool:
    """Send the offset after the input to the group, in the transaction.

    Who: a producer in a transaction.
    When: it awaits no answer, has sent its record, and has not sent the offset.
    Effect: TxnOffsetCommit is under way; with transaction version 1, AddOffsetsToTxn comes first.
    Source: TransactionManager.sendOffsetsToTransaction; KIP-447.
    Left out: a leader of the offsets partition that is not the group coordinator: they are one broker.
    """
    if client.state != ProducerState.IN_TRANSACTION or awaits_answer(request, produce):
        return False
    if client.sent == Ids() or offsets_partition in client.sent:
        return False
    ask_to_store_offset(client, rules, request, produce, offsets_partition, incarnation)
    return True


def send_offsets_first(
    client: Client,
    rules: TransactionRules,
    request: Request,
    produce: Produce,
    offsets_partition: int,
    incarnation: int,
) -> bool:
    """Send the offset after the input to the group before any record of the transaction, which may have none.

    Who: a producer in a transaction, whose application filters its input.
    When: it awaits no answer, and has sent nothing.
    Effect: as if a record was sent before.
    Source: TransactionManager.sendOffsetsToTransaction; KIP-447.
    """
    if client.state != ProducerState.IN_TRANSACTION or awaits_answer(request, produce):
        return False
    if client.sent != Ids():
        return False
    ask_to_store_offset(client, rules, request, produce, offsets_partition, incarnation)
    return True


def ask_to_store_offset(
    client: Client,
    rules: TransactionRules,
    request: Request,
    produce: Produce,
    offsets_partition: int,
    incarnation: int,
) -> None:
    """Send TxnOffsetCommit; with transaction version 1, first AddOffsetsToTxn."""
    if not has_version_2(rules, is_upgraded(client)) and offsets_partition not in client.partitions:
        send_request(client, request, RequestKind.ADD_PARTITIONS_TO_TXN)
        request.partition = offsets_partition
        return
    send_batch_of_transaction(client, produce, offsets_partition, incarnation)
    produce.input_offset = client.input_offset + 1
    produce.generation = client.generation


def can_take_step(client: Client, rules: TransactionRules, step: Delivery, inputs: int) -> bool:
    """Whether this step, the first or the second, is next for an application without transactions."""
    if client.state == ProducerState.FATAL_ERROR or not is_plain(client):
        return False
    if client.input_offset == NO_INPUT or client.input_offset >= inputs:
        return False
    return client.is_halfway == (rules.delivery != step)


def end_step(client: Client) -> None:
    """Go on to the second step, or to the next input."""
    if client.is_halfway:
        client.input_offset += 1
    client.is_halfway = not client.is_halfway
