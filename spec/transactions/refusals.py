"""The clients that stop when a batch is refused, and the producer id by which a coordinator recognises a retry.

Part of Kafka judged: the answers to Produce and TxnOffsetCommit, as their clients take them; `TransactionMetadata`.
Source: KIP-360, KIP-890, KIP-1050; apache/kafka `TransactionManager`, `TransactionMetadata.completeTransitionTo`.
Left out, and why that is sound: whether a batch may be refused at all, which `partitions.py` and `coordinators.py` say.
"""

from kafkacheck.impl.coordinator.records import TransactionMetadata
from kafkacheck.impl.log.constants import NO_PRODUCER_ID
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.transactions.constants import NO_INPUT, ProducerState, ProduceStage, TransactionState
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions.coordinators import is_complete, is_of_version_2


def is_refused(before: State, after: State, client_id: int) -> bool:
    """Whether a client in a transaction hears in this step that its batch is refused."""
    if before.clients[client_id].state != ProducerState.IN_TRANSACTION or before.budget.delays != after.budget.delays:
        return False
    if before.produces[client_id].stage == ProduceStage.IDLE or after.produces[client_id].stage != ProduceStage.IDLE:
        return False
    now = after.clients[client_id].state
    return now == ProducerState.ABORTABLE_ERROR or now == ProducerState.FATAL_ERROR


def state_after_answer(rules: TransactionRules, metadata: TransactionMetadata, produce: Produce) -> ProducerState:
    """The state of a client whose batch is refused by a coordinator that knows this of the transactional id."""
    is_unmapped = metadata.state == TransactionState.NONE or metadata.producer_id != produce.batch.producer_id
    is_fenced = not is_unmapped and metadata.producer_epoch != produce.batch.producer_epoch
    if is_unmapped and rules.unmapped_id_is_fatal:
        return ProducerState.FATAL_ERROR
    if is_fenced and produce.input_offset != NO_INPUT:
        return ProducerState.FATAL_ERROR
    return ProducerState.ABORTABLE_ERROR


def some_coordinator_led_to(before: State, rules: TransactionRules, produce: Produce, now: ProducerState) -> bool:
    """Whether some serving coordinator has a reason to make the batch's client enter that state."""
    return any(
        state_after_answer(rules, coordinator.metadata, produce) == now
        for coordinator in before.transactional_ids[produce.transactional_id].coordinators
        if coordinator.is_serving
    )


def leader_led_to(before: State, rules: TransactionRules, produce: Produce, now: ProducerState) -> bool:
    """Whether the partition's leader has a reason to make the batch's client enter that state.

    Only offsets of an old epoch are fatal. If their generation is old, too, either of the two may be named.
    """
    partition = before.partitions[produce.partition]
    known_epoch = partition.log.producers[produce.batch.producer_id].producer_epoch
    if produce.input_offset == NO_INPUT or partition.is_deleted or produce.batch.producer_epoch >= known_epoch:
        return now == ProducerState.ABORTABLE_ERROR
    if not rules.log.old_epoch_is_named_first or produce.generation != before.group.generation:
        return True
    return now == ProducerState.FATAL_ERROR


def only_fenced_and_unknown_clients_stop(before: State, after: State, rules: TransactionRules) -> bool:
    """A client whose batch is refused can abort, unless its offsets are fenced or its producer id is not known.

    Lost if it fails: an application must start anew for an error after which it may abort, or it goes on to abort a
    transaction that another instance now owns.
    Source: `TransactionManager.handleFailedBatch`, `TxnOffsetCommitHandler`; KIP-360, KIP-1050, KAFKA-19690.
    """
    for client_id in range(len(before.clients)):
        if is_refused(before, after, client_id):
            produce = before.produces[client_id]
            now = after.clients[client_id].state
            if produce.stage == ProduceStage.VERIFYING:
                if not some_coordinator_led_to(before, rules, produce, now):
                    return False
            elif not leader_led_to(before, rules, produce, now):
                return False
    return True


def only_lost_records_leave_a_gap(before: State, after: State, rules: TransactionRules) -> bool:
    """A client of version 1 asks for the next epoch if a record is refused, and not if an offset is.

    Lost if it fails: the sequences that follow have a gap, and the client's next transaction is refused, too; or each
    refused offset uses up an epoch.
    Source: `TransactionManager.requestIdempotentEpochBumpForPartition`, `canBumpEpoch`; KIP-360.
    """
    for client_id, was in enumerate(before.clients):
        now = after.clients[client_id]
        if is_refused(before, after, client_id) and now.state == ProducerState.ABORTABLE_ERROR:
            produce = before.produces[client_id]
            if produce.input_offset != NO_INPUT:
                if now.has_lost_batch != was.has_lost_batch:
                    return False
            elif now.has_lost_batch == is_of_version_2(rules, produce.is_upgraded):
                return False
    return True


def names_previous_id(rules: TransactionRules, entry: TransactionMetadata) -> bool:
    """Whether a transition to this entry names the previous producer id; by the old rule, only if it gives one out."""
    if rules.previous_producer_id_is_overwritten or entry.state == TransactionState.EMPTY:
        return True
    return is_complete(entry.state) and is_of_version_2(rules, entry.is_upgraded)


def coordinators_remember_the_previous_id(before: State, after: State, rules: TransactionRules) -> bool:
    """A coordinator that makes a transition remembers the producer id that it had before.

    Lost if it fails: a client whose producer id was used up repeats a request, and is fenced although it is the newest.
    Source: `TransactionMetadata.prepareTransitionTo`, `completeTransitionTo`; KIP-360, KIP-890.
    """
    if (
        before.budget.append_failures != after.budget.append_failures
        or before.budget.failovers != after.budget.failovers
    ):
        return True
    for transactional_id, was in enumerate(before.transactional_ids):
        now = after.transactional_ids[transactional_id]
        known = was.coordinators[was.log.coordinator_epoch]
        coordinator = now.coordinators[was.log.coordinator_epoch]
        is_made = was.log.is_appended and not now.log.is_appended and known.pending_state == was.log.appended.state
        is_known = now.log.entry.state == was.log.appended.state and coordinator.metadata.producer_id != NO_PRODUCER_ID
        if known.is_serving and coordinator.is_serving and is_made and is_known:
            if names_previous_id(rules, now.log.entry):
                if coordinator.metadata.previous_producer_id != known.metadata.producer_id:
                    return False
    return True
