"""Which records does a read_committed consumer get, whatever clients and coordinators send to the partition?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Ids, IdSet, Struct, clear
from kafkacheck.impl.ids import LogOffset
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.append import append_batch, append_error
from kafkacheck.impl.log.constants import Marker, Origin, ProduceError
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.log.records import Batch, CoordinatorEpoch, IsTransactional, ProducerEpoch, ProducerId
from kafkacheck.impl.log.transactions import is_collected, last_stable_offset
from kafkacheck.impl.log.verification import NO_GUARD
from kafkacheck.impl.messages.write_txn_markers import MarkerRequest
from kafkacheck.impl.transactions.leader import write_marker
from kafkacheck.impl.transactions.partition import mark_replicated, reload_partition
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.impl.transactions.rules import TransactionRules

Version = Annotated[int, Count(2, lowest=1)]


class Answer(Struct):
    """What the last request was answered; blank after any other step.

    error: its error.
    aborted: the ends of the aborted transactions that the answer to a read names.
    """

    error: ProduceError
    aborted: Annotated[Ids, IdSet("log_size")]


class State(Struct):
    """A partition as its leader has it; the request of the moment; the last answer; and the last stable offset."""

    partition: Partition
    batch: Batch
    marker: MarkerRequest
    answer: Answer
    stable_offset: LogOffset


def note_stable_offset(state: State) -> None:
    """Compute the last stable offset."""
    partition = state.partition
    state.stable_offset = last_stable_offset(partition.log, partition.index, partition.high_watermark)


def leader_sends(
    state: State,
    rules: TransactionRules,
    producer_id: ProducerId,
    epoch: ProducerEpoch,
    is_transactional: IsTransactional,
) -> bool:
    """A batch comes from a leader, so that its sequence does not matter."""
    if is_full(state.partition.log):
        return False
    clear(state.answer)
    state.batch.producer_id = producer_id
    state.batch.producer_epoch = epoch
    state.batch.base_sequence = 0
    state.batch.is_transactional = is_transactional
    state.answer.error = append_error(state.partition.log, rules.log, state.batch, NO_GUARD, Origin.REPLICATION)
    if state.answer.error == ProduceError.NONE:
        append_batch(state.partition.log, rules.log, state.batch)
    clear(state.batch)
    note_stable_offset(state)
    return True


def marker_comes(
    state: State,
    rules: TransactionRules,
    producer_id: ProducerId,
    epoch: ProducerEpoch,
    coordinator_epoch: CoordinatorEpoch,
    commits: bool,
    version: Version,
) -> bool:
    """A coordinator sends a marker of a transaction of this version."""
    if is_full(state.partition.log):
        return False
    clear(state.answer)
    state.marker.producer_id = producer_id
    state.marker.producer_epoch = epoch
    state.marker.marker = Marker.COMMIT if commits else Marker.ABORT
    state.marker.is_upgraded = version - 1
    state.answer.error = write_marker(state.partition, rules, state.marker, coordinator_epoch)
    clear(state.marker)
    note_stable_offset(state)
    return True


def high_watermark_rises(state: State, offset: LogOffset) -> bool:
    """The followers have fetched what is below an offset."""
    if offset <= state.partition.high_watermark or offset > end_of(state.partition.log):
        return False
    clear(state.answer)
    mark_replicated(state.partition, offset)
    note_stable_offset(state)
    return True


def aborted_are_asked(state: State, fetch_offset: LogOffset, upper_bound: LogOffset) -> bool:
    """A consumer reads from an offset to another one."""
    if fetch_offset >= upper_bound or upper_bound > end_of(state.partition.log):
        return False
    clear(state.answer)
    for ended in range(end_of(state.partition.log)):
        if is_collected(state.partition.index, ended, fetch_offset, upper_bound):
            state.answer.aborted |= {ended}
    return True


def leader_restarts(state: State, rules: TransactionRules) -> bool:
    """The leader's process ends, and another one loads the log; the high watermark was checkpointed.

    When: everything is replicated. Otherwise Kafka forgets which markers are not, and its last stable offset rises; the
        reference rebuilds that, because it rebuilds the state of replicas that have not restarted.
    """
    if state.partition.high_watermark < end_of(state.partition.log):
        return False
    clear(state.answer)
    reload_partition(state.partition, rules)
    note_stable_offset(state)
    return True


def stable_offset_is_replicated(state: State) -> bool:
    """The last stable offset is not above the high watermark."""
    return state.stable_offset <= state.partition.high_watermark


ANY_TIME = (leader_sends, marker_comes, aborted_are_asked, leader_restarts)

MODEL = Model(
    name="transaction_index",
    question=__doc__,
    state=State,
    actions=[*ANY_TIME, high_watermark_rises],
    stuttering=ANY_TIME,
    always=[stable_offset_is_replicated],
    bounds={
        "producer_ids": 2,
        "max_producer_epoch": 1,
        "log_size": 4,
        "max_log_start": 0,
        "batches": 1,
        "max_sequence": 0,
        "records_in_batch": 1,
        "cached_batches": 1,
        "transactional": 1,
        "max_verification_guard": 0,
        "max_coordinator_epoch": 0,
        "upgrades": 1,
        "recreations": 0,
    },
    rules=TransactionRules(transaction_version=1, leader_is_alone=False),
)
