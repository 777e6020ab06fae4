"""The requests that transactional producers and consumers of a group send, and the times at which they send them.

Part of Kafka judged: `impl/client/transactional_producer.py` and `application.py`, by their records only.
Source: KIP-98, KIP-447, KIP-890; apache/kafka `TransactionManager`.
Left out, and why that is sound: the responses, which `spec/transactions/coordinators.py` judges.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.messages.transaction_requests import Request
from kafkacheck.impl.transactions.constants import (
    NO_INPUT,
    NO_TRANSACTION,
    ProducerState,
    ProduceStage,
    RequestKind,
    TransactionState,
    Upgrade,
)
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def commits_await_acknowledgements(before: State, after: State) -> bool:
    """A client asks to commit only when all its records are acknowledged, and one is sent unless it commits nothing.

    This holds also if the application ignores an error of its transaction.
    Lost if it fails: a transaction is committed although one of its records was never stored.
    Source: `Sender.maybeSendAndPollTransactionalRequest` (flush), TransactionManager.beginCommit; Dekaf 3370.
    """
    is_empty = before.budget.empty_commits != after.budget.empty_commits
    for client in before.clients:
        if client.transaction != NO_TRANSACTION:
            transaction = before.transactions[client.transaction]
            if transaction.asked == Marker.NONE and after.transactions[client.transaction].asked == Marker.COMMIT:
                if (client.sent == Ids()) != is_empty or not client.sent <= transaction.acknowledged:
                    return False
    return True


def only_begun_transactions_are_ended(state: State) -> bool:
    """A client asks to end a transaction only if its coordinator can know it, and only as its application asked.

    Lost if it fails: the coordinator refuses to end a transaction that it does not know, and the client stops.
    Source: `TransactionManager.beginAbort`, `endTransaction`.
    """
    for client in state.clients:
        is_committing = client.state == ProducerState.COMMITTING
        if is_committing or client.state == ProducerState.ABORTING:
            asked = state.transactions[client.transaction].asked
            if asked != (Marker.COMMIT if is_committing else Marker.ABORT) or client.partitions == Ids():
                return False
    return True


def is_newest(state: State, request: Request) -> bool:
    """Whether the request has the producer id and epoch that the log gives out, or will when all markers are written.

    Then nobody has replaced the client, and its transaction has not timed out, not even in the coordinator's memory
    alone. It is false while a coordinator serves whose term is over, because that coordinator may know less.
    """
    transactional = state.transactional_ids[request.transactional_id]
    entry = transactional.log.entry
    if any(transactional.coordinators[term].is_serving for term in range(transactional.log.coordinator_epoch)):
        return False
    if transactional.coordinators[transactional.log.coordinator_epoch].metadata.producer_epoch > entry.producer_epoch:
        return False
    if entry.next_producer_id != NO_PRODUCER_ID:
        return request.producer_id == entry.next_producer_id and request.producer_epoch == 0
    return request.producer_id == entry.producer_id and request.producer_epoch == entry.producer_epoch


def epochs_are_of_one_client(state: State) -> bool:
    """No two clients have the same epoch of one producer id.

    Lost if it fails: a client that was fenced goes on, in the name of the one that has replaced it. A partition takes
    its record for one that the other client has stored, and acknowledges it.
    Source: KIP-98, KIP-890; finding F12 of `tests/kafka/findings`.
    """
    return not any(
        other.producer_id == client.producer_id and other.producer_epoch == client.producer_epoch
        for client_id, client in enumerate(state.clients)
        for other_id, other in enumerate(state.clients)
        if client_id < other_id and client.producer_id != NO_PRODUCER_ID
    )


def undisturbed_clients_are_not_refused(before: State, after: State) -> bool:
    """A client that nobody has replaced, and whose transaction has not timed out, is never refused for good.

    Lost to users: a client is fenced by its own commit, which the coordinator has not yet carried out.
    Source: KAFKA-18464; KIP-890.
    """
    for client_id, client in enumerate(before.clients):
        request = before.requests[client_id]
        is_answered = request.kind != RequestKind.NONE and after.requests[client_id].kind == RequestKind.NONE
        if is_answered and is_newest(before, request) and client.state != ProducerState.FATAL_ERROR:
            now = after.clients[client_id].state
            if now == ProducerState.FATAL_ERROR or now == ProducerState.ABORTABLE_ERROR:
                return False
    return True


def refused_commits_let_applications_start_anew(before: State, after: State) -> bool:
    """A client that begins and ends its transactions in order is never told that its transaction's state is wrong.

    If a coordinator has aborted the transaction by itself, or another client has replaced this one, the client is told
    that it is fenced.

    Lost to users: an application that was merely slow takes the error for a mistake of its own. It stops, and does not
    start anew with the same transactional id.
    Source: KAFKA-20785; the answers of version 1 (KIP-98).
    """
    return not any(
        was.state == ProducerState.COMMITTING
        and after.clients[client_id].state == ProducerState.FATAL_ERROR
        and after.transactions[was.transaction].told == Marker.ABORT
        for client_id, was in enumerate(before.clients)
    )


def requests_carry_their_version(before: State, after: State, rules: TransactionRules) -> bool:
    """A client's requests have its current transaction version; with version 2 it adds no partitions.

    Lost if it fails: a version 1 request is sent in an epoch of version 2, so a late one ends another transaction.
    Source: `TransactionManager.isTransactionV2Enabled`; KIP-890, KAFKA-18227.
    """
    for client_id in range(len(before.clients)):
        is_gone_over = before.clients[client_id].upgrade >= Upgrade.BUMPING
        request = after.requests[client_id]
        if before.requests[client_id].kind != request.kind and request.kind != RequestKind.NONE:
            if (request.is_upgraded == 1) != is_gone_over:
                return False
            if request.kind == RequestKind.ADD_PARTITIONS_TO_TXN:
                if rules.transaction_version == 2 or is_gone_over:
                    return False
        produce = after.produces[client_id]
        if before.produces[client_id].stage == ProduceStage.IDLE and produce.stage != ProduceStage.IDLE:
            if (produce.is_upgraded == 1) != is_gone_over:
                return False
    return True


def records_are_sent_in_transactions(before: State, after: State) -> bool:
    """A client sends a record or an offset only in a transaction.

    Lost if it fails: a record that is sent while a transaction ends belongs to the next transaction, or to none.
    Source: `TransactionManager.failIfNotReadyForSend`, `maybeAddPartition`.
    """
    return all(
        before.clients[client_id].state == ProducerState.IN_TRANSACTION
        for client_id in range(len(before.clients))
        if before.produces[client_id].stage == ProduceStage.IDLE
        if after.produces[client_id].stage != ProduceStage.IDLE
    )


def versions_stay(before: State, after: State) -> bool:
    """A client that has learnt of no other transaction version keeps the one that it has.

    Lost if it fails: it goes back to version 1 by itself, and a late message can join its next transaction.
    Source: `TransactionManager.maybeUpdateTransactionV2Enabled`; KIP-890.
    """
    for client_id in range(len(before.clients)):
        was = before.clients[client_id].upgrade
        if was == Upgrade.NONE or was == Upgrade.DONE:
            if after.clients[client_id].upgrade != was:
                return False
    return True


def new_epochs_complete_the_upgrade(before: State, after: State) -> bool:
    """A client that asks for the next epoch in order to use version 2 uses it as soon as it has that epoch.

    Lost if it fails: it asks for another epoch after every transaction.
    Source: `TransactionManager.maybeUpdateTransactionV2Enabled`; KAFKA-18227.
    """
    return all(
        after.clients[client_id].upgrade == Upgrade.DONE
        for client_id, was in enumerate(before.clients)
        if was.upgrade == Upgrade.BUMPING and was.producer_epoch != after.clients[client_id].producer_epoch
    )


def positions_need_a_generation(state: State) -> bool:
    """Only a client that was assigned the input of a group has a position in it.

    Lost if it fails: an application processes and commits an input that is assigned to another member.
    Source: `ConsumerCoordinator`; KIP-447.
    """
    return all(client.input_offset == NO_INPUT for client in state.clients if client.generation == 0)


def rebalances_wait_for_transactions(before: State, after: State) -> bool:
    """A client that is assigned the input in a new generation is in no transaction at that time.

    Lost if it fails: its transaction goes on in another generation than its input's.
    Source: KIP-447; the application ends its transaction before it polls again.
    """
    return all(
        old_client.transaction == NO_TRANSACTION
        for old_client, client in zip(before.clients, after.clients)
        if client.generation > old_client.generation
    )


def abort_after_error(state: State) -> bool:
    """A client aborts after a record was not acknowledged. Without an example no client recovers from an error."""
    return any(
        client.sent & state.transactions[client.transaction].acknowledged != client.sent
        for client in state.clients
        if client.state == ProducerState.ABORTING
    )


def plain_consumer_does_not_wait(state: State) -> bool:
    """A consumer that does not write has a position in the newest generation while a transaction may change it."""
    return any(
        state.group.pending[producer_id] != NO_INPUT
        for client in state.clients
        if client.producer_id == NO_PRODUCER_ID and client.input_offset != NO_INPUT
        if client.generation == state.group.generation
        for producer_id in range(len(state.group.pending))
    )


def commit_in_last_epoch(state: State) -> bool:
    """A transaction in the last epoch is being committed. Without an example no producer id follows another."""
    for transactional_id in range(len(state.transactional_ids)):
        appended = state.transactional_ids[transactional_id].log.appended
        if appended.next_producer_id != NO_PRODUCER_ID and appended.state == TransactionState.PREPARE_COMMIT:
            return True
    return False


def refused_commit(state: State) -> bool:
    """A commit was refused because of the transaction's state, and the application was told of an abort."""
    return any(
        state.transactions[transaction].asked == Marker.COMMIT and state.transactions[transaction].told == Marker.ABORT
        for transaction in range(len(state.transactions))
    )
