"""A partition: appending, and the high watermark.

Part of Kafka modelled: `Partition`, `UnifiedLog` (`append`, `updateHighWatermark`).
Source: apache/kafka (commit 1eb7644349); KIP-98.
Left out, and why that is sound: which followers replicate: the high watermark may rise to the log's end at once, later
or never.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.log import truncate_to
from kafkacheck.impl.log.append import append_batch, append_error
from kafkacheck.impl.log.constants import Origin, ProduceError
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.log.reload import forget_producers, forget_verifications
from kafkacheck.impl.log.transactions import forget_replicated, rebuild_index
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.transactions.constants import NO_INPUT
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.impl.transactions.rules import TransactionRules


def mark_replicated(partition: Partition, offset: int) -> None:
    """Raise the high watermark to `offset`: everything below is replicated."""
    partition.high_watermark = offset
    forget_replicated(partition.index, offset)


def maybe_replicate(partition: Partition, rules: TransactionRules) -> None:
    """Replicate the appended records at once if the leader is alone in its ISR."""
    if rules.leader_is_alone:
        mark_replicated(partition, end_of(partition.log))


def delete_partition(partition: Partition) -> None:
    """Erase a partition whose topic is deleted."""
    truncate_to(partition.log, 0)
    forget_producers(partition.log)
    forget_verifications(partition.log)
    partition.is_deleted = True
    partition.high_watermark = 0
    clear(partition.index)


def reload_partition(partition: Partition, rules: TransactionRules) -> None:
    """Forget the state in memory, and rebuild the producer state and the aborted-transaction index from the log."""
    rebuild_index(partition.log, partition.index, rules.log, partition.high_watermark)


def is_offset_commit(produce: Produce) -> bool:
    """Whether the request is a TxnOffsetCommit."""
    return produce.input_offset != NO_INPUT


def origin_of(produce: Produce) -> Origin:
    """The origin of a batch: the group coordinator for offsets, a client for everything else."""
    return Origin.COORDINATOR if is_offset_commit(produce) else Origin.CLIENT


def append_produce(partition: Partition, rules: TransactionRules, produce: Produce) -> ProduceError:
    """Append the batch if it is valid. The log must not be full."""
    error = append_error(partition.log, rules.log, produce.batch, produce.guard, origin_of(produce))
    if error == ProduceError.NONE:
        append_batch(partition.log, rules.log, produce.batch)
        maybe_replicate(partition, rules)
    return error


def replicate(partition: Partition) -> bool:
    """Learn that the in-sync followers have fetched one more batch, and raise the high watermark.

    Who: the leader.
    When: the high watermark is below the log's end.
    Effect: it rises by one; a transaction whose marker is now below it is replicated.
    Source: UnifiedLog.updateHighWatermark, ProducerStateManager.onHighWatermarkUpdated.
    """
    if partition.high_watermark >= end_of(partition.log):
        return False
    mark_replicated(partition, partition.high_watermark + 1)
    return True
