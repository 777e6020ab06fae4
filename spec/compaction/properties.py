"""Compaction must keep each key's last value, each transaction's outcome and each producer's sequence.

Part of Kafka judged: `impl/compaction`, by its records only.
Source: the guarantees of log compaction in Kafka's documentation; KIP-534, KIP-98; the issues named below.
Left out, and why that is sound: how much is cleaned and when, because nothing is promised about it.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.compaction.records import CompactedReplica
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_ID, Marker
from kafkacheck.model.compaction.system import State


def last_value(state: State, key: int, end: int) -> int:
    """The write that is the key's value among the records stored below `end`; `NO_BATCH` if it has none."""
    value = NO_BATCH
    for offset in range(end):
        write_id = state.stored[offset]
        if write_id != NO_BATCH:
            write = state.writes[write_id]
            if write.key == key and write.outcome == Marker.COMMIT:
                value = NO_BATCH if write.is_tombstone else write_id
    return value


def value_in(state: State, replica: CompactedReplica, key: int, end: int) -> int:
    """The write that is the key's value in a replica's log below `end`; `NO_BATCH` if it has none."""
    value = NO_BATCH
    for offset in range(end):
        write_id = replica.log.records[offset].id
        if write_id != NO_BATCH and offset in replica.kept:
            write = state.writes[write_id]
            if write.key == key and write.outcome == Marker.COMMIT:
                value = NO_BATCH if write.is_tombstone else write_id
    return value


def replicas_keep_last_values(state: State) -> bool:
    """A replica that has all committed offsets has every key's last committed value, and no deleted value.

    Lost to users: a reader of that replica misses a committed value, or sees a deleted value again.
    Source: log compaction's guarantee that the latest value of each key is retained; KIP-534, KAFKA-13194.
    """
    return all(
        value_in(state, replica, key, state.high_watermark) == last_value(state, key, state.high_watermark)
        for replica in state.replicas
        if replica.log.end_offset >= state.high_watermark
        for key in range(len(state.reader.values))
    )


def reader_has_last_values(state: State) -> bool:
    """A consumer has, for every key, the last value below its position.

    Lost to users: a table built from the log keeps a deleted value, or lacks a stored one.
    Source: KIP-534, KAFKA-4529.
    """
    return all(
        state.reader.values[key] == last_value(state, key, state.reader.position)
        for key in range(len(state.reader.values))
    )


def outcome_of(replica: CompactedReplica, offset: int) -> Marker:
    """The outcome of the batch's transaction: the first later marker of the same producer."""
    outcome = Marker.NONE
    for later in range(offset + 1, replica.log.end_offset):
        batch = replica.log.records[later]
        if outcome == Marker.NONE and batch.producer_id == replica.log.records[offset].producer_id:
            outcome = batch.marker
    return outcome


def markers_outlive_records(state: State) -> bool:
    """A log that has a record and extends past its transaction's marker still shows that transaction's outcome.

    Lost if it fails: a transaction hangs and blocks reads past it, or takes the outcome of the next one.
    Source: `CleanedTransactionMetadata`; KAFKA-14055, KIP-534.
    """
    for replica in state.replicas:
        for offset in range(replica.log.end_offset):
            batch = replica.log.records[offset]
            if batch.id != NO_BATCH and batch.is_transactional == 1 and offset in replica.kept:
                write = state.writes[batch.id]
                if write.ended_at != NO_OFFSET and write.ended_at < replica.log.end_offset:
                    if outcome_of(replica, offset) != write.outcome:
                        return False
    return True


def writes_are_stored_once(state: State) -> bool:
    """No write is committed twice, even if records were cleaned meanwhile.

    Lost to users: a superseded value comes back, or a consumer gets a record twice.
    Source: KIP-98 (idempotence).
    """
    return all(
        state.stored[offset] != state.stored[earlier]
        for offset in range(state.high_watermark)
        for earlier in range(offset)
        if state.stored[offset] != NO_BATCH
    )


def leader_is_in_isr(state: State) -> bool:
    """The leader is in the ISR, and its log reaches the high watermark.

    Lost if it fails: the leader may lack committed records.
    Source: `Partition.maybeShrinkIsr`.
    """
    return state.leader in state.isr and state.replicas[state.leader].log.end_offset >= state.high_watermark


def committed_without_all(state: State) -> bool:
    """A replica lacks a committed record. Without an example no follower misses anything."""
    return any(replica.log.end_offset < state.high_watermark for replica in state.replicas)


def follower_is_back(state: State) -> bool:
    """A follower that fell behind is in the ISR again. Without an example no follower catches up again."""
    return state.budget.lags == 0 and state.isr == Ids(range(len(state.replicas)))


def stamped_at_high_watermark(state: State) -> bool:
    """The last committed batch has a delete horizon. Without an example cleaning never gets that far."""
    return any(state.high_watermark > 0 and state.high_watermark - 1 in replica.stamped for replica in state.replicas)


def committed_transaction(state: State) -> bool:
    """A transaction is committed."""
    return any(write.ended_at != NO_OFFSET and write.outcome == Marker.COMMIT for write in state.writes)


def aborted_transaction(state: State) -> bool:
    """A transaction is aborted."""
    return any(write.outcome == Marker.ABORT for write in state.writes)


def removed_batch(state: State) -> bool:
    """A batch was removed from a log. Without an example nothing is cleaned."""
    return any(
        replica.log.records[offset].producer_id == NO_PRODUCER_ID
        for replica in state.replicas
        for offset in range(replica.log.end_offset)
    )


def emptied_batch(state: State) -> bool:
    """A batch is kept without its record. Without an example no producer's last batch is cleaned."""
    return any(
        replica.log.records[offset].producer_id != NO_PRODUCER_ID and offset not in replica.kept
        for replica in state.replicas
        for offset in range(replica.log.end_offset)
    )


def removed_tombstone(state: State) -> bool:
    """A tombstone that nothing supersedes was removed. Without an example no delete horizon has passed."""
    for offset in range(state.high_watermark):
        write_id = state.stored[offset]
        if write_id != NO_BATCH and state.writes[write_id].is_tombstone:
            leader = state.replicas[state.leader]
            is_gone = leader.log.records[offset].id != write_id or offset not in leader.kept
            is_last = True
            for later in range(offset + 1, leader.log.end_offset):
                other = leader.log.records[later].id
                if other != NO_BATCH and state.writes[other].key == state.writes[write_id].key:
                    is_last = False
            if is_gone and is_last:
                return True
    return False


def removed_marker(state: State) -> bool:
    """A marker was removed. Without an example no transaction is cleaned completely."""
    return any(
        state.replicas[state.leader].log.records[write.ended_at].marker == Marker.NONE
        for write in state.writes
        if write.ended_at != NO_OFFSET
    )
