"""A second log behind the same functions: its records lie in two arrays, as in two segments of `size` slots each."""

from typing import Annotated

from kafkacheck.checker.schema import Array, ByPosition, Count, Struct, clear
from kafkacheck.impl.ids import NO_EPOCH, LogOffset
from kafkacheck.impl.log import Record


class Segments(Struct):
    """The records that one replica has stored.

    end: the offset of the next record.
    half: how many slots a segment has: constant.
    older: the records below `half`.
    newer: the records from `half` on.
    """

    end: LogOffset
    half: Annotated[int, Count("half", lowest="half")]
    older: Annotated[Array[Record], ByPosition("half")]
    newer: Annotated[Array[Record], ByPosition("half")]


def end_of(log: Segments) -> int:
    return log.end


def id_at(log: Segments, offset: int) -> int:
    return log.older[offset].id if offset < log.half else log.newer[offset - log.half].id


def epoch_at(log: Segments, offset: int) -> int:
    return log.older[offset].epoch if offset < log.half else log.newer[offset - log.half].epoch


def has_offset(log: Segments, offset: int) -> bool:
    return offset < log.end


def is_full(log: Segments) -> bool:
    return log.end == 2 * log.half


def latest_epoch(log: Segments) -> int:
    return NO_EPOCH if log.end == 0 else epoch_at(log, log.end - 1)


def is_same_record(log: Segments, other: Segments, offset: int) -> bool:
    return id_at(log, offset) == id_at(other, offset) and epoch_at(log, offset) == epoch_at(other, offset)


def append_record(log: Segments, record_id: int, epoch: int) -> None:
    if log.end < log.half:
        log.older[log.end].id = record_id
        log.older[log.end].epoch = epoch
    else:
        log.newer[log.end - log.half].id = record_id
        log.newer[log.end - log.half].epoch = epoch
    log.end += 1


def truncate_to(log: Segments, end_offset: int) -> None:
    for offset in range(end_offset, log.end):
        if offset < log.half:
            clear(log.older[offset])
        else:
            clear(log.newer[offset - log.half])
    log.end = min(log.end, end_offset)
