"""Which batches and markers does a partition take, whatever it is sent?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.ids import NO_OFFSET, LogOffset, LogStartOffset, OptionalOffset
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.append import append_batch, append_error, append_marker, marker_error
from kafkacheck.impl.log.constants import Marker, Origin, ProduceError
from kafkacheck.impl.log.producer_state import expire_producer, has_open_transaction
from kafkacheck.impl.log.reading import end_of, newest_guard
from kafkacheck.impl.log.records import (
    Batch,
    CoordinatorEpoch,
    IsTransactional,
    OptionalSequence,
    PartitionReplica,
    ProducerEpoch,
    ProducerId,
    RecordCount,
    Sequence,
)
from kafkacheck.impl.log.reload import advance_start
from kafkacheck.impl.log.replica import flush_log, restart_replica, roll_segment, stored_offset, truncate_replica
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.log.verification import NO_GUARD, start_verification, verification_error

Version = Annotated[int, Count(2, lowest=1)]
GuardNumber = Annotated[int, Count("max_verification_guard")]


class Answer(Struct):
    """What the last request was answered; blank after any other step.

    error: its error.
    offset: where the batch is stored already.
    """

    error: ProduceError
    offset: OptionalOffset


class State(Struct):
    """A replica that leads or follows as it is asked; the request of the moment; the last answer."""

    replica: PartitionReplica
    request: Batch
    answer: Answer


def is_sent(first: int, count: int, bounds: Bounds) -> bool:
    """Whether a batch has sequences that can stand for Kafka's.

    Without the bound `wraps` they stand for themselves, and the highest is not reached. With it, 0 is alone, and those
    from 2 on stand for the last ones before the highest.
    """
    if bounds.wraps == 0:
        return first + count <= bounds.max_sequence
    return first >= 2 or (first == 0 and count == 1)


def fill(state: State, producer_id: int, epoch: int, first: int, count: int, is_transactional: int) -> None:
    """Write the request."""
    clear(state.answer)
    state.request.producer_id = producer_id
    state.request.producer_epoch = epoch
    state.request.base_sequence = first
    state.request.record_count = count
    state.request.is_transactional = is_transactional


def answer_append(state: State, rules: LogRules, guard: int, origin: Origin) -> None:
    """Append the request unless it is forbidden, and blank it."""
    error = append_error(state.replica.log, rules, state.request, guard, origin)
    if error == ProduceError.NONE:
        append_batch(state.replica.log, rules, state.request)
    state.answer.error = error
    clear(state.request)


def client_appends(
    state: State,
    rules: LogRules,
    bounds: Bounds,
    producer_id: ProducerId,
    epoch: ProducerEpoch,
    first: Sequence,
    count: RecordCount,
    is_transactional: IsTransactional,
    guard: GuardNumber,
) -> bool:
    """A client's batch comes, with a guard of this partition or with none."""
    log = state.replica.log
    if is_full(log) or guard > newest_guard(log) or not is_sent(first, count, bounds):
        return False
    fill(state, producer_id, epoch, first, count, is_transactional)
    stored = stored_offset(log, rules, state.request)
    if stored == NO_OFFSET:
        answer_append(state, rules, guard, Origin.CLIENT)
    else:
        state.answer.offset = stored
        clear(state.request)
    return True


def coordinator_appends(
    state: State, rules: LogRules, producer_id: ProducerId, epoch: ProducerEpoch, guard: GuardNumber
) -> bool:
    """The group's coordinator on this broker appends an offset of a transaction; in Kafka with sequence 0."""
    if is_full(state.replica.log) or guard > newest_guard(state.replica.log):
        return False
    fill(state, producer_id, epoch, 0, 1, 1)
    answer_append(state, rules, guard, Origin.COORDINATOR)
    return True


def leader_sends(
    state: State,
    rules: LogRules,
    bounds: Bounds,
    producer_id: ProducerId,
    epoch: ProducerEpoch,
    first: Sequence,
    count: RecordCount,
    is_transactional: IsTransactional,
) -> bool:
    """A batch comes from the partition's leader."""
    if is_full(state.replica.log) or not is_sent(first, count, bounds):
        return False
    fill(state, producer_id, epoch, first, count, is_transactional)
    answer_append(state, rules, NO_GUARD, Origin.REPLICATION)
    return True


def verification_starts(
    state: State,
    rules: LogRules,
    bounds: Bounds,
    producer_id: ProducerId,
    epoch: ProducerEpoch,
    first: OptionalSequence,
    version: Version,
) -> bool:
    """A transaction's first batch comes, of a client with this version; it gets a guard unless it is open here."""
    log = state.replica.log
    joins = bounds.reloads == 0 and log.verifications[producer_id].guard != NO_GUARD
    if newest_guard(log) == bounds.max_verification_guard and not joins:
        return False
    fill(state, producer_id, epoch, first, 1, 1)
    state.answer.error = verification_error(log, rules, state.request)
    if state.answer.error == ProduceError.NONE:
        start_verification(log, rules, state.request, version - 1)
    clear(state.request)
    return True


def marker_is_written(
    state: State,
    rules: LogRules,
    producer_id: ProducerId,
    epoch: ProducerEpoch,
    coordinator_epoch: CoordinatorEpoch,
    commits: bool,
) -> bool:
    """A transaction's coordinator sends a marker."""
    log = state.replica.log
    if is_full(log):
        return False
    clear(state.answer)
    state.answer.error = marker_error(log, producer_id, epoch, coordinator_epoch)
    if state.answer.error == ProduceError.NONE:
        append_marker(log, rules, producer_id, epoch, coordinator_epoch, Marker.COMMIT if commits else Marker.ABORT)
    return True


def leader_sends_marker(
    state: State, rules: LogRules, producer_id: ProducerId, epoch: ProducerEpoch, coordinator_epoch: CoordinatorEpoch
) -> bool:
    """A marker comes from the partition's leader."""
    if is_full(state.replica.log):
        return False
    clear(state.answer)
    append_marker(state.replica.log, rules, producer_id, epoch, coordinator_epoch, Marker.ABORT)
    return True


def producers_expire(state: State, bounds: Bounds) -> bool:
    """Every idle producer is forgotten."""
    if bounds.reloads == 1:
        return False
    clear(state.answer)
    for producer_id in range(len(state.replica.log.producers)):
        expire_producer(state.replica.log, producer_id)
    return True


def records_are_deleted(state: State, rules: LogRules, start_offset: LogStartOffset) -> bool:
    """The log loses its first batches, which are replicated."""
    log = state.replica.log
    if start_offset <= log.start_offset or start_offset > end_of(log):
        return False
    clear(state.answer)
    advance_start(log, rules, start_offset)
    return True


def segment_is_rolled(state: State, rules: LogRules, bounds: Bounds) -> bool:
    """The log begins a new segment, with a snapshot."""
    if bounds.reloads == 0:
        return False
    if not roll_segment(state.replica, rules):
        return False
    clear(state.answer)
    return True


def log_is_flushed(state: State, rules: LogRules, bounds: Bounds) -> bool:
    """The log reaches the disk."""
    if bounds.reloads == 0:
        return False
    clear(state.answer)
    flush_log(state.replica, rules)
    return True


def log_is_truncated(state: State, rules: LogRules, bounds: Bounds, end_offset: LogOffset) -> bool:
    """The log loses its last batches."""
    if bounds.reloads == 0:
        return False
    if end_offset >= end_of(state.replica.log):
        return False
    clear(state.answer)
    truncate_replica(state.replica, rules, 0, end_offset)
    return True


def broker_crashes(state: State, rules: LogRules, bounds: Bounds) -> bool:
    """The process ends, and another one loads the log."""
    if bounds.reloads == 0:
        return False
    clear(state.answer)
    restart_replica(state.replica, rules)
    return True


def open_transactions_are_stored(state: State) -> bool:
    """An open transaction begins in the log."""
    return all(
        entry.current_transaction_first_offset < end_of(state.replica.log)
        for producer_id, entry in enumerate(state.replica.log.producers)
        if has_open_transaction(state.replica.log, producer_id)
    )


ANY_TIME = (
    client_appends,
    coordinator_appends,
    leader_sends,
    verification_starts,
    marker_is_written,
    leader_sends_marker,
    producers_expire,
    log_is_flushed,
    broker_crashes,
)

# Kafka takes a snapshot after each reload, which the reference does not; an expired producer may come back by it.
# A marker that is read again may end a verification that a newer epoch has joined, and Kafka then reads it no more.
# So neither is reloaded here: with the bound `reloads` at 0 producers expire, with 1 logs are reloaded.
MODEL = Model(
    name="producer_state",
    question=__doc__,
    state=State,
    actions=[*ANY_TIME, records_are_deleted, segment_is_rolled, log_is_truncated],
    stuttering=ANY_TIME,
    always=[open_transactions_are_stored],
    bounds={
        "producer_ids": 1,
        "max_producer_epoch": 1,
        "log_size": 2,
        "max_log_start": 0,
        "batches": 1,
        "max_sequence": 3,
        "records_in_batch": 1,
        "cached_batches": 1,
        "snapshots": 1,
        "transactional": 1,
        "max_verification_guard": 1,
        "max_coordinator_epoch": 0,
        "wraps": 0,
        "reloads": 1,
    },
    rules=LogRules(),
)
