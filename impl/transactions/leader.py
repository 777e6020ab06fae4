"""The leader of a partition in transactions: it verifies and stores batches, and writes markers.

Part of Kafka modelled: `ReplicaManager.appendRecords` with `AddPartitionsToTxnManager`;
`KafkaApis.handleWriteTxnMarkersRequest`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-890, KIP-1228, KAFKA-18575, KAFKA-19999.
Left out, and why that is sound: the leader's request to the coordinator: the produce request stands for it, in a stage
of its own.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.offsets import commit_in_transaction, is_loading_offsets
from kafkacheck.impl.coordinator.records import Group
from kafkacheck.impl.coordinator.transaction_metadata import has_version_2
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.append import append_marker, is_verified, marker_error
from kafkacheck.impl.log.constants import ProduceError
from kafkacheck.impl.log.producer_state import duplicate_offset, has_open_transaction
from kafkacheck.impl.log.reading import capacity, end_of, known_epoch, newest_guard, open_transaction_offset
from kafkacheck.impl.log.records import Batch, PartitionLog
from kafkacheck.impl.log.transactions import complete_transaction
from kafkacheck.impl.log.verification import needs_verification, start_verification, verification_error
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.messages.write_txn_markers import MarkerRequest
from kafkacheck.impl.transactions.constants import Answer, ProduceStage
from kafkacheck.impl.transactions.partition import (
    append_produce,
    is_offset_commit,
    maybe_replicate,
    origin_of,
    reload_partition,
)
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.impl.transactions.rules import TransactionRules


def is_of_deleted_topic(partition: Partition, rules: TransactionRules, produce: Produce) -> bool:
    """Whether the request is for a deleted topic, and another topic now has its name (UNKNOWN_TOPIC_ID)."""
    return rules.produce_names_topic_id and produce.incarnation != partition.incarnation


def awaits_marker(log: PartitionLog, rules: TransactionRules, produce: Produce) -> bool:
    """Whether the producer's previous transaction is still open here (CONCURRENT_TRANSACTIONS)."""
    producer_id = produce.batch.producer_id
    if not rules.open_transaction_is_awaited or not has_open_transaction(log, producer_id):
        return False
    return produce.batch.producer_epoch > known_epoch(log, producer_id)


def awaits_loading(group: Group, produce: Produce) -> bool:
    """Whether offsets must wait because the group's coordinator is loading (COORDINATOR_LOAD_IN_PROGRESS)."""
    return is_offset_commit(produce) and is_loading_offsets(group)


def is_duplicate(log: PartitionLog, batch: Batch) -> bool:
    """Whether this very batch is stored already, as far as the partition remembers."""
    return duplicate_offset(log, batch) != NO_OFFSET


def must_verify(log: PartitionLog, rules: TransactionRules, produce: Produce) -> bool:
    """Whether the coordinator must confirm the batch's transaction first."""
    return is_verified(rules.log, origin_of(produce)) and needs_verification(log, rules.log, produce.batch)


def answer_of_error(error: ProduceError) -> Answer:
    """The answer to a produce request with this outcome."""
    if error == ProduceError.NONE:
        return Answer.NONE
    return Answer.PRODUCER_FENCED if error == ProduceError.INVALID_PRODUCER_EPOCH else Answer.INVALID_TXN_STATE


def store(partition: Partition, group: Group, rules: TransactionRules, bounds: Bounds, produce: Produce) -> Answer:
    """Append the batch if it is valid; the group's coordinator on this broker keeps the offset that it commits."""
    if is_offset_commit(produce):
        return answer_of_error(commit_in_transaction(group, partition, rules, bounds, produce))
    return answer_of_error(append_produce(partition, rules, produce))


def receive_produce(
    partition: Partition, group: Group, rules: TransactionRules, bounds: Bounds, produce: Produce
) -> Answer:
    """Handle a request to store a batch: the leader has it already, appends it, or first asks the coordinator."""
    log = partition.log
    if partition.is_deleted:
        return Answer.NOT_LEADER_OR_FOLLOWER
    if is_of_deleted_topic(partition, rules, produce):
        return Answer.UNKNOWN_TOPIC_ID
    if is_full(log) or awaits_marker(log, rules, produce) or awaits_loading(group, produce):
        return Answer.WAIT
    if is_duplicate(log, produce.batch):
        return Answer.NONE
    if not must_verify(log, rules, produce):
        return store(partition, group, rules, bounds, produce)
    if newest_guard(log) >= capacity(log):
        return Answer.WAIT
    error = verification_error(log, rules.log, produce.batch)
    if error != ProduceError.NONE:
        return answer_of_error(error)
    supports_epoch_bump = int(has_version_2(rules, produce.is_upgraded))
    produce.guard = start_verification(log, rules.log, produce.batch, supports_epoch_bump)
    produce.stage = ProduceStage.VERIFYING
    return Answer.VERIFYING


def append_verified(
    partition: Partition, group: Group, rules: TransactionRules, bounds: Bounds, produce: Produce
) -> Answer:
    """Append a batch whose transaction the coordinator has confirmed, if the verification is still valid."""
    if partition.is_deleted:
        return Answer.NOT_LEADER_OR_FOLLOWER
    if is_duplicate(partition.log, produce.batch):
        return Answer.NONE
    if is_full(partition.log):
        return Answer.WAIT
    return store(partition, group, rules, bounds, produce)


def comes_too_late(log: PartitionLog, rules: TransactionRules, request: MarkerRequest) -> bool:
    """Whether the marker comes too late to end a transaction: the partition has already seen its epoch (KIP-1228).

    With transaction version 2 a marker's epoch is higher than the epoch of the records that it ends.
    """
    if not has_version_2(rules, request.is_upgraded) or not rules.marker_epoch_is_higher:
        return False
    if request.producer_epoch != known_epoch(log, request.producer_id):
        return False
    return has_open_transaction(log, request.producer_id) or not rules.repeated_marker_is_written


def error_of_marker(log: PartitionLog, rules: TransactionRules, request: MarkerRequest, term: int) -> ProduceError:
    """Why the leader may not write a marker; `NONE` if it may."""
    if comes_too_late(log, rules, request):
        return ProduceError.INVALID_PRODUCER_EPOCH
    return marker_error(log, request.producer_id, request.producer_epoch, term)


def write_marker(partition: Partition, rules: TransactionRules, request: MarkerRequest, term: int) -> ProduceError:
    """Let the partition's leader write the marker, unless the marker is fenced. The log must not be full."""
    error = error_of_marker(partition.log, rules, request, term)
    if error == ProduceError.NONE:
        first_offset = open_transaction_offset(partition.log, request.producer_id)
        append_marker(partition.log, rules.log, request.producer_id, request.producer_epoch, term, request.marker)
        complete_transaction(partition.log, partition.index, end_of(partition.log) - 1, first_offset)
        maybe_replicate(partition, rules)
    return error


def write_marker_without_index(
    partition: Partition, rules: TransactionRules, request: MarkerRequest, term: int
) -> ProduceError:
    """Write an ABORT marker whose entry in the aborted-transaction index cannot be written.

    The disk counts as failed, and the next leader rebuilds the index from the log. Before KAFKA-7866 the transaction
    had already ended by then, and the leader goes on without the entry.
    """
    error = error_of_marker(partition.log, rules, request, term)
    if error == ProduceError.NONE:
        append_marker(partition.log, rules.log, request.producer_id, request.producer_epoch, term, request.marker)
        maybe_replicate(partition, rules)
        if rules.index_comes_first:
            reload_partition(partition, rules)
    return error
