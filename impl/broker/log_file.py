"""A broker's log with its leader-epoch file and high watermark, and the operations that change them together.

Part of Kafka modelled: `UnifiedLog` (`truncateTo`, `truncateFullyAndStartAt`, `appendAsFollower`) with its
`LeaderEpochFileCache`.
Source: apache/kafka (commit 1eb7644349); KAFKA-10706, KAFKA-9491.
Left out, and why that is sound: segments and indexes, which no rule here reads.
"""

from kafkacheck.impl.broker.epoch_file import (
    assign_epoch,
    await_late_write,
    clear_epochs,
    forget_late_write,
    raise_epoch_start,
    truncate_epochs,
)
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.log import append_record, clear_records, restart_at, truncate_to
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.rules import ClusterRules


def append_to_log(broker: Broker, rules: ClusterRules, record_id: int, epoch: int) -> None:
    """Store a record of `epoch` at the end of a log that is not full; the epoch file learns of a new epoch from it."""
    await_late_write(broker, rules)
    if rules.records_carry_epochs:
        assign_epoch(broker, epoch, end_of(broker.log))
    append_record(broker.log, record_id, epoch)


def truncate_log(broker: Broker, rules: ClusterRules, end_offset: int) -> None:
    """Remove every record at or above `end_offset`; high watermark and epoch file follow.

    A log that ends at or below `end_offset` stays as it is, but its epoch file is truncated.
    """
    if end_offset >= end_of(broker.log):
        if rules.epoch_file_is_cut_at_end:
            truncate_epochs(broker, rules, end_offset)
        return
    truncate_to(broker.log, end_offset)
    truncate_epochs(broker, rules, end_offset)
    broker.log_start_offset = min(broker.log_start_offset, end_offset)
    broker.high_watermark = min(broker.high_watermark, end_offset)
    broker.flushed_offset = min(broker.flushed_offset, end_offset)


def advance_log_start(broker: Broker, rules: ClusterRules, start_offset: int) -> None:
    """Remove every record below `start_offset`; the epoch at that offset now begins there."""
    raise_epoch_start(broker, rules, start_offset)
    clear_records(broker.log, broker.log_start_offset, start_offset)
    broker.log_start_offset = start_offset


def drop_records(broker: Broker) -> None:
    """Remove every record, with the epochs and offsets that speak of them."""
    truncate_to(broker.log, 0)
    clear_epochs(broker)
    broker.log_start_offset = 0
    broker.high_watermark = 0
    broker.flushed_offset = 0


def drop_log(broker: Broker) -> None:
    """Remove the log with its files, and cancel a background write, whose folder is gone."""
    drop_records(broker)
    forget_late_write(broker.epoch_file)


def truncate_fully_and_start_at(broker: Broker, rules: ClusterRules, start_offset: int) -> None:
    """Remove every record and restart at `start_offset`, as a follower does that ends below the leader's start."""
    high_watermark = broker.high_watermark
    drop_records(broker)
    restart_at(broker.log, start_offset)
    broker.log_start_offset = start_offset
    broker.flushed_offset = start_offset
    broker.high_watermark = (
        start_offset if rules.high_watermark_follows_log_start else min(high_watermark, start_offset)
    )
