"""In which history of the partition a consumer reads, and why it goes back.

A history is a sequence of records; an unclean election begins another one. Offset and leader epoch name a record.

Part of Kafka judged: `impl/resumption`, by its records only.
Source: KIP-320; the issues named in `ResumptionRules`.
Left out, and why that is sound: nothing.
"""

from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.resumption.constants import FetchState
from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption.system import State


def differs_at(state: State, leader_epoch: int, offset: int) -> bool:
    """Whether the leader of an epoch has another record at an offset than the consumer has read, or none."""
    log = state.leaders[max(leader_epoch, 0)].log
    return offset >= log.end_offset or log.records[offset].epoch != state.history[offset]


def is_cut(state: State) -> bool:
    """Whether the consumer's leader lacks a record below the position."""
    position = state.consumer.position
    return any(differs_at(state, position.leader_epoch, offset) for offset in range(position.offset))


def validated_positions_are_in_the_history(state: State) -> bool:
    """A consumer that may fetch, and knows the epoch of its position, has read only records that its leader has.

    Lost to users: records of the new history that are passed over in silence.
    Source: KIP-320.
    """
    consumer = state.consumer
    return (
        consumer.fetch_state != FetchState.FETCHING
        or not consumer.knows_leader
        or consumer.position.epoch == NO_EPOCH
        or not is_cut(state)
    )


def records_are_of_one_history(before: State, after: State) -> bool:
    """The record that an application gets follows the records that it has read, in the leader's log.

    Lost to users: records that are passed over in silence, because the consumer reads on in another history.
    Source: KIP-320; KAFKA-19902.
    """
    return (
        before.consumer.position.offset + 1 != after.consumer.position.offset
        or not (
            before.consumer.fetch_state == FetchState.FETCHING and after.consumer.fetch_state == FetchState.FETCHING
        )
        or not is_cut(before)
    )


def goes_back(before: State, after: State) -> bool:
    """Whether a consumer goes back by itself, gives its position up, or raises an exception.

    Seeks are excused, and a consumer that begins or ends.
    """
    position = before.consumer.position.offset
    if position == NO_OFFSET or not after.consumer.is_running or before.budget != after.budget:
        return False
    if before.consumer.fetch_state == FetchState.AWAIT_APPLICATION:
        return False
    is_told = after.consumer.fetch_state == FetchState.AWAIT_APPLICATION
    return after.consumer.position.offset < position or is_told


def consumers_go_back_for_a_reason(before: State, after: State) -> bool:
    """A consumer goes back, or raises an exception, only if records that it has read are cut.

    Lost to users: records that are processed again, or an application that stops, although nothing was lost.
    Source: KIP-320; IBM/sarama 2694. A leader that knows no epochs is excused.
    """
    return not goes_back(before, after) or knows_no_epochs(before) or is_cut(before)


def consumers_go_back_to_the_cut(before: State, after: State) -> bool:
    """A consumer goes back no further than to the first record that was cut, unless the leader knows no epochs.

    Lost to users: records that are processed again, although they were not cut.
    Source: KIP-320; SubscriptionState.maybeCompleteValidation.
    """
    now = after.consumer.position.offset
    return (
        not goes_back(before, after)
        or knows_no_epochs(before)
        or (now > NO_OFFSET and (now >= before.consumer.position.offset or differs_at(before, leader_of(before), now)))
    )


def leader_of(state: State) -> int:
    """The leader epoch of the consumer's position."""
    return state.consumer.position.leader_epoch


def knows_no_epochs(state: State) -> bool:
    """Whether the consumer's leader has no leader-epoch file."""
    return all(start == NO_OFFSET for start in state.leaders[max(leader_of(state), 0)].epoch_starts)


def only_applications_give_up_records(before: State, after: State, rules: ResumptionRules) -> bool:
    """With `auto.offset.reset=none` only the application lets the consumer go back.

    Lost to users: an application that must not miss a cut is not told of it.
    Source: KIP-320 (LogTruncationException).
    """
    return (
        rules.auto_offset_reset != AutoOffsetReset.NONE
        or after.consumer.position.offset >= before.consumer.position.offset
        or before.consumer.fetch_state == FetchState.AWAIT_APPLICATION
        or before.budget != after.budget
    )


def positions_have_the_epoch_of_their_record(state: State) -> bool:
    """If the epoch of a position is known, it is that of the last record before it.

    Lost if it fails: the position is validated by the epoch of another record.
    Source: FetchPosition.offsetEpoch.
    """
    position = state.consumer.position
    return position.epoch == NO_EPOCH or position.offset <= 0 or state.history[position.offset - 1] == position.epoch


def committed_epochs_are_of_their_record(state: State) -> bool:
    """If the committed offset names an epoch, it is that of the last record before it.

    Lost to users: the next consumer goes back, or reads on, where it must not.
    Source: KIP-320; KAFKA-7437.
    """
    committed = state.committed
    return (
        committed.epoch == NO_EPOCH
        or committed.offset <= 0
        or state.committed_history[committed.offset - 1] == committed.epoch
    )


def read_records_are_committed_with_epochs(state: State, rules: ResumptionRules) -> bool:
    """If applications name epochs, each offset behind a record is committed with an epoch.

    Lost to users: the next consumer cannot validate its position.
    Source: KAFKA-20507. Older clients are excused, and positions that were reset to the end: they have no epoch.
    """
    return (
        not (rules.commits_name_epoch and rules.clients_are_new)
        or rules.auto_offset_reset == AutoOffsetReset.LATEST
        or state.committed.offset <= 0
        or state.committed.epoch != NO_EPOCH
    )


def consumers_resume_at_the_committed_offset(before: State, after: State) -> bool:
    """If an offset is committed, the next consumer begins there, and by its epoch if OffsetFetch has it.

    Lost to users: records are passed over, or processed again.
    Source: OffsetFetch.
    """
    return (
        before.consumer.fetch_state != FetchState.INITIALIZING
        or after.consumer.fetch_state == FetchState.INITIALIZING
        or after.consumer.position.offset == before.committed.offset
    )


def has_uncommitted_position(state: State) -> bool:
    """Whether a consumer that may fetch is further than the committed offset, or has read a later leader epoch."""
    position = state.consumer.position
    is_later = NO_EPOCH < state.committed.epoch < position.epoch
    return state.consumer.fetch_state == FetchState.FETCHING and (position.offset > state.committed.offset or is_later)


def has_committed_position(state: State) -> bool:
    """Whether the committed offset is where the consumer is, or nobody has anything to commit."""
    return not has_uncommitted_position(state)


def lacks_records(state: State) -> bool:
    """Whether a consumer runs, and the newest leader has records that it has not read."""
    return not has_all_records(state)


def has_all_records(state: State) -> bool:
    """Whether the consumer has read just what the newest leader has, or none runs."""
    if not state.consumer.is_running:
        return True
    log = state.leaders[state.leader_epoch].log
    return state.consumer.position.offset == log.end_offset and not any(
        differs_at(state, state.leader_epoch, offset) for offset in range(log.end_offset)
    )


def position_is_cut(state: State) -> bool:
    """A consumer has read a record that its leader does not have."""
    return is_cut(state) and state.consumer.fetch_state == FetchState.AWAIT_VALIDATION


def committed_offset_is_cut(state: State) -> bool:
    """The committed offset is behind the log of the newest leader."""
    return state.committed.offset > state.leaders[state.leader_epoch].log.end_offset


def metadata_is_too_old(state: State) -> bool:
    """A consumer has learnt by the committed offset that its metadata is old."""
    return state.consumer.is_running and not state.consumer.knows_leader


def application_is_told(state: State) -> bool:
    """An application learns where the histories differ, and some records before that are the same."""
    return state.consumer.divergent.offset > 0


def begins_at_the_end(state: State) -> bool:
    """A consumer has passed over a record, and its position has no epoch."""
    return state.consumer.position.offset > 0 and state.consumer.position.epoch == NO_EPOCH


def committed_epoch_is_unknown(state: State) -> bool:
    """An offset behind a record is committed without its epoch."""
    return state.committed.offset > 0 and state.committed.epoch == NO_EPOCH


def answer_is_late(state: State) -> bool:
    """A leader has answered about a position that the consumer no longer has."""
    request = state.consumer.request
    return request.is_answered and request.position != state.consumer.position


def position_is_out_of_range(state: State) -> bool:
    """A consumer would fetch behind the end of its leader's log."""
    consumer = state.consumer
    end_offset = state.leaders[max(leader_of(state), 0)].log.end_offset
    return consumer.fetch_state == FetchState.FETCHING and consumer.position.offset > end_offset


def position_is_in_range(state: State) -> bool:
    """No consumer would fetch behind the end of its leader's log."""
    return not position_is_out_of_range(state)
