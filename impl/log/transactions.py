"""Transactions in a log: which are open, where the stable part ends, and the index of aborted transactions.

Part of Kafka modelled: `ProducerStateManager` (`completeTxn`, `firstUnstableOffset`, `onHighWatermarkUpdated`),
`UnifiedLog.fetchLastStableOffsetMetadata`, `TransactionIndex`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KAFKA-9807.
Left out, and why that is sound: one index file for each segment: an entry's offset says to which segment the entry
belongs.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.append import learn_of
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.producer_state import has_open_transaction
from kafkacheck.impl.log.records import PartitionLog, TransactionIndex
from kafkacheck.impl.log.reload import forget_producers, forget_verifications
from kafkacheck.impl.log.rules import LogRules


def first_open_transaction_offset(log: PartitionLog) -> int:
    """The first offset of the earliest open transaction in the log; the log's end if there is none."""
    first = log.end_offset
    for producer_id, entry in enumerate(log.producers):
        if has_open_transaction(log, producer_id):
            first = min(first, entry.current_transaction_first_offset)
    return first


def first_unstable_offset(log: PartitionLog, index: TransactionIndex) -> int:
    """The first offset of a transaction that is open or whose end is not replicated; the log's end if there is none."""
    first = first_open_transaction_offset(log)
    for first_offset in index.unreplicated:
        if first_offset != NO_OFFSET:
            first = min(first, first_offset)
    return first


def last_stable_offset(log: PartitionLog, index: TransactionIndex, high_watermark: int) -> int:
    """The last stable offset: everything below it is decided and replicated."""
    return min(first_unstable_offset(log, index), high_watermark)


def forget_replicated(index: TransactionIndex, high_watermark: int) -> None:
    """Note that every marker below the high watermark is replicated."""
    for offset in range(high_watermark):
        index.unreplicated[offset] = NO_OFFSET


def complete_transaction(log: PartitionLog, index: TransactionIndex, offset: int, first_offset: int) -> None:
    """Note which transaction the marker at `offset` ended, if that transaction has a record here."""
    if first_offset == NO_OFFSET:
        return
    index.unreplicated[offset] = first_offset
    if log.records[offset].marker == Marker.ABORT:
        entry = index.aborted[offset]
        entry.producer_id = log.records[offset].producer_id
        entry.first_offset = first_offset
        entry.last_stable_offset = min(first_open_transaction_offset(log), offset + 1)


def is_collected(index: TransactionIndex, ended: int, fetch_offset: int, upper_bound: int) -> bool:
    """Whether the answer to a read from `fetch_offset` to `upper_bound` names the transaction aborted at `ended`.

    The entries are read in order, up to the first one whose last stable offset has reached the upper bound: no
    transaction that ended later begins below that bound.
    """
    entry = index.aborted[ended]
    if entry.first_offset == NO_OFFSET or ended < fetch_offset or entry.first_offset >= upper_bound:
        return False
    return all(
        index.aborted[earlier].first_offset == NO_OFFSET or index.aborted[earlier].last_stable_offset < upper_bound
        for earlier in range(ended)
    )


def rebuild_index(log: PartitionLog, index: TransactionIndex, rules: LogRules, high_watermark: int) -> None:
    """Rebuild the producer state and the index from the log alone."""
    forget_producers(log)
    forget_verifications(log)
    clear(index)
    for offset in range(log.end_offset):
        batch = log.records[offset]
        if batch.producer_id != NO_PRODUCER_ID:
            first_offset = log.producers[batch.producer_id].current_transaction_first_offset
            learn_of(log, rules, offset)
            if batch.marker != Marker.NONE:
                complete_transaction(log, index, offset, first_offset)
    forget_replicated(index, high_watermark)


def is_data(log: PartitionLog, offset: int) -> bool:
    """Whether the slot has a batch that is no marker."""
    batch = log.records[offset]
    return batch.producer_id != NO_PRODUCER_ID and batch.marker == Marker.NONE


def marker_behind(log: PartitionLog, offset: int) -> int:
    """The offset of the producer's first marker after the batch; `NO_OFFSET` if there is none."""
    for later in range(offset + 1, log.end_offset):
        batch = log.records[later]
        if batch.marker != Marker.NONE and batch.producer_id == log.records[offset].producer_id:
            return later
    return NO_OFFSET


def outcome_in(log: PartitionLog, offset: int) -> Marker:
    """How the batch's transaction ended in this log, `NONE` while it is open; COMMIT without a transaction."""
    if log.records[offset].is_transactional == 0:
        return Marker.COMMIT
    marker_offset = marker_behind(log, offset)
    if marker_offset == NO_OFFSET:
        return Marker.NONE
    return log.records[marker_offset].marker


def first_undecided_offset(log: PartitionLog, high_watermark: int) -> int:
    """The first offset of a transaction that is open or whose marker is not replicated; the log's end without one."""
    first = first_open_transaction_offset(log)
    for offset in range(log.end_offset):
        if is_data(log, offset) and marker_behind(log, offset) >= high_watermark:
            first = min(first, offset)
    return first


def has_data(log: PartitionLog, from_offset: int, marker_offset: int) -> bool:
    """Whether the transaction that the marker ends still has a record at `from_offset` or later."""
    producer_id = log.records[marker_offset].producer_id
    found = False
    for offset in range(from_offset, marker_offset):
        batch = log.records[offset]
        if batch.producer_id == producer_id:
            found = batch.marker == Marker.NONE
    return found
