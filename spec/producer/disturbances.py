"""How the environment may disturb a producer's partitions and their files, and examples that must be reachable.

Part of Kafka judged: `model/producer/environment.py` and `impl/log/replica.py`, by their records only.
Source: KIP-98, KIP-360; apache/kafka `LogLoader`, `ProducerStateManager`.
Left out, and why that is sound: when a disturbance comes, because it may come at any time.
"""

from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from kafkacheck.impl.log.records import PartitionReplica
from kafkacheck.impl.producer.constants import BatchStatus, RequestStage
from kafkacheck.model.producer.system import State
from kafkacheck.spec.producer.brokers import is_crash


def a_connection_ended(before: State, after: State) -> bool:
    """Whether some connection had a request under way, and no longer has one."""
    return any(
        connection.requests[0].stage == RequestStage.NONE
        for old_connection, connection in zip(before.connections, after.connections)
        if old_connection.requests[0].stage != RequestStage.NONE
    )


def a_leader_changed(before: State, after: State) -> bool:
    """Whether some partition has another leader."""
    return any(
        old_partition.leader != partition.leader
        for old_partition, partition in zip(before.partitions, after.partitions)
    )


def a_start_rose(before: State, after: State) -> bool:
    """Whether some leader's log start offset rose, and not above the high watermark."""
    for partition_id in range(len(before.partitions)):
        partition = after.partitions[partition_id]
        was = before.partitions[partition_id].replicas[partition.leader].log
        now = partition.replicas[partition.leader].log
        if now.start_offset > was.start_offset and now.start_offset <= partition.high_watermark:
            return True
    return False


def a_producer_was_forgotten(before: State, after: State) -> bool:
    """Whether some broker has forgotten a producer that it knew."""
    for partition_id, partition in enumerate(before.partitions):
        for replica_id in range(len(partition.replicas)):
            was = partition.replicas[replica_id].log
            now = after.partitions[partition_id].replicas[replica_id].log
            for producer_id in range(len(was.producers)):
                if was.producers[producer_id].producer_epoch != NO_PRODUCER_EPOCH:
                    if now.producers[producer_id].producer_epoch == NO_PRODUCER_EPOCH:
                        return True
    return False


def a_transaction_ended(before: State, after: State) -> bool:
    """Whether some leader's log had an open transaction that has ended."""
    for partition_id in range(len(before.partitions)):
        was = before.partitions[partition_id].replicas[before.partitions[partition_id].leader].log
        now = after.partitions[partition_id].replicas[before.partitions[partition_id].leader].log
        for producer_id in range(len(was.producers)):
            if was.producers[producer_id].current_transaction_first_offset != NO_OFFSET:
                if now.producers[producer_id].current_transaction_first_offset == NO_OFFSET:
                    return True
    return False


def a_partition_is_quiet(state: State) -> bool:
    """Whether the producer has counted sequences for some partition, and awaits no outcome there."""
    for partition_id in range(len(state.connections)):
        if state.producer.counters[partition_id].producer_id != NO_PRODUCER_ID:
            is_quiet = True
            for batch in state.producer.batches:
                if batch.partition == partition_id:
                    if batch.status == BatchStatus.IN_FLIGHT or batch.status == BatchStatus.RETRYING:
                        is_quiet = False
            if is_quiet:
                return True
    return False


def a_batch_expired_in_flight(before: State, after: State) -> bool:
    """Whether a batch was in flight and has expired."""
    return any(
        batch.status == BatchStatus.EXPIRED
        for old_batch, batch in zip(before.producer.batches, after.producer.batches)
        if old_batch.status == BatchStatus.IN_FLIGHT
    )


def disturbances_are_real(before: State, after: State) -> bool:
    """Each disturbance that is charged to the budget has really happened.

    A connection that breaks had a request under way. A fail-over brings another leader. A deletion raises the log start
    offset, but not above the high watermark. A forgotten producer was known, an aborted transaction was open, and a
    batch that expires in flight was in flight.

    Lost if it fails: behaviours, because the budget is spent on disturbances that did not happen.
    Source: `model/producer/environment.py`.
    """
    was = before.budget
    now = after.budget
    if was.disconnections != now.disconnections and not a_connection_ended(before, after):
        return False
    if was.failovers != now.failovers and not a_leader_changed(before, after):
        return False
    if was.deletions != now.deletions and not a_start_rose(before, after):
        return False
    if was.state_expirations != now.state_expirations and not a_producer_was_forgotten(before, after):
        return False
    if was.aborts != now.aborts and not a_transaction_ended(before, after):
        return False
    if was.in_flight_expirations != now.in_flight_expirations and not a_batch_expired_in_flight(before, after):
        return False
    return was.blips == now.blips or a_partition_is_quiet(before)


def has_late_request(state: State, partition_id: int, replica_id: int) -> bool:
    """Whether a late request for the partition is under way to the broker."""
    return any(late.partition == partition_id and late.broker == replica_id for late in state.late_requests)


def has_request(state: State, partition_id: int, replica_id: int) -> bool:
    """Whether the producer has a request under way to the broker for the partition."""
    connection = state.connections[partition_id]
    return connection.requests[0].stage != RequestStage.NONE and connection.broker == replica_id


def connections_end_with_broker(before: State, after: State) -> bool:
    """If a broker crashes, the requests under way to it for the partition end together, and no other broker's do.

    Lost if it fails: a request reaches the broker after its restart, or a request that could arrive never does.
    Source: a broken connection.
    """
    if not is_crash(before, after):
        return True
    ended_at = 0
    for partition_id, partition in enumerate(before.partitions):
        for replica_id in range(len(partition.replicas)):
            was_late = has_late_request(before, partition_id, replica_id)
            is_late = has_late_request(after, partition_id, replica_id)
            had_request = has_request(before, partition_id, replica_id)
            still_has_request = has_request(after, partition_id, replica_id)
            is_ended = (was_late and not is_late) or (had_request and not still_has_request)
            if is_ended:
                ended_at += 1
            if is_ended and (is_late or still_has_request):
                return False
    return ended_at <= 1


def has_snapshot(replica: PartitionReplica, offset: int) -> bool:
    """Whether the replica has a producer state snapshot at that offset."""
    return any(snapshot.offset == offset for snapshot in replica.snapshots)


def snapshots_are_in_order(state: State) -> bool:
    """The snapshots of a log lie within it, the newest first, and no two have the same offset.

    Lost if it fails: a broker starts from an older state than it has, or from a state with batches that it lacks.
    Source: `ProducerStateManager.snapshots`.
    """
    for partition in state.partitions:
        for replica in partition.replicas:
            for place in range(len(replica.snapshots)):
                offset = replica.snapshots[place].offset
                if offset > replica.log.end_offset:
                    return False
                if place > 0 and offset != NO_OFFSET and offset >= replica.snapshots[place - 1].offset:
                    return False
    return True


def snapshots_are_kept(before: State, after: State) -> bool:
    """A snapshot goes only by a truncation below it, by a flush after it, or by a power loss before its own flush.

    Recovery after a crash also drops a snapshot beyond the flushed part of the log, and reads the rest of the log
    again.

    Lost if it fails: after a restart no broker knows the producers whose batches are deleted from the log.
    Source: `ProducerStateManager.truncateAndReload`, `deleteSnapshotsBefore`; KAFKA-9892.
    """
    has_power_failed = before.budget.power_losses != after.budget.power_losses
    has_crashed = has_power_failed or before.budget.crashes != after.budget.crashes
    for partition_id, partition in enumerate(before.partitions):
        for replica_id, was in enumerate(partition.replicas):
            now = after.partitions[partition_id].replicas[replica_id]
            for place, snapshot in enumerate(was.snapshots):
                is_deleted = place > 0 and now.flushed_offset != was.flushed_offset
                is_lost = has_power_failed and not snapshot.is_flushed
                is_lost = is_lost or (has_crashed and snapshot.offset > was.flushed_offset)
                if snapshot.offset != NO_OFFSET and snapshot.offset <= now.log.end_offset:
                    if not is_deleted and not is_lost and not has_snapshot(now, snapshot.offset):
                        return False
    return True


def unknown_producer_goes_on(state: State) -> bool:
    """A broker that knew nothing of a producer has accepted a batch after its first one (KIP-360).

    Without an example no broker that has forgotten its producers is tested.
    """
    for partition in state.partitions:
        for replica_id in range(len(partition.replicas)):
            log = partition.replicas[replica_id].log
            for entry in log.producers:
                newest = entry.batches[0]
                if newest.offset != NO_OFFSET and newest.last_sequence >= newest.record_count:
                    if entry.batches[len(entry.batches) - 1].offset == NO_OFFSET:
                        return True
    return False


def two_batches_in_transaction(state: State) -> bool:
    """A partition has two batches of one open transaction. Without an example a transaction has one batch only."""
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].replicas[state.partitions[partition_id].leader].log
        for entry in log.producers:
            if entry.current_transaction_first_offset != NO_OFFSET:
                if entry.batches[0].offset > entry.current_transaction_first_offset:
                    return True
    return False
