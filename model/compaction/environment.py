"""Actions of applications and the environment on a compacted partition; disturbances are charged to budgets."""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.compaction.records import Key
from kafkacheck.impl.compaction.replica import truncate_compacted
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.ids import NO_OFFSET, ReplicaId
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.reading import end_of, highest_sequence
from kafkacheck.impl.log.records import BatchId, ProducerId
from kafkacheck.impl.log.reload import rebuild_from_log
from kafkacheck.impl.log.sequences import sequence_after
from kafkacheck.model.compaction.system import State, leader_stores_write, raise_high_watermark


def start_compaction(state: State) -> bool:
    """Begin with empty replicas, all of them in sync, and broker 0 as leader."""
    state.isr = Ids(range(len(state.replicas)))
    return True


def producer_writes(
    state: State, rules: CompactionRules, bounds: Bounds, producer_id: ProducerId, key: Key, is_tombstone: bool
) -> bool:
    """An application writes a key's next value, or a tombstone, and the leader stores it.

    Who: an application.
    When: a write is left; the leader's log has room.
    Effect: the record is at the end of the leader's log, in a transaction if the producer is transactional.
    Source: `KafkaProducer.send`; UnifiedLog.appendAsLeader.
    Left out: the request on its way, which the producer's models have.
    """
    write_id = state.next_write
    if write_id == len(state.writes):
        return False
    write = state.writes[write_id]
    write.producer_id = producer_id
    write.sequence = state.next_sequences[producer_id]
    if not leader_stores_write(state, rules, bounds, write_id):
        write.producer_id = -1
        write.sequence = -1
        return False
    write.key = key
    write.is_tombstone = is_tombstone
    write.outcome = Marker.NONE if bounds.transactional == 1 else Marker.COMMIT
    state.next_sequences[producer_id] = sequence_after(
        write.sequence, 1, highest_sequence(state.replicas[state.leader].log)
    )
    state.next_write += 1
    return True


def write_is_repeated(state: State, rules: CompactionRules, bounds: Bounds, write_id: BatchId) -> bool:
    """A producer gets no answer to its last write, and sends it again.

    When: it is the producer's last write; a retry is left.
    Effect: the leader recognises it, or takes it for a new one and stores it.
    Source: `Sender.reenqueueBatch`; UnifiedLog.analyzeAndValidateProducerState.
    """
    if write_id >= state.next_write:
        return False
    for later in range(write_id + 1, state.next_write):
        if state.writes[later].producer_id == state.writes[write_id].producer_id:
            return False
    leader_stores_write(state, rules, bounds, write_id)
    return True


def follower_falls_behind(state: State, replica_id: ReplicaId) -> bool:
    """A follower is slow, and leaves the ISR.

    When: it follows and is in sync; a lag is left.
    Effect: the leader does not wait for it.
    Source: Partition.maybeShrinkIsr.
    """
    if replica_id == state.leader or replica_id not in state.isr:
        return False
    state.isr -= {replica_id}
    raise_high_watermark(state)
    return True


def leadership_moves(state: State, rules: CompactionRules, replica_id: ReplicaId) -> bool:
    """Another in-sync replica becomes leader, and the old leader follows it.

    When: the replica follows and is in sync; a fail-over is left.
    Effect: it leads, and every log that is longer than its own is truncated to its end. A transaction whose marker is
        cut is open again; its coordinator sends the marker once more.
    Source: the controller elects a member of the ISR; UnifiedLog.truncateTo.
    Left out: the time before the deposed leader learns of it.
    """
    if replica_id == state.leader or replica_id not in state.isr:
        return False
    state.leader = replica_id
    end_offset = end_of(state.replicas[replica_id].log)
    for replica in state.replicas:
        truncate_compacted(replica, rules, end_offset)
    for write_id in range(state.next_write):
        if state.writes[write_id].ended_at >= end_offset:
            state.writes[write_id].outcome = Marker.NONE
            state.writes[write_id].ended_at = NO_OFFSET
    raise_high_watermark(state)
    return True


def producer_state_is_rebuilt(state: State, rules: CompactionRules, replica_id: ReplicaId) -> bool:
    """A replica learns of producers from its log alone, because its snapshots are lost or it was copied anew.

    When: a reload is left.
    Effect: the replica rebuilds its producer state from the batches, with or without their records.
    Source: UnifiedLog.rebuildProducerState; a replica on another disk fetches from the log's start.
    Left out: snapshots, which the producer's models have.
    """
    rebuild_from_log(state.replicas[replica_id].log, rules.log)
    return True


CHARGES = {
    write_is_repeated: "retries",
    follower_falls_behind: "lags",
    leadership_moves: "failovers",
    producer_state_is_rebuilt: "reloads",
}
"""The allowance to which each disturbance of this file is charged."""
