"""The producer state that a broker keeps on disk, and how the broker restarts from it.

Part of Kafka modelled: `UnifiedLog` (`roll`, `flush`), `LogLoader`, `ProducerStateManager` (`takeSnapshot`,
`truncateAndReload`, `deleteSnapshotsBefore`).
Source: apache/kafka (commit 1eb7644349); KAFKA-5249, KAFKA-5829, KAFKA-9892.
Left out, and why that is sound: segments: a roll may come after any batch, and matters here only for its snapshot.
"""

from kafkacheck.checker.schema import copy
from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.log.reload import (
    clear_snapshot,
    forget_producers,
    load_snapshot,
    rebuild_from_log,
    replay,
    write_snapshot,
)
from kafkacheck.impl.producer.client_records import PartitionId
from kafkacheck.impl.producer.leader import complete_requests
from kafkacheck.impl.producer.partition_records import PartitionReplica
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.model.producer.system import State


def broker_rolls_segment(state: State, rules: ProducerRules, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A broker begins a new segment of a log, and writes a snapshot of the producer state.

    Who: a broker.
    When: the log has grown since the last snapshot; there is room for another file.
    Effect: there is a file named after the log's end. By the old rule the file already had a batch in its state, but
        was named after the offset before that batch.
    Source: UnifiedLog.roll, ProducerStateManager.takeSnapshot; KAFKA-5249.
    """
    replica = state.partitions[partition_id].replicas[replica_id]
    offset = replica.log.end_offset
    if not rules.snapshot_names_its_end:
        offset -= 1
    if offset <= max(replica.log.start_offset, replica.snapshots[0].offset):
        return False
    if replica.snapshots[len(replica.snapshots) - 1].offset != NO_OFFSET:
        return False
    for distance in range(1, len(replica.snapshots)):
        place = len(replica.snapshots) - distance
        copy(replica.snapshots[place], replica.snapshots[place - 1])
    write_snapshot(replica.log, replica.snapshots[0], offset)
    return True


def broker_flushes_log(state: State, rules: ProducerRules, partition_id: PartitionId, replica_id: ReplicaId) -> bool:
    """A broker flushes a log to the disk, and recovery begins after the flushed part.

    Who: a broker.
    When: the log has an unflushed batch.
    Effect: a power loss cannot take the batches that the log has now; requests that waited for that are answered. The
        newest snapshot is also flushed, and older ones are deleted.
    Source: UnifiedLog.flush, ProducerStateManager.deleteSnapshotsBefore; KAFKA-9892.
    Left out: flushing a part of the log, which equals a flush at an earlier time.
    """
    replica = state.partitions[partition_id].replicas[replica_id]
    if replica.flushed_offset == replica.log.end_offset:
        return False
    replica.flushed_offset = replica.log.end_offset
    replica.snapshots[0].is_flushed = rules.snapshot_is_flushed_first and replica.snapshots[0].offset != NO_OFFSET
    for place in range(1, len(replica.snapshots)):
        clear_snapshot(replica.snapshots[place])
    complete_requests(state, rules, partition_id)
    return True


def remove_snapshot(replica: PartitionReplica, place: int) -> None:
    """Remove one file; older ones move up, so that the newest is the first."""
    for older in range(place + 1, len(replica.snapshots)):
        copy(replica.snapshots[older - 1], replica.snapshots[older])
    clear_snapshot(replica.snapshots[len(replica.snapshots) - 1])


def lose_unflushed_snapshots(replica: PartitionReplica) -> None:
    """Remove every snapshot that has not surely reached the disk, as a power loss does."""
    for distance in range(1, len(replica.snapshots) + 1):
        if not replica.snapshots[len(replica.snapshots) - distance].is_flushed:
            remove_snapshot(replica, len(replica.snapshots) - distance)


def reload_producers(replica: PartitionReplica, rules: ProducerRules) -> None:
    """Rebuild the producer state from the newest snapshot that is not past the log's end, and the later batches.

    Without a snapshot all batches count; by the old rule only those after the point where recovery begins.
    """
    log = replica.log
    for distance in range(1, len(replica.snapshots) + 1):
        if replica.snapshots[len(replica.snapshots) - distance].offset > log.end_offset:
            remove_snapshot(replica, len(replica.snapshots) - distance)
    newest = replica.snapshots[0]
    if newest.offset != NO_OFFSET:
        forget_producers(log)
        load_snapshot(log, newest)
        replay(log, rules, newest.offset)
    elif rules.missing_snapshot_is_made_up_for:
        rebuild_from_log(log, rules)
    else:
        forget_producers(log)
        replay(log, rules, replica.flushed_offset)
