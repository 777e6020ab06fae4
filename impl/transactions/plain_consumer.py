"""Consumers that do not write: they process their input, and commit its offset before or after that.

Part of Kafka modelled: `KafkaConsumer.commitSync`, `GroupCoordinator.handleCommitOffsets`; an application around them.
Source: apache/kafka (commit 1eb7644349); KAFKA-5247.
Left out, and why that is sound: periodic commits (`enable.auto.commit`), which fail as both orders do.
"""

from kafkacheck.impl.log import is_full
from kafkacheck.impl.transactions.constants import NO_INPUT, NO_PARTITION, Delivery, ProducerState
from kafkacheck.impl.transactions.group import is_loading, is_plain, note_offset
from kafkacheck.impl.transactions.partition import maybe_replicate
from kafkacheck.impl.transactions.records import Client, ClientId
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def can_take_step(state: State, rules: TransactionRules, client: Client, step: Delivery) -> bool:
    """Whether this step, the first or the second, is next for an application without transactions."""
    if not is_plain(client) or client.input_offset == NO_INPUT:
        return False
    if client.input_offset >= len(state.group.processed) - 1:
        return False
    return client.is_halfway == (rules.delivery != step)


def end_step(client: Client) -> None:
    """Go on to the second step, or to the next input."""
    if client.is_halfway:
        client.input_offset += 1
    client.is_halfway = not client.is_halfway


def application_processes(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """An application without transactions processes its input.

    Who: a client that knows its position.
    When: processing is the next step: before the offset is committed, or after.
    Effect: the input was processed once more.
    Source: the order decides between at most once and at least once.
    """
    client = state.clients[client_id]
    if client.state == ProducerState.FATAL_ERROR or not can_take_step(state, rules, client, Delivery.PROCESS_FIRST):
        return False
    state.group.processed[client.input_offset] += 1
    end_step(client)
    return True


def consumer_commits_offset(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """A consumer commits the offset after its input (OffsetCommit).

    Who: a client that knows its position.
    When: committing is the next step: after processing, or before; there is room, and the coordinator is not loading.
    Effect: the offset is committed, and is in the log of offsets if there is one; a commit from an old generation is
        refused, and the client waits for the next rebalance.
    Source: GroupCoordinator.handleCommitOffsets.
    """
    client = state.clients[client_id]
    if client.state == ProducerState.FATAL_ERROR or not can_take_step(state, rules, client, Delivery.COMMIT_FIRST):
        return False
    if client.generation != state.group.generation:
        client.input_offset = NO_INPUT
        client.generation = 0
        client.is_halfway = False
        return True
    if state.offsets_partition != NO_PARTITION:
        partition = state.partitions[state.offsets_partition]
        if is_full(partition.log) or is_loading(state.group):
            return False
        note_offset(state.group, partition.log.end_offset, client.input_offset + 1)
        partition.log.end_offset += 1
        maybe_replicate(partition, rules)
    state.group.committed = client.input_offset + 1
    end_step(client)
    return True
