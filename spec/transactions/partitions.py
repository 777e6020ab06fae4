"""The batches of transactions that leaders of partitions store or refuse, and how markers end transactions.

Part of Kafka judged: `impl/transactions` (`leader.py`, `partition.py`, `cleaner.py`) and `impl/coordinator/markers.py`,
by their records only.
Source: KIP-98, KIP-890; apache/kafka `ReplicaManager`, `ProducerStateManager`, `LogCleaner`.
Left out, and why that is sound: that something is eventually stored or ended, which only liveness can say.
"""

from kafkacheck.checker.schema import Bag
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_ID, NO_SEQUENCE, Marker
from kafkacheck.impl.log.records import Batch, PartitionLog
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.messages.write_txn_markers import LateMarker, MarkerRequest
from kafkacheck.impl.transactions.constants import NO_INPUT, ProducerState, ProduceStage
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions.coordinators import is_of_version_2
from kafkacheck.spec.transactions.properties import fate_of
from kafkacheck.spec.transactions.steps import stable_offset


def is_open(log: PartitionLog, producer_id: int) -> bool:
    """Whether the producer has an open transaction in the log."""
    return log.producers[producer_id].current_transaction_first_offset != NO_OFFSET


def verified_batches_have_a_guard(before: State, after: State) -> bool:
    """A leader asks a coordinator only about the first batch of a transaction, and does so under a guard.

    Lost if it fails: a batch is stored because another batch was verified.
    Source: `UnifiedLog.maybeStartTransactionVerification`, `VerificationGuard`; KIP-890.
    """
    for produce_id in range(len(before.produces)):
        now = after.produces[produce_id]
        if before.produces[produce_id].stage == ProduceStage.REQUESTED and now.stage == ProduceStage.VERIFYING:
            if now.guard == 0 or is_open(before.partitions[now.partition].log, now.batch.producer_id):
                return False
    return True


def verifications_are_joined(before: State, after: State) -> bool:
    """A verification under way keeps its guard, and never lowers its epoch or raises the lowest sequence in an epoch.

    Its epoch and sequence cover each batch that is being verified.

    Lost if it fails: if a batch has two requests, the second one voids the first one's verification, again and again;
    or a later batch is stored first.
    Source: `VerificationStateEntry.maybeUpdateLowestSequenceAndEpoch`; KIP-890, KAFKA-14920.
    """
    for partition_id in range(len(before.partitions)):
        was = before.partitions[partition_id].log
        now = after.partitions[partition_id].log
        for producer_id, old in enumerate(was.verifications):
            new = now.verifications[producer_id]
            if old.guard != 0 and new.guard != 0:
                if old.guard != new.guard or new.producer_epoch < old.producer_epoch:
                    return False
                if old.producer_epoch == new.producer_epoch and new.lowest_sequence > old.lowest_sequence:
                    return False
    for produce_id in range(len(before.produces)):
        produce = after.produces[produce_id]
        if before.produces[produce_id].stage == ProduceStage.REQUESTED and produce.stage == ProduceStage.VERIFYING:
            batch = produce.batch
            verification = after.partitions[produce.partition].log.verifications[batch.producer_id]
            if verification.producer_epoch < batch.producer_epoch:
                return False
            if verification.producer_epoch == batch.producer_epoch:
                if verification.lowest_sequence > batch.base_sequence:
                    return False
    return True


def verifications_are_of_the_newest_epoch(state: State, rules: TransactionRules) -> bool:
    """No verification is under way in an older epoch than the newest that the leader knows of the producer.

    Lost if it fails: a batch of a later transaction joins a verification that was begun for an ended one.
    Source: `UnifiedLog.maybeStartTransactionVerification`, `ProducerStateManager.clearVerificationStateEntry`;
    KAFKA-18042.
    """
    if not rules.log.old_epoch_is_refused_early:
        return True
    return all(
        verification.guard == 0 or verification.producer_epoch >= partition.log.producers[producer_id].producer_epoch
        for partition in state.partitions
        for producer_id, verification in enumerate(partition.log.verifications)
    )


def markers_leave_the_next_verification(before: State, after: State, rules: TransactionRules) -> bool:
    """A marker of version 2 has the next transaction's epoch, and does not end that transaction's verification.

    Lost if it fails: the next transaction's first batch is refused although its client did nothing wrong.
    Source: `UnifiedLog.appendAsLeader`, `VerificationStateEntry.supportsEpochBump`; KIP-890.
    """
    if before.budget != after.budget:  # a broker that cannot write forgets what it was verifying
        return True
    for partition_id, partition in enumerate(before.partitions):
        log = after.partitions[partition_id].log
        end_offset = partition.log.end_offset
        if log.end_offset == end_offset + 1 and log.records[end_offset].marker != Marker.NONE:
            marker = log.records[end_offset]
            verification = partition.log.verifications[marker.producer_id]
            is_of_next = verification.supports_epoch_bump == 1 and verification.producer_epoch == marker.producer_epoch
            if is_of_next and rules.log.transaction_is_of_epoch and verification.guard != 0:
                if log.verifications[marker.producer_id].guard != verification.guard:
                    return False
    return True


def comes_next(log: PartitionLog, batch: Batch) -> bool:
    """Whether a batch directly follows the batches that the log has of its producer."""
    entry = log.producers[batch.producer_id]
    if batch.producer_epoch < entry.producer_epoch:
        return False
    if batch.base_sequence == NO_SEQUENCE:
        return True
    is_found = False
    expected = 0
    for offset in range(log.end_offset):
        other = log.records[offset]
        if other.producer_id == batch.producer_id:
            is_found = True
            if other.producer_epoch != batch.producer_epoch:
                expected = 0
            elif other.marker == Marker.NONE and other.base_sequence != NO_SEQUENCE:
                expected = (other.base_sequence + other.record_count) % (log.max_sequence + 1)
    return is_found and batch.base_sequence == expected


def is_last(log: PartitionLog, batch: Batch) -> bool:
    """Whether the batch is the last one that the log has of its producer."""
    found = NO_BATCH
    for offset in range(log.end_offset):
        if log.records[offset].producer_id == batch.producer_id:
            found = log.records[offset].id
    return found == batch.id and batch.base_sequence != NO_SEQUENCE


def may_be_refused(state: State, produce: Produce) -> bool:
    """Whether the leader has a reason to refuse a request's batch."""
    partition = state.partitions[produce.partition]
    if partition.is_deleted or (produce.input_offset != NO_INPUT and produce.generation != state.group.generation):
        return True
    log = partition.log
    if is_last(log, produce.batch):
        return False
    verification = log.verifications[produce.batch.producer_id]
    if not is_open(log, produce.batch.producer_id):
        if verification.guard != produce.guard:
            return True
    if verification.guard != 0 and verification.lowest_sequence < produce.batch.base_sequence:
        return True
    return not comes_next(log, produce.batch)


def only_what_does_not_fit_is_refused(before: State, after: State) -> bool:
    """A leader refuses neither a producer's last stored batch nor the next batch of a verified transaction.

    Lost if it fails: a correct application can only abort its transaction.
    Source: `UnifiedLog.analyzeAndValidateProducerState`, `ProducerAppendInfo.checkSequence`.
    """
    for client_id in range(len(before.clients)):
        produce = before.produces[client_id]
        is_looked_at = produce.stage == ProduceStage.REQUESTED or produce.stage == ProduceStage.VERIFIED
        is_given_up = before.budget.delays != after.budget.delays
        if is_looked_at and after.produces[client_id].stage == ProduceStage.IDLE and not is_given_up:
            if before.clients[client_id].state == ProducerState.IN_TRANSACTION:
                now = after.clients[client_id].state
                if now == ProducerState.ABORTABLE_ERROR or now == ProducerState.FATAL_ERROR:
                    if not may_be_refused(before, produce):
                        return False
    return True


def is_sent_to(state: State, rules: TransactionRules, partition_id: int, batch: Batch) -> bool:
    """Whether a request has the batch for this very topic, and may be appended now: its transaction is verified."""
    partition = state.partitions[partition_id]
    return any(
        (
            produce.stage == ProduceStage.REQUESTED
            and (is_open(partition.log, batch.producer_id) or not rules.log.verification)
        )
        or produce.stage == ProduceStage.VERIFIED
        for produce in state.produces
        if produce.partition == partition_id and produce.incarnation == partition.incarnation
        if produce.batch.id == batch.id and produce.batch.producer_epoch == batch.producer_epoch
    )


def only_verified_batches_are_stored(before: State, after: State, rules: TransactionRules) -> bool:
    """A batch that a leader stores was sent to this very topic, and its transaction is verified or open.

    Lost if it fails: a batch is stored that no marker will end, or that was sent to a deleted topic.
    Source: `ReplicaManager.appendRecords`; KIP-516, KIP-890.
    """
    for partition_id, was in enumerate(before.partitions):
        now = after.partitions[partition_id]
        if now.log.end_offset > was.log.end_offset:
            batch = now.log.records[was.log.end_offset]
            if was.is_deleted:
                return False
            if batch.producer_id != NO_PRODUCER_ID and batch.marker == Marker.NONE:
                if not is_sent_to(before, rules, partition_id, batch):
                    return False
    return True


def strays_keep_their_topic(before: State, after: State) -> bool:
    """A stray produce request is not sent to another topic; a client's own produce request is not forgotten.

    Lost if it fails: a deleted topic's record is stored in a new one; or a client commits a record that was not stored.
    Source: UNKNOWN_TOPIC_ID; KIP-516.
    """
    for produce_id, was in enumerate(before.produces):
        now = after.produces[produce_id]
        if produce_id >= len(before.clients):
            if was.stage != ProduceStage.IDLE and now.stage != ProduceStage.IDLE and was.incarnation != now.incarnation:
                return False
        elif was.stage == ProduceStage.REQUESTED and now.stage == ProduceStage.IDLE:
            if after.clients[produce_id].state == ProducerState.IN_TRANSACTION:
                transaction = after.clients[produce_id].transaction
                if was.partition not in after.transactions[transaction].acknowledged:
                    return False
    return True


def is_fenced(log: PartitionLog, rules: TransactionRules, request: MarkerRequest, term: int) -> bool:
    """Whether a marker comes too late, according to its producer epoch or its coordinator epoch."""
    entry = log.producers[request.producer_id]
    if request.producer_epoch < entry.producer_epoch or term < entry.coordinator_epoch:
        return True
    is_same = request.producer_epoch == entry.producer_epoch
    return is_same and is_of_version_2(rules, request.is_upgraded) and is_open(log, request.producer_id)


def is_written(was: Partition, now: Partition, request: MarkerRequest) -> bool:
    """Whether the marker was appended in this step."""
    if now.log.end_offset != was.log.end_offset + 1:
        return False
    stored = now.log.records[was.log.end_offset]
    is_of_producer = stored.producer_id == request.producer_id and stored.producer_epoch == request.producer_epoch
    return is_of_producer and stored.marker == request.marker


def is_rightly_done(
    before: State, after: State, rules: TransactionRules, partition_id: int, request: MarkerRequest, term: int
) -> bool:
    """Whether a marker no longer under way was written, or was not because it is fenced or has no partition."""
    was = before.partitions[partition_id]
    now = after.partitions[partition_id]
    if was.is_deleted or is_fenced(was.log, rules, request, term):
        return now.log.end_offset == was.log.end_offset
    if partition_id == before.offsets_partition and before.group.unfollowed[request.producer_id] != Marker.NONE:
        return True
    return is_written(was, now, request)


def copies_of(late: LateMarker, late_markers: Bag[LateMarker]) -> int:
    """How many late markers equal this one."""
    return sum(1 for other in late_markers if other == late)


def markers_are_written_unless_fenced(before: State, after: State, rules: TransactionRules) -> bool:
    """A marker that reaches its partition is written, unless it is fenced or the topic is deleted.

    Lost if it fails: a transaction stays open; or a fenced marker ends the next transaction.
    Source: `ProducerAppendInfo.appendEndTxnMarker`; KIP-98, KIP-1228.
    """
    for transactional_id, transactional in enumerate(before.transactional_ids):
        for term in range(len(transactional.coordinators)):
            for partition_id in range(len(before.partitions)):
                request = transactional.coordinators[term].markers[partition_id]
                now = after.transactional_ids[transactional_id].coordinators[term].markers[partition_id]
                if request.is_sent and not now.is_sent:
                    if not is_rightly_done(before, after, rules, partition_id, request, term):
                        return False
    return all(
        is_rightly_done(before, after, rules, late.partition, late.request, late.term)
        for late in before.late_markers
        if copies_of(late, after.late_markers) < copies_of(late, before.late_markers)
    )


def markers_go_where_they_are_awaited(before: State, after: State) -> bool:
    """A coordinator sends a marker only to a partition that exists and that it still has to mark.

    Lost if it fails: requests are sent that nobody can answer.
    Source: TransactionMarkerChannelManager.addTxnMarkersToSend; KAFKA-5202.
    """
    for transactional_id, transactional in enumerate(before.transactional_ids):
        for term, coordinator in enumerate(transactional.coordinators):
            now = after.transactional_ids[transactional_id].coordinators[term]
            for partition_id in range(len(before.partitions)):
                if now.markers[partition_id].is_sent and not coordinator.markers[partition_id].is_sent:
                    if before.partitions[partition_id].is_deleted:
                        return False
                    if not coordinator.is_marking or partition_id not in coordinator.unmarked:
                        return False
    return True


def pending_offsets_follow_their_marker(before: State, after: State) -> bool:
    """A marker in the offsets partition commits or drops its producer's pending offset, at once or later.

    Lost if it fails: the offset stays pending, and nobody can read on; or a committed offset does not count.
    Source: GroupMetadataManager.handleTxnCompletion; KIP-98, KAFKA-5247.
    """
    if before.offsets_partition < 0:
        return True
    was = before.partitions[before.offsets_partition].log
    now = after.partitions[before.offsets_partition].log
    for producer_id in range(len(before.group.pending)):
        is_marked = False
        if now.end_offset > was.end_offset and now.records[was.end_offset].marker != Marker.NONE:
            is_marked = now.records[was.end_offset].producer_id == producer_id
        is_followed = before.group.unfollowed[producer_id] != Marker.NONE
        is_followed = is_followed and after.group.unfollowed[producer_id] == Marker.NONE
        pending = before.group.pending[producer_id]
        if is_marked and after.group.unfollowed[producer_id] == Marker.NONE:
            is_followed = True
        if is_followed:
            if after.group.pending[producer_id] != NO_INPUT:
                return False
            if pending != NO_INPUT and is_last_commit(now, producer_id) and after.group.committed != pending:
                return False
    return True


def is_last_commit(log: PartitionLog, producer_id: int) -> bool:
    """Whether the producer's last marker is a COMMIT, and no offset outside transactions follows its last record."""
    marker = Marker.NONE
    is_overtaken = False
    for offset in range(log.end_offset):
        batch = log.records[offset]
        if batch.producer_id == NO_PRODUCER_ID:
            is_overtaken = True
        elif batch.producer_id == producer_id:
            if batch.marker == Marker.NONE:
                is_overtaken = False
            marker = batch.marker
    return marker == Marker.COMMIT and not is_overtaken


def followed_markers_are_answered(before: State, after: State) -> bool:
    """Once the group's coordinator has followed a marker, no transaction coordinator sends that marker again.

    Lost if it fails: the marker is written again, and its transaction completes later than it must.
    Source: GroupMetadataManager.scheduleHandleTxnCompletion; KAFKA-17507.
    """
    for producer_id in range(len(before.group.unfollowed)):
        if before.group.unfollowed[producer_id] != Marker.NONE and after.group.unfollowed[producer_id] == Marker.NONE:
            for transactional in after.transactional_ids:
                for term in range(len(transactional.coordinators)):
                    request = transactional.coordinators[term].markers[after.offsets_partition]
                    if request.is_sent and request.producer_id == producer_id:
                        return False
    return True


def aborted_index_names_transactions(state: State) -> bool:
    """Every entry of the aborted-transaction index says where a transaction begins, or is blank.

    Lost if it fails: a reader skips records for a transaction that has none there.
    Source: `TransactionIndex.append`.
    """
    return all(
        (entry.producer_id == NO_PRODUCER_ID) == (entry.first_offset == NO_OFFSET)
        for partition in state.partitions
        for entry in partition.index.aborted
    )


def remembered_batches_have_sequences(state: State) -> bool:
    """The last batch that a partition remembers of a producer has a sequence; offsets of a group have none.

    Lost if it fails: the next batch of that epoch is refused, because it does not follow the offsets.
    Source: `ProducerAppendInfo.append` (batches without sequence), `ProducerStateEntry`.
    """
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for producer_id in range(len(log.producers)):
            newest = log.producers[producer_id].batches[0]
            if newest.offset != NO_OFFSET and newest.last_sequence == NO_SEQUENCE:
                return False
    return True


def second_batch_of_epoch(state: State) -> bool:
    """A partition has two batches of one producer and epoch. Without an example no sequence follows another one."""
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for offset in range(log.end_offset):
            if log.records[offset].base_sequence > 0:
                for earlier in range(offset):
                    if log.records[earlier].producer_id == log.records[offset].producer_id:
                        if log.records[earlier].producer_epoch == log.records[offset].producer_epoch:
                            return True
    return False


def is_removed(before: Partition, after: Partition, offset: int) -> bool:
    """Whether the cleaner has removed the batch at that offset."""
    return before.log.records[offset].producer_id != NO_PRODUCER_ID and (
        after.log.records[offset].producer_id == NO_PRODUCER_ID
    )


def has_data_before(partition: Partition, producer_id: int, marker_offset: int) -> bool:
    """Whether a record is left of the transaction that the producer's marker at that offset ended."""
    has_data = False
    for offset in range(marker_offset):
        if partition.log.records[offset].producer_id == producer_id:
            has_data = partition.log.records[offset].marker == Marker.NONE
    return has_data


def the_cleaner_removes_what_nobody_needs(before: State, after: State, bounds: Bounds) -> bool:
    """The cleaner removes only aborted records and markers without records, all of one stable segment.

    Lost if it fails: a committed record; or a reader from the start takes an aborted record for a committed one.
    Source: `LogCleaner.cleanInto`, `CleanedTransactionMetadata`; KAFKA-8351.
    """
    for was, now in zip(before.partitions, after.partitions):
        removed = 0
        for offset in range(was.log.end_offset):
            if is_removed(was, now, offset):
                removed += 1
                if offset >= stable_offset(was):
                    return False
                if was.log.records[offset].marker == Marker.NONE and fate_of(was, offset) != Marker.ABORT:
                    return False
                if was.log.records[offset].marker != Marker.NONE:
                    if has_data_before(now, was.log.records[offset].producer_id, offset):
                        return False
        if removed > bounds.segment_size:
            return False
    return True


def aborted_record_is_cleaned(state: State) -> bool:
    """An aborted record is removed while its marker remains. Without an example the cleaner removes nothing."""
    for partition in state.partitions:
        for offset in range(len(partition.index.aborted)):
            first_offset = partition.index.aborted[offset].first_offset
            if first_offset != NO_OFFSET and partition.log.records[first_offset].producer_id == NO_PRODUCER_ID:
                return True
    return False


def has_anything(log: PartitionLog) -> bool:
    """Whether the log has a batch of any producer left."""
    return any(log.records[offset].producer_id != NO_PRODUCER_ID for offset in range(log.end_offset))


def marker_is_cleaned(state: State) -> bool:
    """Nothing is left of a transaction in a partition where it had a record, not even its marker."""
    return any(
        not has_anything(state.partitions[partition_id].log)
        for transaction in state.transactions
        for partition_id in transaction.acknowledged
    )


def last_marker_is_cleaned(state: State) -> bool:
    """The log's last batch is removed: the cleaner goes up to the last stable offset."""
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        if log.end_offset > 0 and log.records[log.end_offset - 1].producer_id == NO_PRODUCER_ID:
            return True
    return False
