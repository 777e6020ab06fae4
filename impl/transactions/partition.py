"""A partition: appending, the last stable offset and the aborted-transaction index.

Part of Kafka modelled: `UnifiedLog` (`append`, `fetchLastStableOffsetMetadata`), `ProducerStateManager`
(`completeTxn`, `firstUnstableOffset`, `onHighWatermarkUpdated`), `TransactionIndex`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KAFKA-9807.
Left out, and why that is sound: which followers replicate: the high watermark may rise to the log's end at once, later
or never.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.producer.append import append_batch, append_error, learn_of
from kafkacheck.impl.producer.constants import NO_PRODUCER_ID, Marker, Origin, ProduceError
from kafkacheck.impl.producer.records import PartitionLog
from kafkacheck.impl.producer.reload import cut_log, forget_producers
from kafkacheck.impl.producer.state import has_open_transaction
from kafkacheck.impl.transactions.constants import NO_INPUT
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.impl.transactions.rules import TransactionRules


def first_open_transaction_offset(log: PartitionLog) -> int:
    """The first offset of the earliest open transaction in the log; the log's end if there is none."""
    first = log.end_offset
    for producer_id in range(len(log.producers)):
        if has_open_transaction(log.producers[producer_id]):
            first = min(first, log.producers[producer_id].current_transaction_first_offset)
    return first


def first_unstable_offset(partition: Partition) -> int:
    """The first offset of a transaction that is open or whose end is not replicated; the log's end if there is none."""
    first = first_open_transaction_offset(partition.log)
    for offset in range(len(partition.unreplicated)):
        if partition.unreplicated[offset] != NO_OFFSET:
            first = min(first, partition.unreplicated[offset])
    return first


def last_stable_offset(partition: Partition) -> int:
    """The last stable offset: everything below it is decided and replicated."""
    return min(first_unstable_offset(partition), partition.high_watermark)


def mark_replicated(partition: Partition, offset: int) -> None:
    """Raise the high watermark to `offset`: everything below is replicated."""
    partition.high_watermark = offset
    for ended in range(offset):
        partition.unreplicated[ended] = NO_OFFSET


def maybe_replicate(partition: Partition, rules: TransactionRules) -> None:
    """Replicate the appended records at once if the leader is alone in its ISR."""
    if rules.leader_is_alone:
        mark_replicated(partition, partition.log.end_offset)


def complete_transaction(partition: Partition, offset: int, first_offset: int) -> None:
    """Note which transaction the marker at `offset` ended, if that transaction has a record here."""
    if first_offset == NO_OFFSET:
        return
    partition.unreplicated[offset] = first_offset
    if partition.log.batches[offset].marker == Marker.ABORT:
        partition.aborted[offset].producer_id = partition.log.batches[offset].producer_id
        partition.aborted[offset].first_offset = first_offset
        partition.aborted[offset].last_stable_offset = first_unstable_offset_of_others(partition, offset)


def first_unstable_offset_of_others(partition: Partition, marker_offset: int) -> int:
    """The first offset of the earliest transaction that the marker leaves open; the offset after it if none is."""
    return min(first_open_transaction_offset(partition.log), marker_offset + 1)


def delete_partition(partition: Partition) -> None:
    """Erase a partition whose topic is deleted."""
    cut_log(partition.log, 0)
    forget_producers(partition.log)
    partition.is_deleted = True
    partition.high_watermark = 0
    for offset in range(len(partition.aborted)):
        partition.unreplicated[offset] = NO_OFFSET
        clear(partition.aborted[offset])


def reload_partition(partition: Partition, rules: TransactionRules) -> None:
    """Forget the state in memory, and rebuild the producer state and the aborted-transaction index from the log."""
    forget_producers(partition.log)
    for offset in range(partition.log.end_offset):
        clear(partition.aborted[offset])
        partition.unreplicated[offset] = NO_OFFSET
    for offset in range(partition.log.end_offset):
        batch = partition.log.batches[offset]
        if batch.producer_id != NO_PRODUCER_ID:
            first_offset = partition.log.producers[batch.producer_id].current_transaction_first_offset
            learn_of(partition.log, rules, offset)
            if batch.marker != Marker.NONE:
                complete_transaction(partition, offset, first_offset)
    mark_replicated(partition, partition.high_watermark)


def is_offset_commit(produce: Produce) -> bool:
    """Whether the request is a TxnOffsetCommit."""
    return produce.input_offset != NO_INPUT


def origin_of(produce: Produce) -> Origin:
    """Offsets come from the group coordinator, everything else from a client."""
    return Origin.COORDINATOR if is_offset_commit(produce) else Origin.CLIENT


def append_produce(partition: Partition, rules: TransactionRules, produce: Produce) -> ProduceError:
    """Append the batch if it is valid. The log must not be full."""
    error = append_error(partition.log, rules, produce.batch, produce.guard, origin_of(produce))
    if error == ProduceError.NONE:
        append_batch(partition.log, rules, produce.batch)
        maybe_replicate(partition, rules)
    return error


def replicate(partition: Partition) -> bool:
    """Learn that the in-sync followers have fetched one more batch, and raise the high watermark.

    Who: the leader.
    When: the high watermark is below the log's end.
    Effect: it rises by one; a transaction whose marker is now below it is replicated.
    Source: UnifiedLog.updateHighWatermark, ProducerStateManager.onHighWatermarkUpdated.
    """
    if partition.high_watermark >= partition.log.end_offset:
        return False
    mark_replicated(partition, partition.high_watermark + 1)
    return True
