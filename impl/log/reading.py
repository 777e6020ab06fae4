"""Reading a log by an offset or a producer id: the questions that the rest of `impl/` may ask.

Part of Kafka modelled: `UnifiedLog` (`logEndOffset`, `logStartOffset`, `read`), `ProducerStateManager.lastEntry`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: nothing; a log that is stored in another way answers the same.
"""

from kafkacheck.impl.log import AnyLog, Log
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.records import PartitionLog


def end_of(log: AnyLog) -> int:
    """The offset of the next record."""
    return log.end_offset


def id_at(log: AnyLog, offset: int) -> int:
    """The id of the record at `offset`."""
    return int(log.records[offset].id)


def producer_id_at(log: PartitionLog, offset: int) -> int:
    """The producer id of the batch at `offset`."""
    return log.records[offset].producer_id


def marker_at(log: PartitionLog, offset: int) -> Marker:
    """The type of the marker at `offset`, `NONE` for data."""
    return log.records[offset].marker


def known_epoch(log: PartitionLog, producer_id: int) -> int:
    """The producer's highest epoch, as the log knows it."""
    return log.producers[producer_id].producer_epoch


def known_coordinator_epoch(log: PartitionLog, producer_id: int) -> int:
    """The highest coordinator epoch in a marker for the producer."""
    return log.producers[producer_id].coordinator_epoch


def remembered_offset(log: PartitionLog, producer_id: int, place: int) -> int:
    """The offset of a remembered batch; place 0 is the newest."""
    return log.producers[producer_id].batches[place].offset


def start_of(log: PartitionLog) -> int:
    """The first offset that is kept."""
    return log.start_offset


def capacity(log: AnyLog) -> int:
    """How many records the log has room for."""
    return len(log.records)


def leader_epoch_at(log: Log, offset: int) -> int:
    """The leader epoch of the record at `offset`."""
    return log.records[offset].epoch


def producer_count(log: PartitionLog) -> int:
    """How many producer ids there are."""
    return len(log.producers)


def open_transaction_offset(log: PartitionLog, producer_id: int) -> int:
    """The first offset of the producer's open transaction; `NO_OFFSET` if none is open."""
    return log.producers[producer_id].current_transaction_first_offset


def newest_guard(log: PartitionLog) -> int:
    """The newest guard; 0 before the first."""
    return log.last_verification_guard


def highest_sequence(log: PartitionLog) -> int:
    """The highest sequence that a batch can have."""
    return log.max_sequence
