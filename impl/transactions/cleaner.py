"""The log cleaner and transactions: it removes aborted records, and markers that are no longer needed.

Part of Kafka modelled: `LogCleaner` (`cleanInto`, `CleanedTransactionMetadata`), `LogCleanerManager.cleanableOffsets`.
Source: apache/kafka (commit 1eb7644349); KAFKA-8351, KAFKA-13727; Redpanda (commit 1a3deaf467).
Left out, and why that is sound: keys, the delete horizon and each producer's last batch, which
`impl/compaction/cleaner.py` models: here the cleaner keeps less and removes it sooner. The order of segments, and
passes: any segment may be cleaned at any time.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log import clear_records
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.reading import end_of, marker_at, producer_id_at
from kafkacheck.impl.log.records import PartitionLog
from kafkacheck.impl.log.transactions import has_data, last_stable_offset
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.impl.transactions.rules import TransactionRules


def has_later_marker(log: PartitionLog, marker_offset: int) -> bool:
    """Whether the producer has a later marker."""
    producer_id = producer_id_at(log, marker_offset)
    return any(
        producer_id_at(log, offset) == producer_id and marker_at(log, offset) != Marker.NONE
        for offset in range(marker_offset + 1, end_of(log))
    )


def is_known_aborted(partition: Partition, offset: int, seen_up_to: int) -> bool:
    """Whether an entry of the aborted-transaction index below `seen_up_to` has the record's transaction."""
    producer_id = producer_id_at(partition.log, offset)
    return any(
        partition.index.aborted[ended].producer_id == producer_id
        for ended in range(offset, seen_up_to)
        if partition.index.aborted[ended].first_offset != NO_OFFSET
        and partition.index.aborted[ended].first_offset <= offset
    )


def can_drop_marker(partition: Partition, rules: TransactionRules, start: int, marker_offset: int) -> bool:
    """Whether the cleaner drops a marker in the segment that begins at `start`."""
    if not rules.markers_outlive_their_data and has_later_marker(partition.log, marker_offset):
        return True
    return not has_data(partition.log, 0 if rules.cleaner_carries_transactions else start, marker_offset)


def clean_segment(partition: Partition, rules: TransactionRules, bounds: Bounds, start: int, end: int) -> bool:
    """Clean a segment, or only its first part if the offset map is full before the segment's end.

    Who: the cleaner.
    When: the segment is below the last stable offset, and something in it can be removed.
    Effect: in the cleaned part, the cleaner removes aborted records, then the markers of transactions without records.
    Source: LogCleaner.cleanInto; KAFKA-8351, KAFKA-13727.
    """
    segment_end = start + bounds.segment_size
    if start % bounds.segment_size != 0 or end <= start or end > segment_end:
        return False
    if segment_end > last_stable_offset(partition.log, partition.index, partition.high_watermark):
        return False
    has_cleaned = False
    seen_up_to = end_of(partition.log) if rules.index_is_kept_whole else end
    for offset in range(start, end):
        if producer_id_at(partition.log, offset) != NO_PRODUCER_ID and marker_at(partition.log, offset) == Marker.NONE:
            if is_known_aborted(partition, offset, seen_up_to):
                clear_records(partition.log, offset, offset + 1)
                has_cleaned = True
        elif marker_at(partition.log, offset) != Marker.NONE and can_drop_marker(partition, rules, start, offset):
            clear_records(partition.log, offset, offset + 1)
            clear(partition.index.aborted[offset])
            has_cleaned = True
    if not rules.index_is_kept_whole:
        for offset in range(end, segment_end):
            if partition.index.aborted[offset].first_offset != NO_OFFSET:
                clear(partition.index.aborted[offset])
                has_cleaned = True
    return has_cleaned
