"""What consumers, their group and the environment do in one step, and that nothing else changes.

Part of Kafka judged: `impl/delivery`, by its records only.
Source: Kafka's documentation of the consumer; KIP-429, KIP-848.
Left out, and why that is sound: nothing.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.delivery.constants import NO_CONSUMER, ConsumerState
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.model.delivery.system import State


def those_without_the_partition_have_nothing(state: State) -> bool:
    """A consumer that does not own the partition has no position and no request, and has paused nothing.

    Lost if it fails: what belongs to a former ownership goes on in the next one.
    Source: SubscriptionState.assignFromSubscribed.
    """
    return all(
        consumer.owns
        or (
            (consumer.position == NO_OFFSET and consumer.chosen == NO_OFFSET)
            and not (consumer.asks or consumer.is_paused)
        )
        for consumer in state.consumers
    )


def positions_are_in_the_partition(state: State) -> bool:
    """No position is behind the end of the partition.

    Lost if it fails: the consumer passes over the next record.
    Source: OFFSET_OUT_OF_RANGE.
    """
    return all(consumer.position <= state.end_offset for consumer in state.consumers)


def ended_consumers_do_nothing(before: State, after: State) -> bool:
    """A consumer whose process has ended does nothing; its commits may still arrive.

    Lost if it fails: the model has a consumer that no process stands for.
    Source: a crash.
    """
    return all(
        consumer.state == ConsumerState.RUNNING
        or (
            not after.consumers[consumer_id].owns
            and after.consumers[consumer_id].generation == consumer.generation
            and after.consumers[consumer_id].acknowledged == consumer.acknowledged
        )
        for consumer_id, consumer in enumerate(before.consumers)
    )


def consumers_act_between_records(before: State, after: State, bounds: Bounds) -> bool:
    """While its application has a record, a consumer moves no position and takes part in no rebalance.

    Lost if it fails: the application learns of a rebalance in the middle of a record.
    Source: KafkaConsumer is not thread-safe; its callbacks run inside `poll`.
    """
    return all(
        consumer.processing == NO_OFFSET
        or after.consumers[consumer_id].processing != consumer.processing
        or after.consumers[consumer_id].state != ConsumerState.RUNNING
        or (bounds.pipelines == 1 and consumer.owns and not after.consumers[consumer_id].owns)
        or (
            after.consumers[consumer_id].owns == consumer.owns
            and after.consumers[consumer_id].generation == consumer.generation
            and after.consumers[consumer_id].position == consumer.position
        )
        for consumer_id, consumer in enumerate(before.consumers)
    )


def fetches_are_from_the_position(before: State, after: State) -> bool:
    """A fetch asks for the record at the position, if the partition is not paused and no fetched records are left.

    Lost if it fails: records are fetched twice, or for nothing.
    Source: AbstractFetch.fetchablePartitions.
    """
    return all(
        after.consumers[consumer_id].fetching <= consumer.fetching
        or (
            consumer.fetching == NO_OFFSET
            and consumer.buffered == NO_OFFSET
            and not consumer.is_paused
            and after.consumers[consumer_id].fetching == consumer.position
        )
        for consumer_id, consumer in enumerate(before.consumers)
    )


def fetches_bring_records(before: State, after: State) -> bool:
    """The answer to a fetch brings the record at its offset, at least.

    Lost if it fails: the consumer fetches the same offset again and again.
    Source: `fetch.min.bytes` is 1 or more.
    """
    return all(
        consumer.fetching == NO_OFFSET
        or after.consumers[consumer_id].fetching != NO_OFFSET
        or after.consumers[consumer_id].state != ConsumerState.RUNNING
        or (
            after.consumers[consumer_id].buffered == consumer.fetching
            and after.consumers[consumer_id].is_out_of_range == (consumer.fetching < before.start_offset)
            and (after.consumers[consumer_id].is_out_of_range or consumer.fetching < before.end_offset)
        )
        for consumer_id, consumer in enumerate(before.consumers)
    )


def polls_take_one_record(before: State, after: State) -> bool:
    """A poll takes the first of the fetched records, and only if the partition is not paused.

    Lost if it fails: records that were fetched are fetched again, or an application gets what it does not want.
    Source: CompletedFetch.fetchRecords.
    """
    return all(
        consumer.processing != NO_OFFSET
        or after.consumers[consumer_id].processing == NO_OFFSET
        or (
            not consumer.is_paused
            and consumer.buffered < consumer.buffer_end
            and after.consumers[consumer_id].buffered == consumer.buffered + 1
        )
        for consumer_id, consumer in enumerate(before.consumers)
    )


def commits_are_news(before: State, after: State) -> bool:
    """No offset is committed again that was sent last.

    Lost if it fails: commits without end.
    Source: AbstractCoordinator; the interval of automatic commits.
    """
    return all(
        len(after.consumers[consumer_id].commits) <= len(consumer.commits)
        or after.consumers[consumer_id].sent != consumer.sent
        or consumer.chosen != NO_OFFSET
        for consumer_id, consumer in enumerate(before.consumers)
    )


def only_members_learn_the_committed_offset(before: State, after: State) -> bool:
    """The coordinator tells the committed offset only to a member that knows the newest generation.

    Lost to users: a consumer begins where the owner before it was a while ago.
    Source: KIP-848 (STALE_MEMBER_EPOCH). Seeks and resets are excused.
    """
    return all(
        consumer.position != NO_OFFSET
        or after.consumers[consumer_id].position == NO_OFFSET
        or before.budget.seeks != after.budget.seeks
        or consumer.must_reset
        or (consumer.generation == before.group.generation and consumer_id in before.group.members)
        for consumer_id, consumer in enumerate(before.consumers)
    )


def only_members_have_the_generation(before: State, after: State) -> bool:
    """A consumer learns a generation only as a member.

    Lost to users: the coordinator accepts commits of a consumer that it has thrown out.
    Source: JoinGroup; ConsumerGroupHeartbeat.
    """
    return all(
        after.consumers[consumer_id].generation <= consumer.generation or consumer_id in after.group.members
        for consumer_id, consumer in enumerate(before.consumers)
    )


def partitions_go_to_their_heirs(before: State, after: State) -> bool:
    """The partition is given up by the member that owns it, and taken by the one that is to have it.

    Lost to users: two consumers process the same records.
    Source: KIP-429, KIP-848.
    """
    if before.group.owner == after.group.owner:
        return True
    if before.group.owner == NO_CONSUMER:
        return (
            before.group.heir == NO_CONSUMER
            or before.group.heir == after.group.owner
            or before.group.heir not in before.group.members
        )
    return before.group.owner not in after.group.members or before.consumers[before.group.owner].owns


def excuses_are_real(before: State, after: State) -> bool:
    """Records are excused only if an application seeks, a position is reset, or no offset is committed.

    Lost if it fails: records that nobody processes go unnoticed.
    Source: the purpose of `State.excused`.
    """
    return (
        before.excused == after.excused
        or before.budget.seeks != after.budget.seeks
        or before.group.committed == NO_OFFSET
        or any(consumer.must_reset for consumer in before.consumers)
    )


def applications_are_free(before: State, after: State) -> bool:
    """What an application asks of its consumer happens between two records, and to a partition that it owns.

    Lost if it fails: the model has a step that no application can take.
    Source: KafkaConsumer.seek, pause, resume.
    """
    if before.budget.seeks != after.budget.seeks:
        return any(
            consumer.owns
            and consumer.processing == NO_OFFSET
            and after.consumers[consumer_id].position != consumer.position
            for consumer_id, consumer in enumerate(before.consumers)
        )
    if before.budget.pauses != after.budget.pauses:
        return any(
            consumer.owns
            and consumer.processing == NO_OFFSET
            and after.consumers[consumer_id].is_paused
            and not consumer.is_paused
            for consumer_id, consumer in enumerate(before.consumers)
        )
    if before.budget.ends != after.budget.ends:
        return any(
            consumer.owns and consumer.processing == NO_OFFSET and consumer.position == before.end_offset
            for consumer in before.consumers
        )
    return before.budget.resumes == after.budget.resumes or any(
        consumer.owns and consumer.processing == NO_OFFSET for consumer in before.consumers
    )


def groups_change_for_a_reason(before: State, after: State) -> bool:
    """Only members become heirs, only while there is an owner; only a session that ends removes a member.

    Lost if it fails: the model has a rebalance that no coordinator begins.
    Source: GroupMetadataManager.
    """
    if before.budget.moves != after.budget.moves:
        return (
            before.group.owner != NO_CONSUMER
            and before.group.heir != after.group.heir
            and after.group.heir in before.group.members
        )
    if before.budget.rebalances != after.budget.rebalances:
        return after.group.generation == before.group.generation + 1
    return all(
        (consumer.state == ConsumerState.RUNNING) == (before.budget.expirations != after.budget.expirations)
        for consumer_id, consumer in enumerate(before.consumers)
        if consumer_id in before.group.members and consumer_id not in after.group.members
    )


def expirations_remove_members(before: State, after: State) -> bool:
    """A session that ends removes a member.

    Lost if it fails: the model has a disturbance that changes nothing.
    Source: GroupMetadataManager.scheduleConsumerGroupSessionTimeout.
    """
    return before.budget.expirations == after.budget.expirations or before.group.members != after.group.members


def is_to_be_handed_over(state: State) -> bool:
    """Whether another member than the owner is to have the partition."""
    return state.group.heir != NO_CONSUMER and state.group.heir in state.group.members and not is_handed_over(state)


def is_handed_over(state: State) -> bool:
    """Whether the member that is to have the partition owns it, or is gone."""
    return state.group.owner == state.group.heir or state.group.heir not in state.group.members
