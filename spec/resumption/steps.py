"""What a consumer, its leaders and the environment do in one step, and that nothing else changes.

Part of Kafka judged: `impl/resumption`, by its records only.
Source: KIP-320; Kafka's documentation of the consumer.
Left out, and why that is sound: nothing.
"""

from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.resumption.constants import FetchState
from kafkacheck.model.resumption.system import State


def consumers_that_ended_know_nothing(state: State) -> bool:
    """A consumer that does not run has no metadata.

    Lost if it fails: the next consumer has the metadata of another one.
    Source: a crash.
    """
    return state.consumer.is_running or (state.consumer.leader_epoch == NO_EPOCH and not state.consumer.knows_leader)


def histories_end_at_the_position(state: State) -> bool:
    """What is behind the position counts as not read.

    Lost if it fails: the other properties take records for read that the consumer has left.
    Source: the meaning of `history`.
    """
    return all(
        epoch == NO_EPOCH or offset < state.consumer.position.offset for offset, epoch in enumerate(state.history)
    )


def old_clients_validate_nothing(state: State) -> bool:
    """A consumer of an old client never waits for a validation.

    Lost if it fails: the model has clients that nobody has.
    Source: KIP-320.
    """
    return not state.consumer.is_old or state.consumer.fetch_state != FetchState.AWAIT_VALIDATION


def undefined_ends_have_no_epoch(state: State) -> bool:
    """If a leader does not know where an epoch ends, it names no epoch in its answer.

    Lost if it fails: the client takes one of two undefined values for defined.
    Source: LeaderEpochFileCache.endOffsetFor.
    """
    request = state.consumer.request
    return not request.is_answered or request.end.offset != NO_OFFSET or request.end.epoch == NO_EPOCH


def validations_are_asked_for(before: State, after: State) -> bool:
    """Only a consumer that must validate its position, and knows the leader, asks where an epoch ends.

    Lost if it fails: requests without end, or to a leader of an older epoch than the committed one.
    Source: SubscriptionState.partitionsNeedingValidation, OffsetFetcherUtils.regroupFetchPositionsByLeader.
    """
    return (
        before.consumer.request.is_sent
        or not after.consumer.request.is_sent
        or (before.consumer.fetch_state == FetchState.AWAIT_VALIDATION and before.consumer.knows_leader)
    )


def records_come_from_a_known_leader(before: State, after: State) -> bool:
    """A consumer gets a record only if its position is valid, and its metadata new enough.

    Lost to users: records of a former leader, after those of a later one were committed.
    Source: AbstractFetch.prepareFetchRequests; KAFKA-15344.
    """
    return (
        before.consumer.position.offset == NO_OFFSET
        or after.consumer.position.offset <= before.consumer.position.offset
        or (before.consumer.fetch_state == FetchState.FETCHING and before.consumer.knows_leader)
    )


def resets_have_an_answer(before: State, after: State) -> bool:
    """A position is given up only after an answer of the leader: to a fetch, or to a validation.

    Lost if it fails: the consumer begins again without a reason.
    Source: FetchCollector.handleInitializeErrors, SubscriptionState.maybeCompleteValidation.
    """
    consumer = before.consumer
    return (
        consumer.position.offset == NO_OFFSET
        or after.consumer.fetch_state != FetchState.AWAIT_RESET
        or (consumer.fetch_state == FetchState.FETCHING and consumer.knows_leader)
        or (consumer.fetch_state == FetchState.AWAIT_VALIDATION and consumer.request.is_answered)
    )


def commits_are_of_valid_positions(before: State, after: State) -> bool:
    """Only a valid position is committed, with its own epoch or none.

    Lost to users: a position that was cut is committed as if it were valid.
    Source: SubscriptionState.allConsumed.
    """
    position = before.consumer.position
    return before.committed == after.committed or (
        before.consumer.fetch_state == FetchState.FETCHING
        and after.committed.offset == position.offset
        and (after.committed.epoch == position.epoch or after.committed.epoch == NO_EPOCH)
    )


def leaders_are_forgotten_for_newer_ones(before: State, after: State) -> bool:
    """A consumer gives up its metadata only for a newer leader epoch.

    Lost if it fails: consumers ask for metadata that they have.
    Source: Metadata.updateLastSeenEpochIfNewer.
    """
    return (
        not before.consumer.knows_leader
        or after.consumer.knows_leader
        or not after.consumer.is_running
        or after.consumer.leader_epoch > before.consumer.leader_epoch
    )


def unclean_elections_cut_records(before: State, after: State) -> bool:
    """An unclean election leaves fewer records.

    Lost if it fails: the allowance is spent on nothing.
    Source: the meaning of `unclean_elections`.
    """
    return (
        before.budget.unclean_elections == after.budget.unclean_elections
        or after.leaders[after.leader_epoch].log.end_offset < before.leaders[before.leader_epoch].log.end_offset
    )


def applications_and_crashes_have_effects(before: State, after: State) -> bool:
    """Only a consumer that runs ends, and only a position behind the beginning is put there.

    Lost if it fails: the allowance is spent on nothing.
    Source: the meaning of `restarts` and `seeks`.
    """
    position = before.consumer.position.offset
    return (before.budget.restarts == after.budget.restarts or before.consumer.is_running) and (
        before.budget.seeks == after.budget.seeks or (after.consumer.position.offset == 0 and position > 0)
    )
