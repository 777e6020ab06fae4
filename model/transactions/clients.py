"""The steps of clients: each is delivered to its client, with the two slots for the client's requests."""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client.application import (
    awaits_position,
    can_take_step,
    end_step,
    is_plain,
    receive_assignment,
    send_offsets,
    send_offsets_first,
    take_input,
)
from kafkacheck.impl.client.read_committed import begin_anew, end_read, limit_read, read_stable
from kafkacheck.impl.client.transactional_producer import (
    abort_transaction,
    begin_transaction,
    commit_nothing,
    commit_transaction,
    initialize,
    receive_answer,
    receive_produce_answer,
    send_record,
)
from kafkacheck.impl.coordinator.offsets import can_fetch_offset, commit_offset
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.log.reading import highest_sequence
from kafkacheck.impl.transactions.constants import NO_PARTITION, Answer, Delivery
from kafkacheck.impl.transactions.records import ClientId
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def deliver_answer(state: State, rules: TransactionRules, client_id: int, answer: Answer) -> None:
    """Deliver the coordinator's answer to its client."""
    receive_answer(state.clients[client_id], state.transactions, rules, state.requests[client_id], answer)


def deliver_produce_answer(state: State, rules: TransactionRules, produce_id: int, answer: Answer) -> None:
    """Deliver an answer to the client, if the client still waits for it, and free the slot."""
    produce = state.produces[produce_id]
    if produce_id < len(state.clients):
        receive_produce_answer(state.clients[produce_id], state.transactions, rules, produce, answer)
    clear(produce)


def producer_initializes(state: State, client_id: ClientId) -> bool:
    """An application starts."""
    return initialize(state.clients[client_id], state.requests[client_id])


def producer_begins_transaction(state: State, client_id: ClientId) -> bool:
    """An application begins a transaction. No other process learns of it.

    Who: a producer that is ready.
    When: there is a transaction left.
    Effect: it is in the next transaction.
    Source: TransactionManager.beginTransaction.
    """
    if state.next_transaction >= len(state.transactions):
        return False
    if not begin_transaction(state.clients[client_id], state.next_transaction):
        return False
    state.next_transaction += 1
    return True


def application_takes_input(state: State, client_id: ClientId) -> bool:
    """An application begins a transaction for the input that it has read.

    Who: a client that knows its position.
    When: the input exists, the client is ready, and there is a transaction left.
    Effect: it is in the next transaction.
    Source: KIP-98 (consume, transform, produce).
    Left out: several inputs in one transaction.
    """
    if state.next_transaction >= len(state.transactions):
        return False
    inputs = len(state.processed) - 1
    if not take_input(state.clients[client_id], state.transactions, state.next_transaction, inputs):
        return False
    state.next_transaction += 1
    return True


def producer_sends(state: State, rules: TransactionRules, client_id: ClientId, partition_id: PartitionId) -> bool:
    """A producer sends its transaction's record to a partition of its application."""
    partition = state.partitions[partition_id]
    if partition_id == state.offsets_partition:
        return False
    return send_record(
        state.clients[client_id],
        rules,
        state.requests[client_id],
        state.produces[client_id],
        partition_id,
        partition.incarnation,
        highest_sequence(partition.log),
    )


def producer_sends_offsets(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """A producer sends the offset after its input to the group's coordinator, in its transaction."""
    return send_offsets(
        state.clients[client_id],
        rules,
        state.requests[client_id],
        state.produces[client_id],
        state.offsets_partition,
        state.partitions[state.offsets_partition].incarnation,
    )


def producer_sends_offsets_first(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """A producer sends the offset after its input before any record: its application may filter the input."""
    return send_offsets_first(
        state.clients[client_id],
        rules,
        state.requests[client_id],
        state.produces[client_id],
        state.offsets_partition,
        state.partitions[state.offsets_partition].incarnation,
    )


def producer_commits(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """An application commits its transaction."""
    return commit_transaction(
        state.clients[client_id],
        state.transactions,
        rules,
        state.requests[client_id],
        state.produces[client_id],
        state.offsets_partition,
    )


def producer_commits_nothing(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """An application commits its transaction, and has found nothing to send in it."""
    return commit_nothing(
        state.clients[client_id], state.transactions, rules, state.requests[client_id], state.produces[client_id]
    )


def producer_aborts(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """An application aborts its transaction."""
    return abort_transaction(
        state.clients[client_id], state.transactions, rules, state.requests[client_id], state.produces[client_id]
    )


def consumer_fetches_offset(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """A consumer asks for the committed offset (OffsetFetch).

    Who: a client that was given the input, and does not know its position.
    When: it is in no transaction; the coordinator is not loading; no open transaction may change the offset
        (UNSTABLE_OFFSET_COMMIT), unless the client has no producer id.
    Effect: its position is the committed offset.
    Source: GroupMetadataManager.getOffsets; KIP-447.
    """
    client = state.clients[client_id]
    if not awaits_position(client) or not can_fetch_offset(state.group, rules, not is_plain(client)):
        return False
    client.input_offset = state.group.committed
    return True


def application_processes(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """An application without transactions processes its input.

    Who: a client that knows its position.
    When: processing is the next step: before the offset is committed, or after.
    Effect: the input was processed once more.
    Source: the order decides between at most once and at least once.
    """
    client = state.clients[client_id]
    if not can_take_step(client, rules, Delivery.PROCESS_FIRST, len(state.processed) - 1):
        return False
    state.processed[client.input_offset] += 1
    end_step(client)
    return True


def consumer_commits_offset(state: State, rules: TransactionRules, bounds: Bounds, client_id: ClientId) -> bool:
    """A consumer commits the offset after its input (OffsetCommit).

    Who: a client that knows its position.
    When: committing is the next step: after processing, or before; there is room, and the coordinator is not loading.
    Effect: the offset is committed, and is in the log of offsets if there is one; a commit from an old generation is
        refused, and the client waits for the next rebalance.
    Source: GroupCoordinator.handleCommitOffsets.
    """
    client = state.clients[client_id]
    if not can_take_step(client, rules, Delivery.COMMIT_FIRST, len(state.processed) - 1):
        return False
    if client.generation != state.group.generation:
        receive_assignment(client, 0)
        return True
    if state.offsets_partition == NO_PARTITION:
        state.group.committed = client.input_offset + 1
    elif not commit_offset(
        state.group, state.partitions[state.offsets_partition], rules, bounds, client.input_offset + 1
    ):
        return False
    end_step(client)
    return True


def consumer_reads(state: State, rules: TransactionRules, partition_id: PartitionId) -> bool:
    """A read_committed consumer reads a partition."""
    return read_stable(state.readers[partition_id], state.partitions[partition_id], rules)


def leader_limits_read(state: State, rules: TransactionRules, partition_id: PartitionId) -> bool:
    """A leader computes the end of a consumer's read."""
    return limit_read(state.readers[partition_id], state.partitions[partition_id], rules)


def leader_ends_read(state: State, rules: TransactionRules, partition_id: PartitionId) -> bool:
    """A leader returns the records below the limit of a consumer's read."""
    return end_read(state.readers[partition_id], state.partitions[partition_id], rules)


def consumer_begins_anew(state: State, partition_id: PartitionId) -> bool:
    """Another consumer reads a partition."""
    return begin_anew(state.readers[partition_id])
