"""The leader-epoch file: at which offset each leader epoch begins.

Part of Kafka modelled: `LeaderEpochFileCache` (`assign`, `endOffsetFor`, `truncateFromEnd`, `latestEpoch`).
Source: KIP-101, KIP-279; apache/kafka (commit 1eb7644349); KAFKA-6857, KAFKA-7897.
Left out, and why that is sound: the way of the file to the disk: it is written synchronously when an epoch begins, and
after truncation recovery brings it in line with the log.
"""

from impl.broker.records import Broker
from impl.constants import NO_EPOCH, NO_OFFSET, TruncationRule
from impl.rules import ClusterRules


def latest_file_epoch(broker: Broker) -> int:
    """The newest leader epoch in the file, `NO_EPOCH` for an empty file."""
    latest = NO_EPOCH
    for epoch in range(len(broker.epoch_starts)):
        if broker.epoch_starts[epoch] != NO_OFFSET:
            latest = epoch
    return latest


def assign_epoch(broker: Broker, epoch: int, start_offset: int) -> None:
    """Let `epoch` begin at `start_offset`, and drop every entry that would be out of order beside it.

    Nothing happens where the epoch is the newest one already and begins no later.
    """
    latest = latest_file_epoch(broker)
    if latest == epoch and start_offset >= broker.epoch_starts[epoch]:
        return
    for other in range(len(broker.epoch_starts)):
        if other >= epoch or broker.epoch_starts[other] >= start_offset:
            broker.epoch_starts[other] = NO_OFFSET
    broker.epoch_starts[epoch] = start_offset


def has_epoch_file(rules: ClusterRules) -> bool:
    """Whether a leader writes the start of its epoch into the file: not where the records carry no epochs."""
    if not rules.epoch_begins_in_file:
        return False
    return rules.records_carry_epochs or not rules.old_format_has_no_epoch_file


def cut_epochs_from(broker: Broker, end_offset: int) -> None:
    """Drop every entry that begins at or above `end_offset`."""
    for epoch in range(len(broker.epoch_starts)):
        if broker.epoch_starts[epoch] >= end_offset:
            broker.epoch_starts[epoch] = NO_OFFSET


def floor_epoch(broker: Broker, epoch: int) -> int:
    """The newest leader epoch in the file that is not newer than `epoch`; `NO_EPOCH` where there is none."""
    floor = NO_EPOCH
    for other in range(len(broker.epoch_starts)):
        if other <= epoch and broker.epoch_starts[other] != NO_OFFSET:
            floor = other
    return floor


def next_epoch_start(broker: Broker, epoch: int) -> int:
    """The offset with which the oldest epoch newer than `epoch` begins; `NO_OFFSET` where the file has none."""
    start = NO_OFFSET
    for other in range(len(broker.epoch_starts)):
        if other > epoch and broker.epoch_starts[other] != NO_OFFSET and start == NO_OFFSET:
            start = broker.epoch_starts[other]
    return start


def end_offset_of_epoch(broker: Broker, epoch: int) -> int:
    """Where `epoch` ends in this log: `LeaderEpochFileCache.endOffsetFor`.

    The log's end for the newest epoch of the file; otherwise where the next newer one begins; `NO_OFFSET` where the
    file has nothing as new, or no epoch is asked for.
    """
    if epoch == NO_EPOCH:
        return NO_OFFSET
    if epoch == latest_file_epoch(broker):
        return broker.log.end_offset
    return next_epoch_start(broker, epoch)


def answered_end_offset(broker: Broker, rules: ClusterRules, epoch: int) -> int:
    """Where a leader says that `epoch` ends. By the old rule no epoch is the newest one of an empty file (KAFKA-6857)."""
    if epoch == NO_EPOCH and latest_file_epoch(broker) == NO_EPOCH and not rules.undefined_epoch_has_no_end:
        return broker.log.end_offset
    return end_offset_of_epoch(broker, epoch)


def epoch_with_end(broker: Broker, rules: ClusterRules, epoch: int) -> int:
    """The epoch that `end_offset_of_epoch` answers for.

    With KIP-101 the one asked for, known or not. With KIP-279 the newest that the file has up to it, or the one asked
    for where all are newer; `NO_EPOCH` where there is no answer.
    """
    if end_offset_of_epoch(broker, epoch) == NO_OFFSET:
        return NO_EPOCH
    if rules.truncation == TruncationRule.KIP_101:
        return epoch
    floor = floor_epoch(broker, epoch)
    if floor == NO_EPOCH:
        return epoch
    return floor
