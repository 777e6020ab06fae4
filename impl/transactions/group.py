"""Consume, transform, produce: the group's offsets, inside and outside transactions.

Part of Kafka modelled: the offsets of `GroupMetadata` and `GroupMetadataManager` (`validateOffsetCommit`, pending
transactional offsets, `requireStable`, `doLoadGroupsAndOffsets`); `KafkaProducer.sendOffsetsToTransaction`; an
application around them.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-447, KAFKA-5247, KAFKA-5600, KAFKA-15449.
Left out, and why that is sound: joining and assigning: a generation begins at once, the one input has one owner, and
former owners do not notice. Members' ids, which carry no more information than the generation. A new coordinator knows
the generation: it is in the same log, and is written before a member learns of it.
"""

from kafkacheck.checker.schema import clear, contains
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.records import PartitionLog
from kafkacheck.impl.transactions.client import is_idle, is_upgraded, send_batch, send_request
from kafkacheck.impl.transactions.constants import NO_INPUT, ProducerState, RequestKind
from kafkacheck.impl.transactions.metadata import has_version_2
from kafkacheck.impl.transactions.records import Client, ClientId, Group
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.system import State


def is_illegal_generation(group: Group, rules: TransactionRules, generation: int) -> bool:
    """Whether offsets are refused because the group has a newer generation (ILLEGAL_GENERATION)."""
    return rules.offset_commit_names_generation and generation != group.generation


def is_loading(group: Group) -> bool:
    """Whether the group's coordinator is new and is still reading the log (COORDINATOR_LOAD_IN_PROGRESS)."""
    return group.loading.is_loading != 0


def is_plain(client: Client) -> bool:
    """Whether the client is a consumer that does not write: it has no producer id."""
    return client.producer_id == NO_PRODUCER_ID


def is_overtaken(log: PartitionLog, producer_id: int, end_offset: int) -> bool:
    """Whether, below `end_offset`, a commit outside transactions follows the producer's last offset commit."""
    overtaken = False
    for offset in range(end_offset):
        batch = log.records[offset]
        if batch.marker == Marker.NONE and batch.producer_id == producer_id:
            overtaken = False
        elif batch.producer_id == NO_PRODUCER_ID:
            overtaken = True
    return overtaken


def complete_pending_offset(
    group: Group, rules: TransactionRules, log: PartitionLog, producer_id: int, marker: Marker
) -> None:
    """End a producer's transaction in the offsets partition. A commit that is later in the log stays in effect.

    A coordinator that is loading has no pending offset yet: it will read the marker.
    """
    if is_loading(group):
        return
    is_newest = not rules.offsets_go_by_record or not is_overtaken(log, producer_id, log.end_offset)
    if group.pending[producer_id] != NO_INPUT and marker == Marker.COMMIT and is_newest:
        group.committed = group.pending[producer_id]
    group.pending[producer_id] = NO_INPUT


def has_pending_offset(group: Group) -> bool:
    """Whether an open transaction may change the committed offset."""
    for producer_id in range(len(group.pending)):
        if group.pending[producer_id] != NO_INPUT:
            return True
    return False


def note_offset(group: Group, offset: int, input_offset: int) -> None:
    """Keep the offset that a record in the offsets partition commits, if a new coordinator may read it."""
    if group.max_failovers > 0:
        group.records[offset] = input_offset


def begin_loading(group: Group) -> None:
    """Begin the term of a new coordinator, which has nothing in memory."""
    for producer_id in range(len(group.pending)):
        group.pending[producer_id] = NO_INPUT
        group.unfollowed[producer_id] = Marker.NONE
    clear(group.loading)
    group.loading.is_loading = 1


def load_record(group: Group, rules: TransactionRules, log: PartitionLog, offset: int) -> None:
    """Load a record of the log: a committed offset, a pending one, or a marker that ends a producer's transaction."""
    loading = group.loading
    batch = log.records[offset]
    if batch.producer_id == NO_PRODUCER_ID:
        loading.committed = group.records[offset]
    elif batch.marker == Marker.NONE:
        loading.pending[batch.producer_id] = group.records[offset]
    else:
        is_newest = not rules.offsets_go_by_record or not is_overtaken(log, batch.producer_id, offset)
        if loading.pending[batch.producer_id] != NO_INPUT and batch.marker == Marker.COMMIT and is_newest:
            loading.committed = loading.pending[batch.producer_id]
        loading.pending[batch.producer_id] = NO_INPUT


def is_cached(group: Group, end_offset: int) -> bool:
    """Whether a record below `end_offset` belongs to the group."""
    for offset in range(end_offset):
        if group.records[offset] != NO_INPUT:
            return True
    return False


def group_coordinator_reads_record(state: State, rules: TransactionRules) -> bool:
    """A new coordinator of the group reads the next record of its log.

    Who: the group's coordinator.
    When: it is loading, and has not read the whole log, which still receives markers.
    Effect: it knows a committed offset, a pending one, or the outcome of a transaction. By the old rule the group
        entered the cache at the end of a read, and stayed unchanged there although the log had more records.
    Source: GroupMetadataManager.doLoadGroupsAndOffsets, loadGroup; KAFKA-5600.
    Left out: several records in one read; a read may end after any record.
    """
    loading = state.group.loading
    if not is_loading(state.group):
        return False
    log = state.partitions[state.offsets_partition].log
    if loading.next_offset >= log.end_offset:
        return False
    if rules.offsets_are_loaded_whole or not is_cached(state.group, loading.next_offset):
        load_record(state.group, rules, log, loading.next_offset)
    loading.next_offset += 1
    return True


def group_coordinator_ends_loading(state: State) -> bool:
    """A new coordinator of the group has read its whole log, and begins to answer.

    Who: the group's coordinator.
    When: it has read the whole log.
    Effect: it has the committed offset and the pending ones.
    Source: GroupMetadataManager.loadGroup, GroupMetadata.initializeOffsets.
    """
    group = state.group
    if not is_loading(group) or group.loading.next_offset < state.partitions[state.offsets_partition].log.end_offset:
        return False
    group.committed = group.loading.committed
    for producer_id in range(len(group.pending)):
        group.pending[producer_id] = group.loading.pending[producer_id]
    clear(group.loading)
    return True


def assign_input(group: Group, client: Client) -> None:
    """Begin the next generation, in which the client owns the input."""
    group.generation += 1
    client.generation = group.generation
    client.input_offset = NO_INPUT
    client.is_halfway = False


def consumer_fetches_offset(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """A consumer asks for the committed offset (OffsetFetch).

    Who: a client that was given the input, and does not know its position.
    When: it is in no transaction; the coordinator is not loading; no open transaction may change the offset
        (UNSTABLE_OFFSET_COMMIT), unless the client has no producer id.
    Effect: its position is the committed offset.
    Source: GroupMetadataManager.getOffsets; KIP-447.
    """
    client = state.clients[client_id]
    if client.generation == 0 or client.input_offset != NO_INPUT:
        return False
    if client.state != ProducerState.READY or is_loading(state.group):
        return False
    if not is_plain(client) and rules.offset_fetch_requires_stable and has_pending_offset(state.group):
        return False
    client.input_offset = state.group.committed
    return True


def application_takes_input(state: State, client_id: ClientId) -> bool:
    """An application begins a transaction for the input that it has read.

    Who: a client that knows its position.
    When: the input exists, the client is ready, and there is a transaction left.
    Effect: it is in the next transaction.
    Source: KIP-98 (consume, transform, produce).
    Left out: several inputs in one transaction.
    """
    client = state.clients[client_id]
    if client.state != ProducerState.READY or client.input_offset == NO_INPUT or is_plain(client):
        return False
    if client.input_offset >= len(state.group.processed) - 1 or state.next_transaction >= len(state.transactions):
        return False
    client.state = ProducerState.IN_TRANSACTION
    client.transaction = state.next_transaction
    state.transactions[state.next_transaction].input_offset = client.input_offset
    state.next_transaction += 1
    return True


def producer_sends_offsets(state: State, rules: TransactionRules, client_id: ClientId) -> bool:
    """A producer sends the offset after its input to the group, in its transaction.

    Who: a producer in a transaction.
    When: it awaits no answer, has sent its record, and has not sent the offset.
    Effect: TxnOffsetCommit is under way; with transaction version 1, AddOffsetsToTxn comes first.
    Source: TransactionManager.sendOffsetsToTransaction; KIP-447.
    Left out: a leader of the offsets partition that is not the group coordinator: they are one broker.
    """
    client = state.clients[client_id]
    if client.state != ProducerState.IN_TRANSACTION or not is_idle(state, client_id):
        return False
    if client.sent == 0 or contains(client.sent, state.offsets_partition):
        return False
    is_version_2 = has_version_2(rules, is_upgraded(client))
    if not is_version_2 and not contains(client.partitions, state.offsets_partition):
        send_request(state, client_id, RequestKind.ADD_PARTITIONS_TO_TXN)
        state.requests[client_id].partition = state.offsets_partition
        return True
    send_batch(state, client_id, state.offsets_partition)
    state.produces[client_id].input_offset = client.input_offset + 1
    state.produces[client_id].generation = client.generation
    return True
