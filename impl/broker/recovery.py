"""How a broker stops, which state it loses in a crash, and how it starts again.

Part of Kafka modelled: `LogManager` (`loadLogs`, `checkpointLogRecoveryOffsets`, the clean-shutdown file), `LogLoader`,
`ReplicaManager.checkpointHighWatermarks`, and `BrokerLifecycleManager` as far as a broker registers.
Source: apache/kafka (commit 1eb7644349); KAFKA-10432, KAFKA-1647, KIP-966.
Left out, and why that is sound: torn batches, because recovery truncates them, so they are the same as lost ones.
**Not covered**: a crash before the log start is in `log-start-offset-checkpoint`, which Kafka writes from time to time:
records that were deleted since come back, and the high watermark may be below them.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.epoch_file import (
    assign_epoch,
    cut_epochs_from,
    forget_late_write,
    latest_file_epoch,
    raise_epoch_start,
    truncate_epochs,
)
from kafkacheck.impl.broker.log_file import drop_log
from kafkacheck.impl.broker.metadata import forget_partition
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.broker.registration import end_registration
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.impl.log import truncate_to
from kafkacheck.impl.log.reading import end_of, leader_epoch_at
from kafkacheck.impl.rules import ClusterRules


def checkpoint_high_watermark(broker: Broker, rules: ClusterRules) -> bool:
    """Write the high watermarks of the replicas to `replication-offset-checkpoint`.

    Who: a broker that runs.
    When: the file would change.
    Effect: the file has the high watermark. Before KAFKA-1647 the new file has only the replicas that were set up since
        the start, so that it lacks a replica whose leader the broker does not know.
    Source: ReplicaManager.checkpointHighWatermarks; KAFKA-1647.
    Left out: the recovery point, which only saves time.
    """
    if not broker.is_running:
        return False
    is_left_out = broker.leader == NO_LEADER and not rules.checkpoint_covers_all
    high_watermark = 0 if is_left_out else broker.high_watermark
    if broker.high_watermark_checkpoint == high_watermark:
        return False
    broker.high_watermark_checkpoint = high_watermark
    return True


def flush(broker: Broker) -> bool:
    """Flush the log to the disk.

    Who: a broker that runs.
    When: a part of the log is not flushed.
    Effect: a power loss cannot take the records that the log has now.
    Source: UnifiedLog.flush.
    Left out: flushing a part of the log, which has the effect of an earlier flush.
    """
    if not broker.is_running or broker.flushed_offset == end_of(broker.log):
        return False
    broker.flushed_offset = end_of(broker.log)
    return True


def shut_down(broker: Broker) -> None:
    """Flush the log, checkpoint the high watermark, and end the process cleanly."""
    broker.flushed_offset = end_of(broker.log)
    broker.high_watermark_checkpoint = broker.high_watermark
    lose_memory(broker)
    broker.is_stopped_cleanly = True


def lose_memory(broker: Broker) -> None:
    """End the process of a broker, which loses its memory."""
    broker.is_running = False
    broker.is_stopped_cleanly = False
    forget_partition(broker)
    forget_late_write(broker.epoch_file)
    end_registration(broker.registration)
    broker.controller_epoch = 0
    broker.high_watermark = 0


def lose_unflushed(broker: Broker, end_offset: int) -> None:
    """Let a power loss take every record at or above `end_offset`, and the leader-epoch file if it was not forced."""
    truncate_to(broker.log, end_offset)
    cut_epochs_from(broker, end_offset)
    if broker.epoch_file.is_unforced == 1:
        for epoch in range(len(broker.epoch_file.starts)):
            broker.epoch_file.starts[epoch] = NO_OFFSET
    broker.epoch_file.is_unforced = 0
    broker.flushed_offset = min(broker.flushed_offset, end_offset)


def lose_disk(broker: Broker) -> None:
    """Replace the disk with an empty one."""
    drop_log(broker)
    broker.high_watermark_checkpoint = 0


def recover_epochs(broker: Broker, rules: ClusterRules) -> None:
    """Rebuild the leader-epoch file from the records."""
    cut_epochs_from(broker, 0)
    for offset in range(broker.log_start_offset, end_of(broker.log)):
        epoch = leader_epoch_at(broker.log, offset)
        if epoch > 0 or broker.is_stopped_cleanly or rules.recovery_keeps_epoch_zero:
            assign_epoch(broker, epoch, offset)


def load_epochs(broker: Broker, rules: ClusterRules) -> None:
    """Read the leader-epoch file from the disk.

    After a crash the broker reads the records that may not have been flushed, and adds their epochs if they are newer
    than the file's. Finally it truncates the file to the end of the log, and to its start.
    """
    for epoch, start in enumerate(broker.epoch_file.starts):
        broker.epoch_starts[epoch] = start
    if not broker.is_stopped_cleanly:
        for offset in range(broker.flushed_offset, end_of(broker.log)):
            epoch = leader_epoch_at(broker.log, offset)
            if epoch > latest_file_epoch(broker):
                assign_epoch(broker, epoch, offset)
    truncate_epochs(broker, rules, end_of(broker.log))
    # At 0 there is nothing to drop: Kafka writes the same file again.
    if broker.log_start_offset > 0:
        raise_epoch_start(broker, rules, broker.log_start_offset)


def recover_log(broker: Broker, rules: ClusterRules) -> None:
    """Load the log: rebuild the epoch file from the records, and take the high watermark from its checkpoint.

    If records carry no epochs, the file becomes empty; before KAFKA-7897 it keeps its entries up to the log's end.
    """
    if broker.epoch_file.is_kept == 1:
        load_epochs(broker, rules)
    elif rules.records_carry_epochs:
        recover_epochs(broker, rules)
    elif rules.old_format_has_no_epoch_file:
        cut_epochs_from(broker, 0)
    else:
        cut_epochs_from(broker, end_of(broker.log))
    broker.high_watermark = max(min(broker.high_watermark_checkpoint, end_of(broker.log)), broker.log_start_offset)


def start_up(broker: Broker, rules: ClusterRules, bounds: Bounds, metadata_offset: int) -> None:
    """Start a broker's process, and recover its log.

    Who: a broker that does not run.
    When: the controller has accepted its registration, as the change after `metadata_offset`.
    Effect: the broker has the next broker epoch, and has replayed the metadata up to `metadata_offset`. It reads the
        high watermark and the leader-epoch file from the disk.
    Source: LogManager.loadLogs; BrokerLifecycleManager.
    Left out: the time between start and registration, in which the broker does nothing.
    """
    recover_log(broker, rules)
    broker.is_running = True
    broker.is_stopped_cleanly = False
    broker.broker_epoch += 1
    broker.registration.is_unknown = bounds.late_registrations
    broker.metadata_offset = metadata_offset
