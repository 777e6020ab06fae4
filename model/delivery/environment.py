"""Disturbances of delivery: handovers, crashes, ended sessions, errors, applications that seek, pause and resume."""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.delivery import commits, handover, positions
from kafkacheck.impl.delivery.constants import NO_CONSUMER, ConsumerState
from kafkacheck.impl.delivery.records import ConsumerId, DeliveryRules
from kafkacheck.impl.ids import LogOffset
from kafkacheck.model.delivery.system import State, excuse, is_last_generation


def start_as_members(state: State, bounds: Bounds) -> bool:
    """All consumers are members, and nobody owns the partition; there are no records."""
    state.group.members = Ids(range(bounds.consumers))
    return True


def partition_is_moved(state: State, consumer_id: ConsumerId) -> bool:
    """A rebalance decides that another member is to own the partition."""
    return state.group.owner != NO_CONSUMER and handover.choose_heir(state.group, consumer_id)


def generation_rises(state: State, bounds: Bounds) -> bool:
    """A rebalance leaves the partition where it is."""
    return not is_last_generation(state, bounds) and handover.raise_generation(state.group)


def consumer_crashes(state: State, consumer_id: ConsumerId) -> bool:
    """A consumer's process ends."""
    return commits.crash_consumer(state.consumers[consumer_id])


def dead_member_expires(state: State, bounds: Bounds, consumer_id: ConsumerId) -> bool:
    """The coordinator removes a member whose process has ended, or whose application has stopped.

    Who: the coordinator.
    When: the session ends.
    Effect: as `remove_from_group` says.
    Source: the session timeout, or a good-bye.
    """
    if state.consumers[consumer_id].state == ConsumerState.RUNNING or is_last_generation(state, bounds):
        return False
    return handover.remove_from_group(state.group, consumer_id)


def live_member_expires(state: State, bounds: Bounds, consumer_id: ConsumerId) -> bool:
    """The coordinator has not heard of a live member for too long, or its application is slow.

    Who: the coordinator.
    When: the session, or `max.poll.interval.ms`, ends.
    Effect: as `remove_from_group` says; the consumer does not know.
    Source: the session timeout; KIP-62.
    """
    if state.consumers[consumer_id].state != ConsumerState.RUNNING or is_last_generation(state, bounds):
        return False
    return handover.remove_from_group(state.group, consumer_id)


def offset_fetch_fails(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """A request for the committed offset fails for a while, as when the coordinator moves."""
    return positions.receive_offset_fetch_error(
        state.consumers[consumer_id], rules, state.start_offset, state.end_offset
    )


def application_seeks(state: State, consumer_id: ConsumerId, offset: LogOffset) -> bool:
    """An application reads on at another offset.

    Who: the application.
    When: its consumer owns the partition.
    Effect: as `seek` says; what it passes over is excused.
    Source: KafkaConsumer.seek.
    """
    consumer = state.consumers[consumer_id]
    before = max(consumer.position, 0)
    if not positions.seek(consumer, offset, state.end_offset):
        return False
    excuse(state, before, offset)
    return True


def application_pauses(state: State, consumer_id: ConsumerId) -> bool:
    """An application pauses the partition."""
    return positions.pause(state.consumers[consumer_id])


def application_resumes(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """An application resumes the partition."""
    return positions.resume(state.consumers[consumer_id], rules)


def application_sees_end(state: State, rules: DeliveryRules, consumer_id: ConsumerId) -> bool:
    """An application is told that it has read all."""
    return positions.see_end(state.consumers[consumer_id], rules, state.end_offset)


def record_is_deleted(state: State) -> bool:
    """Retention deletes the first record, whether or not it was processed.

    Who: the partition's leader.
    When: there is one.
    Effect: the partition starts behind it.
    Source: `retention.ms`; DeleteRecords.
    """
    if state.start_offset >= state.end_offset:
        return False
    state.start_offset += 1
    return True


CHARGES = {
    partition_is_moved: "moves",
    generation_rises: "rebalances",
    consumer_crashes: "crashes",
    live_member_expires: "expirations",
    offset_fetch_fails: "errors",
    application_seeks: "seeks",
    application_pauses: "pauses",
    application_resumes: "resumes",
    application_sees_end: "ends",
    record_is_deleted: "deletions",
}
"""The allowance to which each disturbance of this file is charged."""
