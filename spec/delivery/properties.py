"""Which records are processed, where consumers begin, and how the committed offset moves.

Part of Kafka judged: `impl/delivery`, by its records only.
Source: Kafka's documentation ("Message Delivery Semantics"); the issues named in `DeliveryRules`.
Left out, and why that is sound: nothing.
"""

from kafkacheck.impl.delivery.constants import CommitTime, ConsumerState
from kafkacheck.impl.delivery.records import DeliveryRules
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.model.delivery.system import State


def committed_records_are_processed(state: State, rules: DeliveryRules) -> bool:
    """If applications commit afterwards, each record below the committed offset was processed.

    Lost to users: records that nobody will process, although the group is said to be past them.
    Source: at least once.
    """
    return rules.commit_time != CommitTime.AFTER_PROCESSING or all(
        state.processed[offset] > 0 or offset in state.excused for offset in range(state.group.committed)
    )


def records_are_processed_once_at_most(state: State, rules: DeliveryRules) -> bool:
    """If applications commit first, no record is processed twice.

    Lost to users: a record that has its effect twice, which the application wanted to exclude.
    Source: at most once.
    """
    return rules.commit_time != CommitTime.BEFORE_PROCESSING or all(times < 2 for times in state.processed)


def handed_over_records_are_processed_once(state: State) -> bool:
    """While no consumer fails, no record is processed twice, whoever owns the partition.

    Lost to users: records that have their effect twice without any failure.
    Source: KIP-429: partitions are committed before they are given up.
    """
    return all(times < 2 for times in state.processed)


def ownership_is_exclusive(state: State) -> bool:
    """No two consumers own the partition if the coordinator would accept commits of both.

    Lost to users: two consumers process the same records, and each commits over the other.
    Source: the documentation of consumer groups.
    """
    return not any(
        one.owns and other.owns and one.generation == other.generation
        for one_id, one in enumerate(state.consumers)
        for other_id, other in enumerate(state.consumers)
        if one_id < other_id and one_id in state.group.members and other_id in state.group.members
    )


def applications_run_on(state: State) -> bool:
    """No application stops because of an error that passes.

    Lost to users: their applications end, one after the other, while the coordinator moves.
    Source: KAFKA-17279.
    """
    return all(consumer.state != ConsumerState.STOPPED for consumer in state.consumers)


def progress_is_not_taken_back(before: State, after: State) -> bool:
    """The committed offset does not fall.

    Lost to users: after the next rebalance or restart, records are processed again.
    Source: the documentation of OffsetCommit; but for applications that seek.
    """
    return after.group.committed >= before.group.committed


def only_owners_commit(before: State, after: State) -> bool:
    """Only a commit that the partition's owner has sent moves the committed offset.

    Lost to users: another consumer's progress is overwritten.
    Source: redpanda-data/connect 4477; Kafka's coordinator does not check it.
    """
    return before.group.committed == after.group.committed or any(
        len(after.consumers[consumer_id].commits) < len(consumer.commits)
        for consumer_id, consumer in enumerate(before.consumers)
        if consumer_id == before.group.owner
    )


def consumers_begin_at_the_committed_offset(before: State, after: State) -> bool:
    """If an offset is committed, a consumer that takes the partition over begins there.

    Lost to users: records are passed over, or processed again.
    Source: KIP-848 (STALE_MEMBER_EPOCH); platformatic/kafka 267. Applications that seek are excused, and positions
    that are reset.
    """
    return all(
        consumer.position != NO_OFFSET
        or after.consumers[consumer_id].position == NO_OFFSET
        or before.group.committed == NO_OFFSET
        or consumer.must_reset
        or after.consumers[consumer_id].position == before.group.committed
        or before.budget != after.budget
        for consumer_id, consumer in enumerate(before.consumers)
    )


def records_come_in_order(before: State, after: State) -> bool:
    """The record that an application gets is the one at its position.

    Lost to users: records that exist are passed over in silence.
    Source: SubscriptionState.position.
    """
    return all(
        after.consumers[consumer_id].processing == NO_OFFSET
        or consumer.processing != NO_OFFSET
        or after.consumers[consumer_id].processing == consumer.position
        for consumer_id, consumer in enumerate(before.consumers)
    )


def positions_move_by_records(before: State, after: State) -> bool:
    """The position goes behind a record only if the application gets that record, or seeks.

    Lost to users: records are passed over, or given to the application again.
    Source: SubscriptionState.position. Seeks are excused by the offset that they name.
    """
    return all(
        consumer.position == NO_OFFSET
        or after.consumers[consumer_id].position == NO_OFFSET
        or after.consumers[consumer_id].position == consumer.position
        or after.consumers[consumer_id].processing == after.consumers[consumer_id].position - 1
        or before.budget.seeks != after.budget.seeks
        for consumer_id, consumer in enumerate(before.consumers)
    )


def resets_have_a_reason(before: State, after: State) -> bool:
    """A position is reset only if the record there is gone.

    Lost to users: with `latest` all records up to the end are passed over; with `earliest` all are processed again.
    Source: OFFSET_OUT_OF_RANGE; FetchCollector.handleInitializeErrors.
    """
    return all(
        consumer.must_reset or not after.consumers[consumer_id].must_reset or consumer.position < before.start_offset
        for consumer_id, consumer in enumerate(before.consumers)
    )


def owners_stay_owners(before: State, after: State) -> bool:
    """A running member that owns the partition loses it only to another member.

    Lost to users: a pause, and records that are processed again, at each rebalance.
    Source: KIP-429: a partition that stays is not interrupted.
    """
    return all(
        not consumer.owns
        or after.consumers[consumer_id].owns
        or after.consumers[consumer_id].state != ConsumerState.RUNNING
        or consumer_id not in before.group.members
        or before.group.heir != consumer_id
        for consumer_id, consumer in enumerate(before.consumers)
    )


def has_a_live_consumer(state: State) -> bool:
    """Whether a consumer runs."""
    return any(consumer.state == ConsumerState.RUNNING for consumer in state.consumers)


def has_unprocessed_records(state: State) -> bool:
    """Whether a consumer runs, and a record has not been processed."""
    return has_a_live_consumer(state) and not are_all_processed(state)


def are_all_processed(state: State) -> bool:
    """Whether each record was processed or passed over, or no consumer runs."""
    return not has_a_live_consumer(state) or all(
        state.processed[offset] > 0 or offset in state.excused for offset in range(state.end_offset)
    )


def has_uncommitted_progress(state: State) -> bool:
    """Whether an owner's application is further than the committed offset."""
    return any(is_behind(state, consumer_id) for consumer_id in range(len(state.consumers)))


def is_behind(state: State, consumer_id: int) -> bool:
    """Whether the committed offset is behind what this consumer's application has processed as the owner."""
    return state.group.owner == consumer_id and state.group.committed < state.consumers[consumer_id].marked


def has_committed_progress(state: State) -> bool:
    """Whether the committed offset is where the owner's application is."""
    return not has_uncommitted_progress(state)


def another_took_over(state: State) -> bool:
    """The second consumer owns the partition, and begins where the first one was."""
    return state.consumers[1].owns and state.consumers[1].position == 1


def position_is_gone(state: State) -> bool:
    """A consumer must reset its position, because the record there was deleted."""
    return state.consumers[0].must_reset


def seek_goes_back(state: State) -> bool:
    """An application is before the offset that it has committed."""
    return NO_OFFSET < state.consumers[0].position < state.group.committed


def seek_passes_over(state: State) -> bool:
    """An application is at the end of the partition, and has passed over its only record."""
    return state.end_offset == 1 and state.consumers[0].position == 1 and 0 in state.excused


def former_owner_goes_on(state: State) -> bool:
    """An application still processes a record of a partition that its consumer has given up."""
    return state.consumers[0].is_former
