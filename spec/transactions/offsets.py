"""What a group's coordinator knows of its offsets, by the log that they are in.

Part of Kafka judged: `impl/transactions/group.py`, by its records only.
Source: KIP-98, KIP-447; the issues named below.
Left out, and why that is sound: what the offsets are good for, which `spec/transactions/properties.py` judges.
"""

from kafkacheck.impl.producer.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.transactions.constants import NO_INPUT
from kafkacheck.impl.transactions.records import State
from kafkacheck.spec.transactions.properties import fate_of


def committed_by_log(state: State) -> int:
    """The committed offset that the log tells: that of the last record which counts at all."""
    partition = state.partitions[state.offsets_partition]
    committed = 0
    for offset in range(partition.log.end_offset):
        if state.group.records[offset] != NO_INPUT:
            is_plain = partition.log.batches[offset].producer_id == NO_PRODUCER_ID
            if is_plain or fate_of(partition, offset) == Marker.COMMIT:
                committed = state.group.records[offset]
    return committed


def pending_by_log(state: State, producer_id: int) -> int:
    """The offset in a producer's open transaction that the log tells; `NO_INPUT` where it tells none."""
    partition = state.partitions[state.offsets_partition]
    pending = NO_INPUT
    for offset in range(partition.log.end_offset):
        is_of_producer = partition.log.batches[offset].producer_id == producer_id
        if is_of_producer and state.group.records[offset] != NO_INPUT and fate_of(partition, offset) == Marker.NONE:
            pending = state.group.records[offset]
    return pending


def offsets_match_log(state: State) -> bool:
    """A group's coordinator knows the committed offset and those that are pending as the log has them, as soon as it
    has read it, and has followed the markers in it.

    Lost if it fails: a consumer is told an offset that was passed long ago, and processes records again; or it is told
    for ever that a transaction is open.
    Source: GroupMetadataManager.doLoadGroupsAndOffsets; KAFKA-5247, KAFKA-5600.
    Holds in: transactions.group.failover.
    Fails in: the museum's entry on offsets that are loaded in part.
    """
    if state.group.loading.is_loading != 0:
        return True
    for producer_id in range(len(state.group.pending)):
        if state.group.unfollowed[producer_id] != Marker.NONE:
            return True
        if state.group.pending[producer_id] != pending_by_log(state, producer_id):
            return False
    return state.group.committed == committed_by_log(state)


def committed_offsets_count(before: State, after: State) -> bool:
    """With the COMMIT marker of a transaction the group has an offset that is no lower than the transaction's, or its
    coordinator is new and will read it.

    Lost if it fails: the transaction's output is there and its input counts as unread, so that it is processed again.
    Source: KIP-98 (`sendOffsetsToTransaction`); KAFKA-14505, KAFKA-19163.
    Holds in: transactions.group.offset_expiry.
    Fails in: the museum's entry on offsets that expire.
    """
    was = before.partitions[before.offsets_partition].log
    now = after.partitions[before.offsets_partition].log
    if after.group.loading.is_loading != 0:
        return True
    if now.end_offset == was.end_offset or now.batches[was.end_offset].marker != Marker.COMMIT:
        return True
    ended = NO_INPUT
    for offset in range(was.end_offset):
        batch = now.batches[offset]
        if batch.producer_id == now.batches[was.end_offset].producer_id:
            ended = after.transactions[batch.id].input_offset if batch.marker == Marker.NONE else NO_INPUT
    return after.group.committed > ended


def offsets_expire_when_nothing_is_pending(before: State, after: State) -> bool:
    """What expires is an offset that is known, of a group in which no transaction is open and whose coordinator has
    read its log; a record in the log says so.

    Lost if it fails: behaviours in which an offset expires; they would be charged for nothing.
    Source: `OffsetMetadataManager.cleanupExpiredOffsets`; KAFKA-14505.
    Holds in: transactions.group.offset_expiry.
    Fails in: the museum's entry on offsets that expire.
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
    """While a coordinator is loading it tells no offset, takes none, and begins no generation.

    Lost if it fails: a consumer is told an offset that the coordinator has not read to its end; or what it commits is
    overwritten by an older record that is read later.
    Source: COORDINATOR_LOAD_IN_PROGRESS; GroupCoordinator.validateGroupStatus.
    Holds in: transactions.group.failover.
    Fails in: none; it guards the reference itself.
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
    """A coordinator that is not loading reads nothing of its log, and none has read more than there is.

    Lost if it fails: what it has in memory is replaced by what it had before.
    Source: GroupMetadataManager.doLoadGroupsAndOffsets.
    Holds in: transactions.group.failover.
    Fails in: none; it guards the reference itself.
    """
    loading = state.group.loading
    if loading.is_loading != 0:
        return loading.next_offset <= state.partitions[state.offsets_partition].log.end_offset
    return all(loading.pending[producer_id] == NO_INPUT for producer_id in range(len(loading.pending))) and (
        loading.next_offset == 0 and loading.committed == 0
    )


def loaded_pending_offset(state: State) -> bool:
    """A new coordinator has read an offset whose transaction is open. Without an example it is never put to the test
    whether one survives.
    """
    if state.group.loading.is_loading != 0 or state.budget.group_failovers == state.group.max_failovers:
        return False
    return any(state.group.pending[producer_id] != NO_INPUT for producer_id in range(len(state.group.pending)))


def marker_while_loading(state: State) -> bool:
    """A new coordinator is loading, and the log ends with a marker behind what it has read. Without an example nothing
    ever happens to the log that is being read.
    """
    log = state.partitions[state.offsets_partition].log
    return any(
        state.group.loading.is_loading != 0
        for offset in range(log.end_offset)
        if offset >= state.group.loading.next_offset and log.batches[offset].marker != Marker.NONE
    )
