"""The whole system: a partition with records, the consumers that share it, and their group."""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Count, If, Offset, Struct
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.delivery import commits, handover, positions
from kafkacheck.impl.delivery.records import Consumer, ConsumerId, DeliveryRules, Group
from kafkacheck.impl.ids import NO_OFFSET, LogOffset, OffsetSet

Times = Annotated[int, Count(2)]


class Budget(Struct):
    """How many disturbances are left. Only the environment changes it.

    moves: changes of the member that is to own the partition.
    rebalances: new generations in which the owner stays the same.
    crashes: consumers whose process ends.
    expirations: sessions of live consumers that end.
    errors: requests for the committed offset that fail.
    seeks: changes of the position by an application.
    pauses: partitions that an application pauses.
    resumes: partitions that an application resumes, paused or not.
    ends: events for the end of the partition.
    deletions: records that retention deletes.
    """

    moves: Annotated[int, Allowance("moves")]
    rebalances: Annotated[int, Allowance("rebalances")]
    crashes: Annotated[int, Allowance("crashes")]
    expirations: Annotated[int, Allowance("expirations")]
    errors: Annotated[int, Allowance("errors")]
    seeks: Annotated[int, Allowance("seeks")]
    pauses: Annotated[int, Allowance("pauses")]
    resumes: Annotated[int, Allowance("resumes")]
    ends: Annotated[int, Allowance("ends")]
    deletions: Annotated[int, Allowance("deletions")]


class State(Struct):
    """The whole system.

    start_offset: the partition's start; the records below were deleted.
    end_offset: the partition's end; all records below are committed in the sense of replication.
    processed: by offset, how often the record there was processed; 2 stands for more, too.
    excused: the offsets that applications have passed over by their own choice.
    consumers: the consumers by id.
    group: the group.
    budget: the disturbances that are left.
    """

    start_offset: Annotated[int, Offset("log_size"), If("deletions")]
    end_offset: LogOffset
    processed: Annotated[Array[Times], ByPosition("log_size")]
    excused: OffsetSet
    consumers: Annotated[Array[Consumer], ById("consumers")]
    group: Group
    budget: Budget


def record_is_appended(state: State, bounds: Bounds) -> bool:
    """A producer's record is committed.

    Who: the partition's leader.
    When: the model has room for it.
    Effect: consumers can read it.
    Source: the high watermark rises.
    """
    if state.end_offset == bounds.log_size:
        return False
    state.end_offset += 1
    return True


def is_last_generation(state: State, bounds: Bounds) -> bool:
    """Whether the model has no later generation."""
    return state.group.generation >= bounds.max_generation


def excuse(state: State, first: int, end: int) -> None:
    """Note that an application has passed over the records between two offsets by its own choice."""
    for offset in range(first, end):
        state.excused |= {offset}


def partition_is_given_up(state: State, rules: DeliveryRules, bounds: Bounds, consumer_id: ConsumerId) -> bool:
    """The owner gives the partition up to another member."""
    may_process_on = bounds.pipelines == 1
    return handover.give_up(state.group, state.consumers[consumer_id], rules, consumer_id, may_process_on)


def partition_is_taken_over(state: State, bounds: Bounds, consumer_id: ConsumerId) -> bool:
    """A member becomes the owner of the partition."""
    if is_last_generation(state, bounds):
        return False
    return handover.take_over(state.group, state.consumers[consumer_id], consumer_id)


def consumer_follows_generation(state: State, consumer_id: ConsumerId) -> bool:
    """A member learns the generation of the group."""
    return handover.follow_generation(state.group, state.consumers[consumer_id], consumer_id)


def consumer_joins_again(state: State, bounds: Bounds, consumer_id: ConsumerId) -> bool:
    """A consumer learns that it is no member, and joins."""
    if is_last_generation(state, bounds):
        return False
    return handover.rejoin_group(state.group, state.consumers[consumer_id], consumer_id)


def consumer_asks_for_committed_offset(state: State, consumer_id: ConsumerId) -> bool:
    """A consumer asks for the committed offset."""
    return positions.ask_for_committed_offset(state.consumers[consumer_id])


def coordinator_tells_committed_offset(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """The coordinator answers a request for the committed offset; an error if its consumer has a former generation.

    Who: the coordinator.
    When: the request has arrived.
    Effect: as `receive_committed_offset` says; after an error as `receive_offset_fetch_error` says.
    Source: OffsetMetadataManager.fetchOffsets (STALE_MEMBER_EPOCH).
    """
    consumer = state.consumers[consumer_id]
    if consumer.generation != state.group.generation or consumer_id not in state.group.members:
        return positions.receive_offset_fetch_error(consumer, rules, state.start_offset, state.end_offset)
    committed = state.group.committed
    if not positions.receive_committed_offset(consumer, rules, committed, state.start_offset, state.end_offset):
        return False
    if committed == NO_OFFSET:
        excuse(state, 0, consumer.position)
    return True


def consumer_sends_fetch(state: State, consumer_id: ConsumerId) -> bool:
    """A consumer fetches from its position."""
    return positions.send_fetch_from_position(state.consumers[consumer_id])


def consumer_receives_records(state: State, consumer_id: ConsumerId) -> bool:
    """A consumer receives the answer to its fetch."""
    return positions.receive_fetched_records(state.consumers[consumer_id], state.start_offset, state.end_offset)


def leader_tells_reset_offset(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """A consumer learns where to begin, and passes over what is before.

    Who: the partition's leader.
    When: the consumer must reset its position.
    Effect: as `reset_position` says; the records before are excused.
    Source: ListOffsets.
    """
    consumer = state.consumers[consumer_id]
    if not positions.reset_position(consumer, rules, state.start_offset, state.end_offset):
        return False
    excuse(state, 0, consumer.position)
    return True


def consumer_polls(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """A consumer gives its application the next record."""
    return positions.poll(state.consumers[consumer_id], rules)


def application_processes_record(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """An application finishes a record.

    Who: the application.
    When: it has a record, and may process it.
    Effect: as `complete_processing` says; the record is noted as processed.
    Source: the application.
    """
    offset = state.consumers[consumer_id].processing
    if not commits.complete_processing(state.consumers[consumer_id], rules):
        return False
    state.processed[offset] = min(state.processed[offset] + 1, 2)
    return True


def consumer_commits(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """A consumer commits how far its application is."""
    return commits.commit_progress(state.consumers[consumer_id], rules)


def thread_chooses_offset(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """Another thread of a client chooses an offset to commit."""
    return commits.choose_offset(state.consumers[consumer_id], rules)


def thread_sends_commit(state: State, consumer_id: ConsumerId) -> bool:
    """That thread sends the offset."""
    return commits.send_chosen_offset(state.consumers[consumer_id])


def coordinator_handles_commit(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """The coordinator handles a commit."""
    return commits.handle_commit(state.group, state.consumers[consumer_id], rules, consumer_id)
