"""A replica: one broker's copy of a partition's log, with the files from which the broker restarts.

Part of Kafka modelled: `Partition` and `UnifiedLog` (`appendAsLeader`, `appendAsFollower`, `truncateTo`,
`truncateFullyAndStartAt`, `roll`, `flush`), `LogLoader`, `ProducerStateManager` (`takeSnapshot`, `truncateAndReload`,
`deleteSnapshotsBefore`).
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-890, KAFKA-5249, KAFKA-5829, KAFKA-6003, KAFKA-9892, KAFKA-12153.
Left out, and why that is sound: segments: a roll may come after any batch, and matters here only for its snapshot.
"""

from kafkacheck.checker.schema import clear, copy
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log import is_same_record, truncate_to
from kafkacheck.impl.log.append import append_batch, append_error
from kafkacheck.impl.log.constants import Origin, ProduceError
from kafkacheck.impl.log.producer_state import duplicate_offset, forget_older_batches
from kafkacheck.impl.log.records import Batch, PartitionLog, PartitionReplica
from kafkacheck.impl.log.reload import (
    advance_start,
    forget_producers,
    forget_verifications,
    load_snapshot,
    rebuild_from_log,
    replay,
    restart_log,
    write_snapshot,
)
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.log.verification import NO_GUARD, start_verification, verification_error


def stored_offset(log: PartitionLog, rules: LogRules, batch: Batch) -> int:
    """The offset where the broker remembers the batch as stored; `NO_OFFSET` if it remembers none."""
    if not rules.idempotence:
        return NO_OFFSET
    return duplicate_offset(log, batch)


def append_for_client(log: PartitionLog, rules: LogRules, batch: Batch) -> ProduceError:
    """Append a client's batch, no duplicate, to a log that is not full; the error if that is forbidden."""
    guard = NO_GUARD
    if rules.verification and batch.is_transactional == 1:
        if verification_error(log, rules, batch) != ProduceError.NONE:
            return verification_error(log, rules, batch)
        guard = start_verification(log, rules, batch, 0)
    error = append_error(log, rules, batch, guard, Origin.CLIENT) if rules.idempotence else ProduceError.NONE
    if error == ProduceError.NONE:
        append_batch(log, rules, batch)
    return error


def append_from_leader(log: PartitionLog, rules: LogRules, leader: PartitionLog) -> bool:
    """Append the leader's next batch, or restart at the leader's log start; return whether either was done.

    The leader's log stands for its response to a fetch.
    """
    if log.end_offset < leader.start_offset:
        restart_log(log, leader.start_offset)
        return True
    if log.end_offset >= leader.end_offset:
        return False
    batch = leader.records[log.end_offset]
    if append_error(log, rules, batch, NO_GUARD, Origin.REPLICATION) != ProduceError.NONE:
        return False
    append_batch(log, rules, batch)
    if log.start_offset < leader.start_offset:
        advance_start(log, rules, leader.start_offset)
    return True


def diverging_offset(log: PartitionLog, leader: PartitionLog) -> int:
    """The end of the part that the log shares with its leader's; Kafka's leader finds it by leader epochs (KIP-101)."""
    for offset in range(max(log.start_offset, leader.start_offset), min(log.end_offset, leader.end_offset)):
        if not is_same_record(log, leader, offset):
            return offset
    return min(log.end_offset, leader.end_offset)


def truncate_replica(replica: PartitionReplica, rules: LogRules, high_watermark: int, end_offset: int) -> None:
    """Truncate a replica's log, and rebuild its producer state.

    Before KAFKA-12153 the log's end was set first. If the high watermark moved to that end, Kafka looked up the last
    stable offset, and for it the first offset of a truncated transaction. The lookup failed, and the fetcher gave up
    the partition; the next truncation removed no batch, so the old producer state stayed.
    """
    truncate_to(replica.log, end_offset)
    replica.flushed_offset = min(replica.flushed_offset, end_offset)
    has_lost_first = any(entry.current_transaction_first_offset >= end_offset for entry in replica.log.producers)
    if not rules.truncation_reloads_first and high_watermark >= end_offset and has_lost_first:
        return
    reload_producers(replica, rules)


def roll_segment(replica: PartitionReplica, rules: LogRules) -> bool:
    """A broker begins a new segment of a log, and writes a snapshot of the producer state.

    Who: a broker.
    When: the log has grown since the last snapshot; there is room for another file.
    Effect: there is a file named after the log's end. Before KAFKA-5249 the file already had a batch in its state, but
        was named after the offset before that batch.
    Source: UnifiedLog.roll, ProducerStateManager.takeSnapshot; KAFKA-5249.
    """
    log = replica.log
    snapshots = replica.snapshots
    offset = log.end_offset
    if not rules.snapshot_names_its_end:
        offset -= 1
    if offset <= max(log.start_offset, snapshots[0].offset) or snapshots[len(snapshots) - 1].offset != NO_OFFSET:
        return False
    for distance in range(1, len(snapshots)):
        copy(snapshots[len(snapshots) - distance], snapshots[len(snapshots) - distance - 1])
    write_snapshot(log, snapshots[0], offset)
    return True


def flush_log(replica: PartitionReplica, rules: LogRules) -> None:
    """Let the log and its newest snapshot reach the disk, and delete older snapshots."""
    replica.flushed_offset = replica.log.end_offset
    replica.snapshots[0].is_flushed = rules.snapshot_is_flushed_first and replica.snapshots[0].offset != NO_OFFSET
    for place in range(1, len(replica.snapshots)):
        clear(replica.snapshots[place])


def remove_snapshot(replica: PartitionReplica, place: int) -> None:
    """Remove one file; older ones move up, so that the newest is the first."""
    for older in range(place + 1, len(replica.snapshots)):
        copy(replica.snapshots[older - 1], replica.snapshots[older])
    clear(replica.snapshots[len(replica.snapshots) - 1])


def remove_snapshots_above(replica: PartitionReplica, offset: int) -> None:
    """Remove every snapshot of a state beyond `offset`."""
    for distance in range(1, len(replica.snapshots) + 1):
        if replica.snapshots[len(replica.snapshots) - distance].offset > offset:
            remove_snapshot(replica, len(replica.snapshots) - distance)


def lose_unflushed_snapshots(replica: PartitionReplica) -> None:
    """Remove every snapshot that has not surely reached the disk, as a power loss does."""
    for distance in range(1, len(replica.snapshots) + 1):
        if not replica.snapshots[len(replica.snapshots) - distance].is_flushed:
            remove_snapshot(replica, len(replica.snapshots) - distance)


def reload_producers(replica: PartitionReplica, rules: LogRules) -> None:
    """Rebuild the producer state from the newest snapshot that is not past the log's end, and the later batches.

    Without a snapshot all batches count; before KAFKA-5829 only those after the point where recovery begins.
    """
    log = replica.log
    remove_snapshots_above(replica, log.end_offset)
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


def restart_replica(replica: PartitionReplica, rules: LogRules) -> None:
    """Load a replica after a crash: verifications under way are lost, and batches that were not flushed are read again.

    Recovery ends with a snapshot, from which the state is loaded; so only the newest batch of a producer is remembered.
    """
    forget_verifications(replica.log)
    remove_snapshots_above(replica, replica.flushed_offset)
    reload_producers(replica, rules)
    forget_older_batches(replica.log.producers)


def drop_replica(replica: PartitionReplica) -> None:
    """Delete a replica's log and everything that belongs to it."""
    restart_log(replica.log, 0)
    replica.flushed_offset = 0
    for snapshot in replica.snapshots:
        clear(snapshot)
