"""The guarantees of an idempotent producer: each batch is stored once and in order, and each response is true.

Part of Kafka judged: `impl/producer`, by its records only.
Source: KIP-98 ("Idempotent Producer Guarantees"), KIP-360, KIP-890; the issues named below.
Left out, and why that is sound: batches with an unknown outcome, which may be stored or not.

These properties are about what clients were told and could read, not only about what is stored now. What could erase
their evidence is a deletion of records, so `State.deleted` remembers the batches that were deleted. A truncation or a
lost disk erases only what no consumer could read, because all replicas have what is below the high watermark.
"""

from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_BATCH, NO_SEQUENCE, Marker
from kafkacheck.impl.log.records import PartitionLog
from kafkacheck.impl.producer.constants import BatchStatus, Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.system import State


def is_stored_again(state: State, log: PartitionLog, offset: int) -> bool:
    """Whether the batch at an offset was deleted from another offset before."""
    batch_id = log.records[offset].id
    if batch_id == NO_BATCH or state.deleted[batch_id] == NO_OFFSET:
        return False
    return state.deleted[batch_id] != offset


def each_batch_is_stored_once(state: State) -> bool:
    """No log has the same batch of the application twice, nor again after it was deleted.

    Evidence: a deletion could erase the first copy, which consumers may have read; `State.deleted` remembers it.
    Lost to users: a consumer gets a record twice, although the application sent it once.
    Source: KIP-98; KAFKA-7190.
    """
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            for offset in range(log.start_offset, log.end_offset):
                if is_stored_again(state, log, offset):
                    return False
                for earlier in range(log.start_offset, offset):
                    if log.records[offset].id != NO_BATCH and log.records[offset].id == log.records[earlier].id:
                        return False
    return True


def follows_deleted(state: State, partition_id: int, log: PartitionLog, offset: int) -> bool:
    """Whether a batch that the application sent later lay before the batch at this offset, and was deleted."""
    batch_id = log.records[offset].id
    return batch_id != NO_BATCH and any(
        state.deleted[later] != NO_OFFSET and state.deleted[later] < offset
        for later in range(batch_id + 1, len(state.producer.batches))
        if state.producer.batches[later].partition == partition_id
    )


def batches_lie_in_order(state: State) -> bool:
    """Of two batches in one log, the one that the application sent first lies first.

    Evidence: a deletion erases it; `batches_are_read_in_order` has what was deleted.
    Lost to users: a consumer gets records in another order than the application sent them.
    Source: KIP-98; `max.in.flight.requests.per.connection`.
    """
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            for offset in range(log.start_offset, log.end_offset):
                for earlier in range(log.start_offset, offset):
                    if log.records[offset].id != NO_BATCH and log.records[offset].id < log.records[earlier].id:
                        return False
    return True


def batches_are_read_in_order(state: State) -> bool:
    """No log has a batch behind the place of a later one that was deleted.

    Evidence: a deletion could erase the later batch, which consumers may have read; `State.deleted` remembers it.
    Lost to users: a consumer gets records in another order than the application sent them.
    Source: KIP-98; KAFKA-7190.
    """
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            for offset in range(log.start_offset, log.end_offset):
                if follows_deleted(state, partition_id, log, offset):
                    return False
    return True


def batches_lie_in_their_partition(state: State) -> bool:
    """A batch that the application has sent to one partition is in no other partition.

    Lost to users: consumers of a topic get records of another topic, which they cannot read or must not see.
    Source: `KafkaProducer.send`; KAFKA-19012.
    """
    for partition_id, partition in enumerate(state.partitions):
        for replica_id in range(len(partition.replicas)):
            log = partition.replicas[replica_id].log
            for offset in range(log.start_offset, log.end_offset):
                batch_id = log.records[offset].id
                if batch_id != NO_BATCH and state.producer.batches[batch_id].partition != partition_id:
                    return False
    return True


def is_stored(log: PartitionLog, batch_id: int) -> bool:
    """Whether the log has the batch."""
    return any(log.records[offset].id == batch_id for offset in range(log.start_offset, log.end_offset))


def no_batch_is_passed_over(state: State) -> bool:
    """A leader has a batch only if it has every earlier valid batch that the producer still tries to store.

    Lost if it fails: the earlier batch has lost its place, and can never be stored in order.
    Source: KIP-98; KAFKA-14920.
    """
    for partition_id, partition in enumerate(state.partitions):
        log = partition.replicas[partition.leader].log
        for batch_id, batch in enumerate(state.producer.batches):
            is_meant = batch.status == BatchStatus.IN_FLIGHT or batch.status == BatchStatus.RETRYING
            if is_meant and batch.is_invalid == 0 and batch.partition == partition_id and log.start_offset == 0:
                if not is_stored(log, batch_id):
                    for later in range(batch_id + 1, len(state.producer.batches)):
                        if is_stored(log, later):
                            return False
    return True


def sequences_follow_each_other(state: State) -> bool:
    """In every log each batch's sequence follows the last sequence of the same producer id and epoch.

    Lost if it fails: the broker has stored a sequence twice, or one without its predecessor.
    Source: KIP-98; `ProducerAppendInfo.checkSequence`.
    """
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            for offset in range(log.start_offset, log.end_offset):
                if not follows_its_predecessor(log, offset):
                    return False
    return True


def follows_its_predecessor(log: PartitionLog, offset: int) -> bool:
    """Whether the batch's sequence follows the last earlier sequence of the same producer id and epoch."""
    batch = log.records[offset]
    expected = NO_SEQUENCE
    for earlier in range(log.start_offset, offset):
        other = log.records[earlier]
        if other.producer_id == batch.producer_id and other.producer_epoch == batch.producer_epoch:
            if other.marker == Marker.NONE:
                expected = (other.base_sequence + other.record_count) % (log.max_sequence + 1)
    return batch.marker != Marker.NONE or expected == NO_SEQUENCE or batch.base_sequence == expected


def older_epochs_are_fenced(state: State) -> bool:
    """In every log no batch or marker of a producer id follows one of a newer epoch.

    Lost if it fails: a producer that was replaced, or a batch that was given up, still has an effect.
    Source: KIP-98 (fencing of zombies).
    """
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            for offset in range(log.start_offset, log.end_offset):
                for earlier in range(log.start_offset, offset):
                    if log.records[offset].producer_id == log.records[earlier].producer_id:
                        if log.records[offset].producer_epoch < log.records[earlier].producer_epoch:
                            return False
    return True


def acknowledged_batches_are_stored(state: State) -> bool:
    """The leader has every acknowledged batch at its acknowledged offset, unless it was deleted from there.

    Evidence: a log that begins above the offset does not show what was there; `State.deleted` does.
    Lost to users: a record that was acknowledged to the application.
    Source: KIP-98; acks=all.
    """
    for batch_id, batch in enumerate(state.producer.batches):
        if batch.status == BatchStatus.ACKNOWLEDGED:
            partition = state.partitions[batch.partition]
            log = partition.replicas[partition.leader].log
            if batch.offset >= log.start_offset and log.records[batch.offset].id != batch_id:
                return False
            if batch.offset < log.start_offset and state.deleted[batch_id] != batch.offset:
                return False
    return True


def failed_batches_are_absent(state: State) -> bool:
    """The leader has no batch whose producer was told that it is refused for good, and had none that was deleted.

    Evidence: a deletion could erase the batch, which consumers may have read; `State.deleted` remembers it.
    Lost to users: the application sends the record again as another batch, and consumers get both.
    Source: KIP-98; `TransactionManager.handleFailedBatch`.
    """
    for batch_id, batch in enumerate(state.producer.batches):
        if batch.status == BatchStatus.FAILED:
            partition = state.partitions[batch.partition]
            if is_stored(partition.replicas[partition.leader].log, batch_id) or state.deleted[batch_id] != NO_OFFSET:
                return False
    return True


def remembers_last_batch(log: PartitionLog, producer_id: int) -> bool:
    """Whether the newest remembered batch of a producer id is that id's last batch in the log."""
    remembered = log.producers[producer_id].batches[0]
    last_offset = NO_OFFSET
    for offset in range(log.start_offset, log.end_offset):
        if log.records[offset].producer_id == producer_id and log.records[offset].marker == Marker.NONE:
            last_offset = offset
    if last_offset == NO_OFFSET:
        return remembered.offset < log.start_offset
    last = log.records[last_offset]
    if remembered.offset != last_offset:
        return False
    return remembered.last_sequence == (last.base_sequence + last.record_count - 1) % (log.max_sequence + 1)


def producer_state_matches_log(state: State) -> bool:
    """The last batch that a broker remembers of a producer is that producer's last batch in its log.

    Lost if it fails: a batch that is sent again is acknowledged but not stored, or is stored twice.
    Source: `ProducerStateManager.truncateAndReload`; KAFKA-5249, KAFKA-9892.
    """
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            for producer_id in range(len(log.producers)):
                if not remembers_last_batch(log, producer_id):
                    return False
    return True


def ends_behind(log: PartitionLog, producer_id: int, first_offset: int) -> bool:
    """Whether a marker of the producer is stored at `first_offset` or later."""
    return any(
        batch.marker != Marker.NONE
        for offset, batch in enumerate(log.records)
        if first_offset <= offset < log.end_offset and batch.producer_id == producer_id
    )


def open_transactions_are_stored(state: State) -> bool:
    """The log of a broker has the first batch of each transaction that it considers open, and no marker after that.

    Lost if it fails: the last stable offset lies at an offset without a batch: a replica cannot follow, or it leads and
        lets nobody read past a transaction that does not exist.
    Source: `ProducerStateManager.firstUnstableOffset`; KAFKA-12153.
    """
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            for producer_id in range(len(log.producers)):
                first_offset = log.producers[producer_id].current_transaction_first_offset
                if first_offset >= log.end_offset:
                    return False
                if first_offset != NO_OFFSET and ends_behind(log, producer_id, first_offset):
                    return False
    return True


def open_transaction(state: State) -> bool:
    """A broker considers a transaction open. Without an example none can be truncated."""
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            for producer_id in range(len(log.producers)):
                if log.producers[producer_id].current_transaction_first_offset != NO_OFFSET:
                    return True
    return False


def sends_that_returned_are_safe(state: State, rules: ProducerRules) -> bool:
    """A batch that the application may consider sent is stored, or its producer still has it.

    Lost to users: a record that the application handed over, and whose outcome it never learned.
    Source: `KafkaProducer.send`; `producer.type`.
    """
    for batch_id, batch in enumerate(state.producer.batches):
        log = state.partitions[batch.partition].replicas[state.partitions[batch.partition].leader].log
        is_taken_for_sent = batch.status == BatchStatus.ACKNOWLEDGED and batch.offset >= log.start_offset
        if rules.sending == Sending.BUFFERED and batch.status == BatchStatus.LOST:
            is_taken_for_sent = True
        if is_taken_for_sent and not is_stored(log, batch_id):
            return False
    return True


def acknowledged_batch(state: State) -> bool:
    """A batch is acknowledged. Without an example nothing can be lost."""
    return any(batch.offset != NO_OFFSET for batch in state.producer.batches)


def deleted_batch(state: State) -> bool:
    """A batch that may be sent again was deleted. Without an example no evidence is erased."""
    return any(
        state.deleted[batch_id] != NO_OFFSET and batch.status == BatchStatus.RETRYING
        for batch_id, batch in enumerate(state.producer.batches)
    )


def retry_of_stored_batch(state: State) -> bool:
    """A batch that is stored waits to be sent again. Without an example no duplicate is tested."""
    for batch_id, batch in enumerate(state.producer.batches):
        if batch.status == BatchStatus.RETRYING:
            partition = state.partitions[batch.partition]
            if is_stored(partition.replicas[partition.leader].log, batch_id):
                return True
    return False


def two_batches_in_flight(state: State) -> bool:
    """Two batches are in flight. Without an example none can overtake another."""
    return any(
        state.producer.batches[earlier].status == BatchStatus.IN_FLIGHT
        for batch_id in range(len(state.producer.batches))
        for earlier in range(batch_id)
        if state.producer.batches[batch_id].status == BatchStatus.IN_FLIGHT
    )
