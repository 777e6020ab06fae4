"""Which records does one consumer give its application, whatever becomes of its partition, its fetches and positions?

A component: one consumer with the functions of `impl/`. The partition comes and goes, any offset may be committed, and
the application seeks, pauses and resumes whenever it has no record.

Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import If, Offset, Struct
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.delivery import positions
from kafkacheck.impl.delivery.commits import complete_processing
from kafkacheck.impl.delivery.records import Consumer, DeliveryRules
from kafkacheck.impl.ids import NO_OFFSET, LogOffset, OptionalOffset


class State(Struct):
    """A consumer and its partition.

    start_offset: the partition's start.
    end_offset: the partition's end.
    consumer: the consumer.
    """

    start_offset: Annotated[int, Offset("log_size"), If("deletions")]
    end_offset: LogOffset
    consumer: Consumer


def record_is_appended(state: State, bounds: Bounds) -> bool:
    """A record comes."""
    if state.end_offset == bounds.log_size:
        return False
    state.end_offset += 1
    return True


def record_is_deleted(state: State, bounds: Bounds) -> bool:
    """The first record is deleted."""
    if state.start_offset >= min(state.end_offset, bounds.deletions):
        return False
    state.start_offset += 1
    return True


def partition_is_assigned(state: State) -> bool:
    """The consumer gets the partition."""
    if state.consumer.owns or not positions.is_at_rest(state.consumer):
        return False
    positions.begin_owning(state.consumer, 0)
    return True


def partition_is_lost(state: State) -> bool:
    """The consumer gives the partition up."""
    if not state.consumer.owns or not positions.is_at_rest(state.consumer):
        return False
    positions.end_owning(state.consumer)
    return True


def committed_offset_arrives(state: State, rules: DeliveryRules, committed: OptionalOffset) -> bool:
    """The consumer asks for the committed offset, and the coordinator answers."""
    if committed > state.end_offset or not positions.ask_for_committed_offset(state.consumer):
        return False
    return positions.receive_committed_offset(state.consumer, rules, committed, state.start_offset, state.end_offset)


def reset_offset_arrives(state: State, rules: DeliveryRules) -> bool:
    """The leader says where the consumer is to begin."""
    return positions.reset_position(state.consumer, rules, state.start_offset, state.end_offset)


def consumer_sends_fetch(state: State) -> bool:
    """The consumer fetches from its position."""
    return positions.send_fetch_from_position(state.consumer)


def consumer_receives_records(state: State) -> bool:
    """The consumer receives the answer to its fetch."""
    return positions.receive_fetched_records(state.consumer, state.start_offset, state.end_offset)


def consumer_polls(state: State, rules: DeliveryRules) -> bool:
    """The application polls."""
    return positions.poll(state.consumer, rules)


def application_processes_record(state: State, rules: DeliveryRules) -> bool:
    """The application finishes its record; it commits nothing."""
    return complete_processing(state.consumer, rules)


def application_seeks(state: State, offset: LogOffset) -> bool:
    """The application reads on at another offset."""
    return positions.seek(state.consumer, offset, state.end_offset)


def application_pauses(state: State) -> bool:
    """The application pauses the partition."""
    return positions.pause(state.consumer)


def application_resumes(state: State, rules: DeliveryRules) -> bool:
    """The application resumes the partition, whether or not it has paused it."""
    return positions.resume(state.consumer, rules)


def records_are_in_the_partition(state: State) -> bool:
    """An application gets only records that exist."""
    return state.consumer.processing < state.end_offset or state.consumer.processing == NO_OFFSET


MODEL = Model(
    name="positions",
    question=__doc__,
    state=State,
    rules=DeliveryRules(),
    actions=[
        record_is_appended,
        record_is_deleted,
        partition_is_assigned,
        partition_is_lost,
        committed_offset_arrives,
        reset_offset_arrives,
        consumer_sends_fetch,
        consumer_receives_records,
        consumer_polls,
        application_processes_record,
        application_seeks,
        application_pauses,
        application_resumes,
    ],
    stuttering=[application_resumes],
    always=[records_are_in_the_partition],
    bounds={"log_size": 3, "max_generation": 0, "commits": 1, "deletions": 1},
    check_deadlock=False,
)
