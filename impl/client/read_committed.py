"""A read_committed consumer: it reads up to the last stable offset, and skips aborted records.

Part of Kafka modelled: `UnifiedLog.read` with `FetchIsolation.TXN_COMMITTED`, `TransactionIndex.collectAbortedTxns`;
`CompletedFetch` (`consumeAbortedTransactionsUpTo`, `isBatchAborted`).
Source: apache/kafka (commit 1eb7644349); KIP-98, KAFKA-9807.
Left out, and why that is sound: reading fewer records than there are, which is reading at an earlier time;
read_uncommitted consumers, which get everything below the high watermark.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.client.transactional_records import Reader
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.reading import end_of, marker_at, producer_count, producer_id_at
from kafkacheck.impl.log.transactions import first_unstable_offset, is_collected, last_stable_offset
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.impl.transactions.rules import TransactionRules


def begins_to_be_aborted(partition: Partition, first_read: int, limit: int, offset: int, producer_id: int) -> bool:
    """Whether an aborted transaction of the producer begins at `offset`, or is open there if `offset` is `first_read`.

    A transaction counts only if the answer to a read from `first_read` to `limit` names it.
    """
    for ended in range(offset, end_of(partition.log)):
        entry = partition.index.aborted[ended]
        if entry.producer_id == producer_id and is_collected(partition.index, ended, first_read, limit):
            if entry.first_offset == offset or (offset == first_read and entry.first_offset < offset):
                return True
    return False


def read_batches(reader: Reader, partition: Partition, limit: int, knows_aborted: bool) -> None:
    """Give the application the records from its position to `limit`, except those that it knows to be aborted."""
    aborted = Ids()
    first_read = reader.position
    for offset in range(first_read, limit):
        for other_id in range(producer_count(partition.log)):
            if knows_aborted and begins_to_be_aborted(partition, first_read, limit, offset, other_id):
                aborted |= {other_id}
        producer_id = producer_id_at(partition.log, offset)
        if producer_id != NO_PRODUCER_ID:
            if marker_at(partition.log, offset) == Marker.ABORT:
                aborted -= {producer_id}
            elif marker_at(partition.log, offset) == Marker.NONE and producer_id not in aborted:
                reader.delivered |= {offset}
    reader.position = limit


def read_stable(reader: Reader, partition: Partition, rules: TransactionRules) -> bool:
    """Read the new stable records.

    Who: the consumer.
    When: its position is below the last stable offset.
    Effect: its application has the records that are not aborted, and its position is the last stable offset.
    Source: KIP-98 (`isolation.level`); UnifiedLog.read, CompletedFetch.
    """
    limit = last_stable_offset(partition.log, partition.index, partition.high_watermark)
    if not rules.stable_offset_is_excluded:
        limit = min(limit + 1, partition.high_watermark)
    if reader.position >= limit:
        return False
    read_batches(reader, partition, limit, True)
    return True


def limit_read(reader: Reader, partition: Partition, rules: TransactionRules) -> bool:
    """Compute the end of a read: the first step of a read that takes two.

    Who: the leader.
    When: a consumer asks.
    Effect: the limit is the current last stable offset. Before KAFKA-9807, if no transaction is open below the high
        watermark, the limit is the high watermark at the time of the second step.
    Source: UnifiedLog.fetchLastStableOffsetMetadata; KAFKA-9807.
    """
    if reader.is_limited:
        return False
    reader.is_limited = True
    reader.limit = last_stable_offset(partition.log, partition.index, partition.high_watermark)
    first_unstable = first_unstable_offset(partition.log, partition.index)
    if not rules.high_watermark_is_read_once and first_unstable >= partition.high_watermark:
        reader.limit = NO_OFFSET
    return True


def end_read(reader: Reader, partition: Partition, rules: TransactionRules) -> bool:
    """Return the records below the limit: the second step of a read.

    Who: the leader.
    When: the limit was computed.
    Effect: the same as when a consumer reads in one step.
    Source: UnifiedLog.read, DelayedFetch; KAFKA-9807, KAFKA-5376.
    """
    if not reader.is_limited:
        return False
    limit = partition.high_watermark if reader.limit == NO_OFFSET else reader.limit
    reader.is_limited = False
    reader.limit = NO_OFFSET
    if reader.position < limit:
        read_batches(reader, partition, limit, rules.late_read_names_aborted)
    return True


def begin_anew(reader: Reader) -> bool:
    """Begin at the first offset, as a consumer without a position.

    Who: another consumer.
    When: a consumer has read something, and no read in two steps is under way.
    Effect: its position is 0; the records that other consumers got stay delivered.
    Source: `auto.offset.reset`.
    """
    if reader.position == 0 or reader.is_limited:
        return False
    reader.position = 0
    return True
