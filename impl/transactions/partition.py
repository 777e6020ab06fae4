"""A partition's leader: verification, appending, and the high watermark.

Part of Kafka modelled: `ReplicaManager.appendRecords` with `AddPartitionsToTxnManager`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-890, KAFKA-9807.
Left out, and why that is sound: which followers replicate: the high watermark may rise to the log's end at once, later
or never.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.log import is_full, truncate_to
from kafkacheck.impl.log.append import append_batch, append_error, is_verified
from kafkacheck.impl.log.constants import Origin, ProduceError
from kafkacheck.impl.log.producer_state import duplicate_offset, has_open_transaction
from kafkacheck.impl.log.records import Batch, PartitionLog
from kafkacheck.impl.log.reload import forget_producers
from kafkacheck.impl.log.transactions import forget_replicated, rebuild_index
from kafkacheck.impl.log.verification import needs_verification, start_verification
from kafkacheck.impl.transactions.client import receive_produce_answer
from kafkacheck.impl.transactions.constants import NO_INPUT, Answer, ProduceStage
from kafkacheck.impl.transactions.coordinator import add_partition, verify_partition
from kafkacheck.impl.transactions.group import is_illegal_generation, is_loading, note_offset
from kafkacheck.impl.transactions.metadata import has_version_2
from kafkacheck.impl.transactions.records import CoordinatorTerm, Partition, PartitionId, Produce, ProduceSlot
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def raise_high_watermark(partition: Partition, offset: int) -> None:
    """Raise the high watermark to `offset`: everything below is replicated."""
    partition.high_watermark = offset
    forget_replicated(partition.index, offset)


def maybe_replicate(partition: Partition, rules: TransactionRules) -> None:
    """Replicate the appended records at once if the leader is alone in its ISR."""
    if rules.leader_is_alone:
        raise_high_watermark(partition, partition.log.end_offset)


def delete_partition(partition: Partition) -> None:
    """Erase a partition whose topic is deleted."""
    truncate_to(partition.log, 0)
    forget_producers(partition.log)
    partition.is_deleted = True
    partition.high_watermark = 0
    clear(partition.index)


def reload_partition(partition: Partition, rules: TransactionRules) -> None:
    """Forget the state in memory, and rebuild the producer state and the aborted-transaction index from the log."""
    rebuild_index(partition.log, partition.index, rules, partition.high_watermark)


def answer_produce(state: State, produce_id: int, error: ProduceError) -> None:
    """Answer the client, if one waits, and free the slot."""
    if produce_id < len(state.clients):
        receive_produce_answer(state, produce_id, error)
    clear(state.produces[produce_id])


def origin_of(produce: Produce) -> Origin:
    """Offsets come from the group coordinator, everything else from a client."""
    return Origin.COORDINATOR if produce.input_offset != NO_INPUT else Origin.CLIENT


def append_produce(state: State, rules: TransactionRules, produce_id: int) -> None:
    """Append the batch if it is valid, and answer the request. The log must not be full.

    TxnOffsetCommit comes here, too: its batch is the group's, and its generation is checked (KIP-447).
    """
    produce = state.produces[produce_id]
    partition = state.partitions[produce.partition]
    is_offset_commit = produce.input_offset != NO_INPUT
    error = append_error(partition.log, rules, produce.batch, produce.guard, origin_of(produce))
    if is_offset_commit and is_illegal_generation(state.group, rules, produce.generation):
        error = ProduceError.INVALID_TXN_STATE
    if error == ProduceError.NONE:
        append_batch(partition.log, rules, produce.batch)
        if is_offset_commit:
            note_offset(state.group, partition.log.end_offset - 1, produce.input_offset)
            state.group.pending[produce.batch.producer_id] = produce.input_offset
        maybe_replicate(partition, rules)
    answer_produce(state, produce_id, error)


def is_of_deleted_topic(state: State, rules: TransactionRules, produce: Produce) -> bool:
    """Whether the request is for a deleted topic, and another topic now has its name (UNKNOWN_TOPIC_ID)."""
    return rules.produce_names_topic_id and produce.incarnation != state.partitions[produce.partition].incarnation


def refuse_topic(state: State, produce_id: int) -> None:
    """Let a waiting client send its batch to the new topic; a request without a waiting client is dropped."""
    produce = state.produces[produce_id]
    if produce_id < len(state.clients):
        produce.incarnation = state.partitions[produce.partition].incarnation
    else:
        clear(produce)


def awaits_loading(state: State, produce: Produce) -> bool:
    """Whether offsets must wait because the group's coordinator is loading (COORDINATOR_LOAD_IN_PROGRESS)."""
    return produce.input_offset != NO_INPUT and is_loading(state.group)


def awaits_marker(log: PartitionLog, rules: TransactionRules, produce: Produce) -> bool:
    """Whether the producer's previous transaction is still open here (CONCURRENT_TRANSACTIONS)."""
    entry = log.producers[produce.batch.producer_id]
    if not rules.open_transaction_is_awaited or not has_open_transaction(entry):
        return False
    return produce.batch.producer_epoch > entry.producer_epoch


def is_duplicate(log: PartitionLog, batch: Batch) -> bool:
    """Whether this very batch is stored already, as far as the partition remembers."""
    return duplicate_offset(log.producers[batch.producer_id], batch, log.max_sequence) != NO_OFFSET


def leader_receives_produce(state: State, rules: TransactionRules, produce_id: ProduceSlot) -> bool:
    """The leader handles a produce request: it knows the batch already, appends it, or first asks the coordinator.

    Who: the leader of the partition.
    When: the request has arrived, the log has room, and no transaction of an earlier epoch is open; for offsets, the
        group coordinator is not loading.
    Effect: a duplicate is acknowledged. The first batch of a transaction is verified, with a guard; others are
        appended.
    Source: ReplicaManager.appendRecords, `maybeStartTransactionVerificationForPartition`; KIP-890, KAFKA-18575.
    """
    produce = state.produces[produce_id]
    if produce.stage != ProduceStage.REQUESTED:
        return False
    log = state.partitions[produce.partition].log
    if state.partitions[produce.partition].is_deleted:
        answer_produce(state, produce_id, ProduceError.NOT_LEADER_OR_FOLLOWER)
        return True
    if is_of_deleted_topic(state, rules, produce):
        refuse_topic(state, produce_id)
        return True
    if is_full(log) or awaits_marker(log, rules, produce) or awaits_loading(state, produce):
        return False
    if is_duplicate(log, produce.batch):
        answer_produce(state, produce_id, ProduceError.NONE)
        return True
    if not is_verified(rules, origin_of(produce)) or not needs_verification(log, produce.batch):
        append_produce(state, rules, produce_id)
        return True
    if log.last_verification_guard >= len(log.records):
        return False
    produce.guard = start_verification(log, rules, produce.batch)
    produce.stage = ProduceStage.VERIFYING
    return True


def produce_error_of(answer: Answer) -> ProduceError:
    """The error that the leader returns to the client if the coordinator refuses."""
    if answer == Answer.PRODUCER_FENCED:
        return ProduceError.INVALID_PRODUCER_EPOCH
    return ProduceError.INVALID_TXN_STATE


def coordinator_verifies_partition(
    state: State, rules: TransactionRules, produce_id: ProduceSlot, term: CoordinatorTerm
) -> bool:
    """A coordinator answers a leader that asks about the transaction of a batch.

    Who: a broker that believes that it is the coordinator.
    When: the leader asks, and the coordinator can do more than tell it to ask again.
    Effect: with transaction version 1 it says whether the partition is in the transaction; with version 2 it adds it.
    Source: TransactionCoordinator.handleVerifyPartitionsInTransaction, handleAddPartitionsToTransaction; KIP-890.
    """
    produce = state.produces[produce_id]
    if produce.stage != ProduceStage.VERIFYING:
        return False
    transactional = state.transactional_ids[produce.transactional_id]
    if not transactional.coordinators[term].is_serving:
        return False
    producer_id = produce.batch.producer_id
    producer_epoch = produce.batch.producer_epoch
    if has_version_2(rules, produce.is_upgraded):
        answer = add_partition(transactional, term, producer_id, producer_epoch, produce.partition, produce.is_upgraded)
    else:
        answer = verify_partition(transactional, term, producer_id, producer_epoch, produce.partition)
    if answer == Answer.WAIT:
        return False
    if answer == Answer.NONE:
        produce.stage = ProduceStage.VERIFIED
    elif answer != Answer.APPENDING:
        answer_produce(state, produce_id, produce_error_of(answer))
    return True


def leader_appends_verified(state: State, rules: TransactionRules, produce_id: ProduceSlot) -> bool:
    """The leader learns that the transaction is verified, and appends the batch if the verification is still valid.

    Who: the leader of the partition.
    When: the coordinator's consent has arrived, and the log has room.
    Effect: the batch is appended if its guard is still the partition's, and the request is answered. If another request
        has delivered the batch meanwhile, the batch is acknowledged and not stored again.
    Source: ReplicaManager.handleProduceAppend, UnifiedLog.analyzeAndValidateProducerState; KIP-890.
    """
    produce = state.produces[produce_id]
    if produce.stage != ProduceStage.VERIFIED:
        return False
    if state.partitions[produce.partition].is_deleted:
        answer_produce(state, produce_id, ProduceError.NOT_LEADER_OR_FOLLOWER)
        return True
    if is_duplicate(state.partitions[produce.partition].log, produce.batch):
        answer_produce(state, produce_id, ProduceError.NONE)
        return True
    if is_full(state.partitions[produce.partition].log):
        return False
    append_produce(state, rules, produce_id)
    return True


def partition_replicates(state: State, partition_id: PartitionId) -> bool:
    """The in-sync followers have fetched one more batch, and the leader raises the high watermark.

    Who: the leader.
    When: the high watermark is below the log's end.
    Effect: it rises by one; a transaction whose marker is now below it is replicated.
    Source: UnifiedLog.updateHighWatermark, ProducerStateManager.onHighWatermarkUpdated.
    """
    partition = state.partitions[partition_id]
    if partition.high_watermark >= partition.log.end_offset:
        return False
    raise_high_watermark(partition, partition.high_watermark + 1)
    return True
