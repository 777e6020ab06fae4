"""The offsets that a group's coordinator knows, judged by the log that they are in.

Part of Kafka judged: `impl/coordinator/offsets.py`, by its records only.
Source: KIP-98, KIP-447; the issues named below.
Left out, and why that is sound: the effect of the offsets, which `spec/transactions/properties.py` judges.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.transactions.constants import NO_INPUT, TransactionState
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions.properties import fate_of


def committed_by_log(state: State) -> int:
    """The committed offset according to the log: that of the last record that counts."""
    partition = state.partitions[state.offsets_partition]
    committed = 0
    for offset in range(partition.log.end_offset):
        if state.group.records[offset] != NO_INPUT:
            is_plain = partition.log.records[offset].producer_id == NO_PRODUCER_ID
            if is_plain or fate_of(partition, offset) == Marker.COMMIT:
                committed = state.group.records[offset]
    return committed


def pending_by_log(state: State, producer_id: int) -> int:
    """The offset in a producer's open transaction according to the log; `NO_INPUT` if there is none."""
    partition = state.partitions[state.offsets_partition]
    pending = NO_INPUT
    for offset in range(partition.log.end_offset):
        is_of_producer = partition.log.records[offset].producer_id == producer_id
        if is_of_producer and state.group.records[offset] != NO_INPUT and fate_of(partition, offset) == Marker.NONE:
            pending = state.group.records[offset]
    return pending


def offsets_match_log(state: State) -> bool:
    """A group coordinator has the log's committed and pending offsets, once it has read the log and its markers.

    Lost if it fails: a consumer gets an offset that was passed long ago, and processes records again; or it is
    refused for ever because a transaction seems to be open.
    Source: GroupMetadataManager.doLoadGroupsAndOffsets; KAFKA-5247, KAFKA-5600.
    """
    if state.group.loading.is_loading != 0:
        return True
    for producer_id in range(len(state.group.pending)):
        if state.group.unfollowed[producer_id] != Marker.NONE:
            return True
        if state.group.pending[producer_id] != pending_by_log(state, producer_id):
            return False
    return state.group.committed == committed_by_log(state)


def is_offset_to_be_committed(state: State) -> bool:
    """Whether a transaction is decided whose COMMIT marker the offsets partition still awaits."""
    return any(
        transactional.log.entry.state == TransactionState.PREPARE_COMMIT
        and state.offsets_partition in transactional.log.entry.partitions
        for transactional in state.transactional_ids
    )


def reported_offsets_are_committed(state: State) -> bool:
    """The offset of a transaction that is reported as committed is committed, or its marker is still to be written.

    This holds also if the transaction has no record.

    Lost to users: an input counts as unread and is processed again, or its offset is committed with another
    transaction.
    Source: KIP-98 (`sendOffsetsToTransaction`); nisshi 716.
    """
    if state.group.loading.is_loading != 0 or is_offset_to_be_committed(state):
        return True
    return all(
        state.group.committed > promise.input_offset
        for promise in state.transactions
        if promise.told == Marker.COMMIT and state.offsets_partition in promise.acknowledged
    )


def offset_of_no_record(state: State) -> bool:
    """A transaction of an offset alone was reported as committed."""
    return any(
        promise.told == Marker.COMMIT and promise.acknowledged == Ids({state.offsets_partition})
        for promise in state.transactions
    )


def committed_offsets_count(before: State, after: State) -> bool:
    """A COMMIT marker brings the group's offset to at least the transaction's, unless a new coordinator is loading.

    Lost to users: the transaction's output is there, but its input counts as unread and is processed again.
    Source: KIP-98 (`sendOffsetsToTransaction`); KAFKA-14505, KAFKA-19163.
    """
    was = before.partitions[before.offsets_partition].log
    now = after.partitions[before.offsets_partition].log
    if after.group.loading.is_loading != 0:
        return True
    if now.end_offset == was.end_offset or now.records[was.end_offset].marker != Marker.COMMIT:
        return True
    ended = NO_INPUT
    for offset in range(was.end_offset):
        batch = now.records[offset]
        if batch.producer_id == now.records[was.end_offset].producer_id:
            ended = after.transactions[batch.id].input_offset if batch.marker == Marker.NONE else NO_INPUT
    return after.group.committed > ended


def offsets_expire_when_nothing_is_pending(before: State, after: State) -> bool:
    """A known offset expires only if its group has no open transaction and its coordinator has read the log.

    A record in the log says that it expired.

    Lost if it fails: behaviours, because the budget is spent on an offset that did not expire.
    Source: `OffsetMetadataManager.cleanupExpiredOffsets`; KAFKA-14505.
    """
    if before.budget.offset_expirations == after.budget.offset_expirations:
        return True
    for producer_id in range(len(before.group.pending)):
        if before.group.pending[producer_id] != NO_INPUT:
            return False
    was = before.partitions[before.offsets_partition].log
    now = after.partitions[before.offsets_partition].log
    return before.group.committed > 0 and after.group.committed == 0 and now.end_offset == was.end_offset + 1


def requests_await_loading(before: State, after: State) -> bool:
    """A coordinator that is loading returns no offset, accepts none, and begins no generation.

    Lost if it fails: a consumer gets an offset before the coordinator has read the log to its end; or an older record
    that is read later overwrites the offset that it commits.
    Source: COORDINATOR_LOAD_IN_PROGRESS; GroupCoordinator.validateGroupStatus.
    """
    if before.group.loading.is_loading == 0:
        return True
    for client_id in range(len(before.clients)):
        if before.clients[client_id].input_offset == NO_INPUT and after.clients[client_id].input_offset != NO_INPUT:
            return False
    return (
        all(old_record == record for old_record, record in zip(before.group.records, after.group.records))
        and before.group.generation == after.group.generation
    )


def only_new_coordinators_read(state: State) -> bool:
    """A coordinator that is not loading reads nothing of its log, and none reads past the log's end.

    Lost if it fails: an older state replaces the one that it has in memory.
    Source: GroupMetadataManager.doLoadGroupsAndOffsets.
    """
    loading = state.group.loading
    if loading.is_loading != 0:
        return loading.next_offset <= state.partitions[state.offsets_partition].log.end_offset
    return all(loading.pending[producer_id] == NO_INPUT for producer_id in range(len(loading.pending))) and (
        loading.next_offset == 0 and loading.committed == 0
    )


def loaded_pending_offset(state: State, bounds: Bounds) -> bool:
    """A new coordinator has read an offset of an open transaction. Without an example none has to survive."""
    if state.group.loading.is_loading != 0 or state.budget.group_failovers == bounds.group_failovers:
        return False
    return any(state.group.pending[producer_id] != NO_INPUT for producer_id in range(len(state.group.pending)))


def marker_while_loading(state: State) -> bool:
    """A new coordinator is loading, and the log has a marker that it has not read yet.

    Without an example nothing ever happens to the log that is being read.
    """
    log = state.partitions[state.offsets_partition].log
    return any(
        state.group.loading.is_loading != 0
        for offset in range(log.end_offset)
        if offset >= state.group.loading.next_offset and log.records[offset].marker != Marker.NONE
    )
