"""Does a group's coordinator commit, return, expire and load offsets as Kafka's does, whatever comes in which order?

A component: one group with one input partition, and the partition of its offsets, with the functions of `impl/`. Any
producer may commit in a transaction, and any transaction may end at any time, also while a new coordinator loads.

Bounds: with `max_generation` at 0 the group has no members, so that offsets expire; otherwise it has one.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.offsets import (
    begin_loading_offsets,
    can_fetch_offset,
    commit_in_transaction,
    commit_offset,
    complete_pending_offset,
    end_loading,
    expire_offset,
    is_loading_offsets,
    read_record,
)
from kafkacheck.impl.coordinator.records import Group
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.append import append_marker
from kafkacheck.impl.log.constants import NO_SEQUENCE, Marker, ProduceError
from kafkacheck.impl.log.records import ProducerId
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.messages.transactional_produce import Produce
from kafkacheck.impl.transactions.constants import NO_INPUT
from kafkacheck.impl.transactions.partition import maybe_replicate
from kafkacheck.impl.transactions.records import Generation, OptionalInputOffset, Partition
from kafkacheck.impl.transactions.rules import TransactionRules

CommittedOffset = Annotated[int, Count("inputs", lowest=1)]


class Answer(Struct):
    """What the last request was answered; blank after any other step.

    error: the error of a commit.
    is_stable: whether an offset was returned.
    offset: that offset; 0 for none.
    """

    error: ProduceError
    is_stable: bool
    offset: OptionalInputOffset


class State(Struct):
    """A group's coordinator, the partition that it leads, the request of the moment, and the last answer."""

    group: Group
    partition: Partition
    asked: Produce
    answer: Answer


def can_ask(state: State) -> bool:
    """Whether the coordinator answers, and its log has room."""
    return not is_loading_offsets(state.group) and not is_full(state.partition.log)


def offset_is_committed(state: State, rules: TransactionRules, bounds: Bounds, offset: CommittedOffset) -> bool:
    """An offset is committed outside transactions."""
    if not commit_offset(state.group, state.partition, rules, bounds, offset):
        return False
    clear(state.answer)
    return True


def offset_is_committed_in_transaction(
    state: State,
    rules: TransactionRules,
    bounds: Bounds,
    producer_id: ProducerId,
    offset: CommittedOffset,
    generation: Generation,
) -> bool:
    """An offset is committed in a producer's transaction, by a member of any generation."""
    if not can_ask(state):
        return False
    clear(state.answer)
    state.asked.batch.producer_id = producer_id
    state.asked.batch.producer_epoch = 0
    state.asked.batch.base_sequence = NO_SEQUENCE
    state.asked.batch.is_transactional = 1
    state.asked.input_offset = offset
    state.asked.generation = generation
    state.answer.error = commit_in_transaction(state.group, state.partition, rules, bounds, state.asked)
    clear(state.asked)
    return True


def transaction_ends(state: State, rules: TransactionRules, producer_id: ProducerId, commits: bool) -> bool:
    """The marker of a producer's transaction comes, also if the coordinator is loading."""
    if is_full(state.partition.log):
        return False
    clear(state.answer)
    marker = Marker.COMMIT if commits else Marker.ABORT
    append_marker(state.partition.log, rules.log, producer_id, 0, 0, marker)
    maybe_replicate(state.partition, rules)
    complete_pending_offset(state.group, rules, state.partition.log, producer_id, marker)
    return True


def offset_is_fetched(state: State, rules: TransactionRules, requires_stable: bool) -> bool:
    """A client asks for the offset."""
    if is_loading_offsets(state.group):
        return False
    clear(state.answer)
    state.answer.is_stable = can_fetch_offset(state.group, rules, requires_stable)
    state.answer.offset = state.group.committed if state.answer.is_stable else NO_INPUT
    return True


def offset_expires(state: State, rules: TransactionRules, bounds: Bounds) -> bool:
    """The offset was committed long ago."""
    if bounds.max_generation > 0 or not expire_offset(state.group, state.partition, rules, bounds):
        return False
    clear(state.answer)
    return True


def group_rebalances(state: State, bounds: Bounds) -> bool:
    """The group has its next generation."""
    if state.group.generation == bounds.max_generation:
        return False
    clear(state.answer)
    state.group.generation += 1
    return True


def coordinator_is_replaced(state: State, bounds: Bounds) -> bool:
    """A new coordinator begins to load."""
    if bounds.group_failovers == 0:
        return False
    clear(state.answer)
    begin_loading_offsets(state.group)
    return True


def coordinator_reads_record(state: State, rules: TransactionRules) -> bool:
    """A new coordinator reads the next record."""
    if not read_record(state.group, rules, state.partition.log):
        return False
    clear(state.answer)
    return True


def coordinator_ends_loading(state: State, rules: TransactionRules) -> bool:
    """A new coordinator has read its whole log."""
    if not end_loading(state.group, rules, state.partition.log):
        return False
    clear(state.answer)
    return True


MODEL = Model(
    name="offsets",
    question=__doc__,
    state=State,
    rules=TransactionRules(log=LogRules(verification=False)),
    actions=[
        offset_is_committed,
        offset_is_committed_in_transaction,
        transaction_ends,
        offset_is_fetched,
        offset_expires,
        group_rebalances,
        coordinator_is_replaced,
        coordinator_reads_record,
        coordinator_ends_loading,
    ],
    stuttering=[offset_is_committed_in_transaction, offset_is_fetched, coordinator_is_replaced],
    always=[],
    bounds={
        "inputs": 2,
        "producer_ids": 2,
        "log_size": 4,
        "max_generation": 0,
        "group_failovers": 1,
        "group_delays": 0,
        "batches": 1,
        "cached_batches": 1,
        "max_coordinator_epoch": 0,
        "max_log_start": 0,
        "max_producer_epoch": 0,
        "max_sequence": 1,
        "max_verification_guard": 0,
        "partitions": 1,
        "recreations": 0,
        "records_in_batch": 1,
        "transactional": 1,
        "transactional_ids": 1,
        "upgrades": 0,
    },
    check_deadlock=False,
)
