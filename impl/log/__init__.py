"""The log of one replica: records at consecutive offsets, starting with offset 0.

Part of Kafka modelled: appending, truncating and reading back a replica's log, as `UnifiedLog` does.
Source: FiniteReplicatedLog in hachikuji/kafka-specification (commit d68782b); apache/kafka `UnifiedLog`.
Left out, and why that is sound: batches, segments, keys and values, because no replication rule looks below the single
record and its leader epoch; the leader-epoch file and the log start, which `impl/broker` adds. The log is as long as
the bound allows: a full log refuses appends, which cuts behaviours short and adds none.
"""

from typing import Annotated, Any, Protocol

from kafkacheck.checker.schema import Array, ByPosition, Struct, clear
from kafkacheck.impl.ids import NO_EPOCH, LogOffset, OptionalLeaderEpoch, OptionalRecordId


class Record(Struct):
    """One record of a log, or an empty slot.

    id: distinguishes this record from all others that producers wrote; chosen by the producer, never changed.
    epoch: the leader epoch of the replica that first appended the record; followers copy it. It is `NO_EPOCH` exactly
        if `id` is `NO_RECORD`, which holds at and above the end offset, and below the log start offset.
    """

    id: OptionalRecordId
    epoch: OptionalLeaderEpoch


class Log(Struct):
    """The records that one replica has stored.

    end_offset: the offset of the next record, which equals the number of records, at most the bound `log_size`; written
        by appends and truncations.
    records: the record at each offset below `end_offset`, and blank slots from there on, so that equal logs are equal
        values.
    """

    end_offset: LogOffset
    records: Annotated[Array[Record], ByPosition("log_size")]


class AnyLog(Protocol):
    """A log of single records, or of batches (`PartitionLog`)."""

    end_offset: int

    @property
    def records(self) -> Array[Any]:
        """See `Log`."""


def has_offset(log: AnyLog, offset: int) -> bool:
    """Whether the log stores a record at `offset`."""
    return offset < log.end_offset


def is_full(log: AnyLog) -> bool:
    """Whether every slot of the log is taken."""
    return log.end_offset == len(log.records)


def clear_records(log: AnyLog, first_offset: int, end_offset: int) -> None:
    """Blank every slot from `first_offset` to `end_offset`, which is not included."""
    for offset in range(first_offset, end_offset):
        clear(log.records[offset])


def restart_at(log: AnyLog, offset: int) -> None:
    """Let the next record get `offset`; the slots below stay as they are."""
    log.end_offset = offset


def truncate_to(log: AnyLog, end_offset: int) -> None:
    """Remove every record at or above `end_offset`; the caller must rebuild a producer state."""
    clear_records(log, end_offset, log.end_offset)
    log.end_offset = min(log.end_offset, end_offset)


def latest_epoch(log: Log) -> int:
    """The leader epoch of the last record, `NO_EPOCH` for an empty log."""
    if log.end_offset == 0:
        return NO_EPOCH
    return log.records[log.end_offset - 1].epoch


def is_same_record(log: AnyLog, other: AnyLog, offset: int) -> bool:
    """Whether the two logs, which both have `offset`, store the same record there."""
    is_same: bool = log.records[offset] == other.records[offset]
    return is_same


def append_record(log: Log, record_id: int, epoch: int) -> None:
    """Store a record at the end of a log that is not full."""
    record = log.records[log.end_offset]
    record.id = record_id
    record.epoch = epoch
    log.end_offset += 1
