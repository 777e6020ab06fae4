"""The steps of the partitions' leaders, and of their cleaners; a marker's answer goes back to its coordinator."""

from kafkacheck.checker.schema import clear, remove
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.offsets import complete_pending_offset
from kafkacheck.impl.ids import PartitionId
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.constants import Marker, ProduceError
from kafkacheck.impl.messages.write_txn_markers import MarkerRequest
from kafkacheck.impl.transactions.cleaner import clean_segment
from kafkacheck.impl.transactions.constants import Answer, ProduceStage
from kafkacheck.impl.transactions.leader import append_verified, receive_produce, write_marker
from kafkacheck.impl.transactions.partition import replicate
from kafkacheck.impl.transactions.records import (
    CoordinatorTerm,
    LateMarkerPlace,
    ProduceSlot,
    SegmentEnd,
    SegmentStart,
    TransactionalIdNumber,
)
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.clients import deliver_produce_answer
from kafkacheck.model.transactions.coordinators import tell_of_marker
from kafkacheck.model.transactions.system import State


def leader_receives_produce(state: State, rules: TransactionRules, bounds: Bounds, produce_id: ProduceSlot) -> bool:
    """The leader handles a produce request: it knows the batch already, appends it, or first asks the coordinator.

    Who: the leader of the partition.
    When: the request has arrived, the log has room, and no transaction of an earlier epoch is open; for offsets, the
        group coordinator is not loading.
    Effect: a duplicate is acknowledged. The first batch of a transaction is verified, with a guard; others are
        appended. A client whose topic is deleted sends its batch to the new topic of that name.
    Source: ReplicaManager.appendRecords, `maybeStartTransactionVerificationForPartition`; KIP-890, KAFKA-18575.
    """
    produce = state.produces[produce_id]
    if produce.stage != ProduceStage.REQUESTED:
        return False
    partition = state.partitions[produce.partition]
    answer = receive_produce(partition, state.group, rules, bounds, produce)
    if answer == Answer.WAIT:
        return False
    if answer == Answer.UNKNOWN_TOPIC_ID and produce_id < len(state.clients):
        produce.incarnation = partition.incarnation
    elif answer != Answer.VERIFYING:
        deliver_produce_answer(state, rules, produce_id, answer)
    return True


def leader_appends_verified(state: State, rules: TransactionRules, bounds: Bounds, produce_id: ProduceSlot) -> bool:
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
    answer = append_verified(state.partitions[produce.partition], state.group, rules, bounds, produce)
    if answer == Answer.WAIT:
        return False
    deliver_produce_answer(state, rules, produce_id, answer)
    return True


def end_pending_offset(state: State, rules: TransactionRules, partition_id: int, request: MarkerRequest) -> None:
    """Let the group coordinator apply a marker that its partition has stored."""
    if partition_id == state.offsets_partition:
        log = state.partitions[partition_id].log
        complete_pending_offset(state.group, rules, log, request.producer_id, request.marker)


def has_unfollowed(state: State, partition_id: int, producer_id: int) -> bool:
    """Whether the group coordinator must still apply a marker of the producer in the offsets partition."""
    return partition_id == state.offsets_partition and state.group.unfollowed[producer_id] != Marker.NONE


def deliver_marker(
    state: State, rules: TransactionRules, partition_id: int, request: MarkerRequest, term: int
) -> ProduceError:
    """Deliver a marker to the leader, and then to the group's coordinator. The log must not be full."""
    error = write_marker(state.partitions[partition_id], rules, request, term)
    if error == ProduceError.NONE:
        end_pending_offset(state, rules, partition_id, request)
    return error


def leader_writes_marker(
    state: State,
    rules: TransactionRules,
    transactional_id: TransactionalIdNumber,
    term: CoordinatorTerm,
    partition_id: PartitionId,
) -> bool:
    """The leader of a partition writes a marker, and the marker's coordinator learns of it.

    Who: the leader.
    When: the marker is under way, and there is room; the group coordinator has applied the producer's last marker.
    Effect: the marker is appended and ends the transaction there, unless its producer epoch or coordinator epoch is
        old. The coordinator awaits one marker fewer; if it was fenced, it gives up. A marker to a deleted partition is
        lost.
    Source: UnifiedLog.appendAsLeader, ProducerAppendInfo.appendEndTxnMarker; TransactionMarkerRequestCompletionHandler.
    """
    transactional = state.transactional_ids[transactional_id]
    request = transactional.coordinators[term].markers[partition_id]
    partition = state.partitions[partition_id]
    if not request.is_sent or has_unfollowed(state, partition_id, request.producer_id):
        return False
    if partition.is_deleted:
        clear(request)
        return True
    if is_full(partition.log):
        return False
    error = deliver_marker(state, rules, partition_id, request, term)
    clear(request)
    tell_of_marker(transactional, rules, term, partition_id, error)
    return True


def leader_writes_late_marker(state: State, rules: TransactionRules, place: LateMarkerPlace) -> bool:
    """The leader of a partition writes a marker that its coordinator has sent again, or no longer awaits.

    Who: the leader.
    When: the marker is under way, and the log has room.
    Effect: as in `leader_writes_marker`, but no coordinator learns of it.
    Source: KAFKA-19446, KIP-1228.
    """
    if place >= len(state.late_markers):
        return False
    late = state.late_markers[place]
    if is_full(state.partitions[late.partition].log):
        return False
    if not state.partitions[late.partition].is_deleted:
        deliver_marker(state, rules, late.partition, late.request, late.term)
    remove(state.late_markers, place)
    return True


def partition_replicates(state: State, partition_id: PartitionId) -> bool:
    """The in-sync followers have fetched one more batch from a leader."""
    return replicate(state.partitions[partition_id])


def cleaner_cleans_segment(
    state: State,
    rules: TransactionRules,
    bounds: Bounds,
    partition_id: PartitionId,
    start: SegmentStart,
    end: SegmentEnd,
) -> bool:
    """The cleaner of a partition cleans a segment, or only its first part."""
    return clean_segment(state.partitions[partition_id], rules, bounds, start, end)
