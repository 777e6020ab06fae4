"""The leader-epoch file: the start offset of each leader epoch.

Part of Kafka modelled: `LeaderEpochFileCache` (`assign`, `endOffsetFor`, `truncateFromEnd`, `truncateFromStart`,
`clearAndFlush`, `latestEpoch`).
Source: KIP-101, KIP-279; apache/kafka (commit 1eb7644349); KAFKA-6857, KAFKA-7897, KAFKA-15046.
Left out, and why that is sound: how the file reaches the disk, if the bound `epoch_files` is 0: Kafka writes it
synchronously when an epoch begins, and recovery makes it agree with a truncated log. If the bound is 1, the write after
a truncation at either end is late. Several due writes count as one, because each writes the newest content.
"""

from typing import Protocol

from kafkacheck.checker.schema import Array, copy
from kafkacheck.impl.broker.records import Broker, EpochFile
from kafkacheck.impl.enums import TruncationRule
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.log import Log
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.rules import ClusterRules


class AnyReplica(Protocol):
    """A log with a leader-epoch file: that of a `Broker`, or a smaller one."""

    @property
    def log(self) -> Log:
        """See `Broker`."""

    @property
    def epoch_starts(self) -> Array[int]:
        """See `Broker`."""


def latest_file_epoch(broker: AnyReplica) -> int:
    """The newest leader epoch in the file, `NO_EPOCH` for an empty file."""
    return floor_epoch(broker, len(broker.epoch_starts))


def force_epochs(broker: Broker) -> None:
    """Write the file and force it to the disk before anything else happens."""
    file = broker.epoch_file
    if file.is_kept == 0:
        return
    for epoch, start in enumerate(broker.epoch_starts):
        file.starts[epoch] = start
    file.is_unforced = 0


def write_epochs_later(broker: Broker, rules: ClusterRules) -> None:
    """Let the file be written in the background. Before KAFKA-16541 it is written at once but not forced."""
    file = broker.epoch_file
    if file.is_kept == 0:
        return
    if not rules.epoch_file_is_forced:
        force_epochs(broker)
        file.is_unforced = file.is_kept
        return
    file.is_write_due = file.is_kept
    if not rules.late_write_is_newest:
        for epoch, start in enumerate(broker.epoch_starts):
            file.late_starts[epoch] = start


def await_late_write(broker: Broker, rules: ClusterRules) -> None:
    """Finish the background write before a record is appended.

    Kafka does not wait. So a crash can bring truncated epochs back from the disk, and they stay because the log's end
    has passed them.
    """
    if broker.epoch_file.is_write_due == 1 and rules.append_awaits_epoch_file:
        force_epochs(broker)
        forget_late_write(broker.epoch_file)


def forget_late_write(file: EpochFile) -> None:
    """Cancel the background write of the file."""
    file.is_write_due = 0
    for epoch in range(len(file.late_starts)):
        file.late_starts[epoch] = NO_OFFSET


def write_epoch_file(broker: Broker, rules: ClusterRules) -> bool:
    """Write the leader-epoch file in the background, some time after the log was truncated.

    Who: a broker that runs.
    When: a write is due; or, before KAFKA-16541, the file was written but not forced to the disk.
    Effect: the disk has the current epochs. Before KAFKA-17142 it has the epochs as of the truncation, even if newer
        ones have been written since.
    Source: LeaderEpochFileCache.truncateFromEndAsyncFlush, writeIfDirExists; KAFKA-15046, KAFKA-16541, KAFKA-17142.
    """
    file = broker.epoch_file
    if not broker.is_running:
        return False
    if file.is_write_due == 0 and file.is_unforced == 0:
        return False
    if rules.late_write_is_newest:
        force_epochs(broker)
    else:
        copy(file.starts, file.late_starts)
    file.is_unforced = 0
    forget_late_write(file)
    return True


def assign_epoch(broker: Broker, epoch: int, start_offset: int) -> None:
    """Let `epoch` begin at `start_offset`, and drop every entry that would be out of order.

    Nothing happens if the epoch is already the newest one and begins no later.
    """
    latest = latest_file_epoch(broker)
    if latest == epoch and start_offset >= broker.epoch_starts[epoch]:
        return
    begin_epoch_at(broker, epoch, start_offset)
    force_epochs(broker)


def begin_epoch_at(broker: AnyReplica, epoch: int, start_offset: int) -> None:
    """Let `epoch` begin at `start_offset` in memory, and drop every entry that would be out of order."""
    for other, start in enumerate(broker.epoch_starts):
        if other >= epoch or start >= start_offset:
            broker.epoch_starts[other] = NO_OFFSET
    broker.epoch_starts[epoch] = start_offset


def truncate_epochs(broker: Broker, rules: ClusterRules, end_offset: int) -> None:
    """Drop every entry that begins at or above `end_offset`; if there was one, write the file in the background."""
    is_cut = any(start >= end_offset for start in broker.epoch_starts)
    cut_epochs_from(broker, end_offset)
    if is_cut:
        write_epochs_later(broker, rules)


def raise_epoch_start(broker: Broker, rules: ClusterRules, start_offset: int) -> None:
    """Drop every entry before the epoch at `start_offset`, and let that epoch begin there.

    If there is such an epoch, the file is written in the background, even if nothing has changed.
    """
    epoch_at_start = NO_EPOCH
    for epoch, start in enumerate(broker.epoch_starts):
        if start != NO_OFFSET and start <= start_offset:
            epoch_at_start = epoch
            broker.epoch_starts[epoch] = NO_OFFSET
    if epoch_at_start != NO_EPOCH:
        broker.epoch_starts[epoch_at_start] = start_offset
        write_epochs_later(broker, rules)


def clear_epochs(broker: Broker) -> None:
    """Drop every entry, and write the file at once; a background write stays due."""
    cut_epochs_from(broker, 0)
    force_epochs(broker)


def has_epoch_file(rules: ClusterRules) -> bool:
    """Whether a leader writes the start of its epoch into the file; since KAFKA-7897, only if records carry epochs."""
    if not rules.epoch_begins_in_file:
        return False
    return rules.records_carry_epochs or not rules.old_format_has_no_epoch_file


def cut_epochs_from(broker: AnyReplica, end_offset: int) -> None:
    """Drop every entry that begins at or above `end_offset`."""
    for epoch, start in enumerate(broker.epoch_starts):
        if start >= end_offset:
            broker.epoch_starts[epoch] = NO_OFFSET


def floor_epoch(broker: AnyReplica, epoch: int) -> int:
    """The newest leader epoch in the file that is not newer than `epoch`; `NO_EPOCH` if there is none."""
    floor = NO_EPOCH
    for other, start in enumerate(broker.epoch_starts):
        if other <= epoch and start != NO_OFFSET:
            floor = other
    return floor


def next_epoch_start(broker: AnyReplica, epoch: int) -> int:
    """The start offset of the oldest epoch newer than `epoch`; `NO_OFFSET` if the file has none."""
    for other, start in enumerate(broker.epoch_starts):
        if other > epoch and start != NO_OFFSET:
            return start
    return NO_OFFSET


def end_offset_of_epoch(broker: AnyReplica, epoch: int) -> int:
    """The end offset of `epoch` in this log: `LeaderEpochFileCache.endOffsetFor`.

    It is the log's end for the newest epoch of the file, and otherwise the start of the next newer epoch. It is
    `NO_OFFSET` if every epoch of the file is older, or if `epoch` is `NO_EPOCH`.
    """
    if epoch == NO_EPOCH:
        return NO_OFFSET
    if epoch == latest_file_epoch(broker):
        return end_of(broker.log)
    return next_epoch_start(broker, epoch)


def answered_end_offset(broker: Broker, rules: ClusterRules, epoch: int) -> int:
    """The end of `epoch` that a leader answers; before KAFKA-6857 the log's end, if neither side has an epoch."""
    if epoch == NO_EPOCH and latest_file_epoch(broker) == NO_EPOCH and not rules.undefined_epoch_has_no_end:
        return end_of(broker.log)
    return end_offset_of_epoch(broker, epoch)


def epoch_with_end(broker: Broker, rules: ClusterRules, epoch: int) -> int:
    """The epoch that `end_offset_of_epoch` answers for.

    With KIP-101 it is `epoch`, known or not. With KIP-279 it is the newest epoch of the file up to `epoch`, or `epoch`
    if all are newer. It is `NO_EPOCH` if there is no answer.
    """
    if rules.truncation == TruncationRule.KIP_101 and end_offset_of_epoch(broker, epoch) != NO_OFFSET:
        return epoch
    return epoch_that_ends(broker, epoch)


def epoch_that_ends(broker: AnyReplica, epoch: int) -> int:
    """The newest epoch of the file up to `epoch`, or `epoch` if all are newer; `NO_EPOCH` if all are older."""
    if end_offset_of_epoch(broker, epoch) == NO_OFFSET:
        return NO_EPOCH
    floor = floor_epoch(broker, epoch)
    return epoch if floor == NO_EPOCH else floor
