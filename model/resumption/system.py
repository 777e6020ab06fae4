"""The whole system of the models of resumption: the leaders of a partition, its consumer, and the committed offset.

One consumer owns the partition at a time. The next one stands for another consumer, or for the same one after a crash.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ByPosition, Struct
from kafkacheck.impl.delivery.positions import reset_offset
from kafkacheck.impl.ids import NO_EPOCH, LeaderEpoch, OptionalLeaderEpoch
from kafkacheck.impl.log import append_record, is_full
from kafkacheck.impl.log.reading import end_of, leader_epoch_at
from kafkacheck.impl.resumption import leader, offsets, positions
from kafkacheck.impl.resumption.records import EpochLeader, OffsetAndEpoch, ResumingConsumer, ResumptionRules

History = Annotated[Array[OptionalLeaderEpoch], ByPosition("log_size")]


class Budget(Struct):
    """How many disturbances are left. Only the environment changes it.

    restarts: consumers that end, or lose the partition.
    unclean_elections: elections that cut committed records.
    seeks: seeks of the application to the beginning.
    lost_files: leader-epoch files that are lost.
    """

    restarts: Annotated[int, Allowance("restarts")]
    unclean_elections: Annotated[int, Allowance("unclean_elections")]
    seeks: Annotated[int, Allowance("seeks")]
    lost_files: Annotated[int, Allowance("lost_files")]


class State(Struct):
    """The whole system.

    leaders: the leader of each leader epoch; blank after `leader_epoch`. Former leaders stay as they were.
    leader_epoch: the epoch of the newest leader.
    consumer: the consumer that owns the partition.
    committed: the committed offset.
    history: by offset, the leader epoch of the record below its position that the consumer has read, or that its
        predecessors have read, or that it may pass over. Leader epoch and offset name a record. Only properties read
        it.
    committed_history: the same of the committed offset.
    budget: the disturbances that are left.
    """

    leaders: Annotated[Array[EpochLeader], ByPosition("max_leader_epoch + 1")]
    leader_epoch: LeaderEpoch
    consumer: ResumingConsumer
    committed: OffsetAndEpoch
    history: History
    committed_history: History
    budget: Budget


def note_history(state: State, first: int, end: int) -> None:
    """Note that the consumer has the records of its leader from an offset on, up to its position `end`."""
    log = state.leaders[max(state.consumer.position.leader_epoch, 0)].log
    for offset in range(len(state.history)):
        if offset >= end:
            state.history[offset] = NO_EPOCH
        elif offset >= first:
            state.history[offset] = leader_epoch_at(log, offset)


def note_position(state: State) -> None:
    """Note that the consumer no longer has what is behind its position."""
    position = state.consumer.position.offset
    note_history(state, max(position, 0), max(position, 0))


def record_is_appended(state: State) -> bool:
    """A producer's record is committed.

    Who: the newest leader.
    When: its log has room.
    Effect: consumers can read it.
    Source: the high watermark rises.
    """
    log = state.leaders[state.leader_epoch].log
    if is_full(log):
        return False
    append_record(log, 0, state.leader_epoch)
    return True


def elect(state: State, end_offset: int) -> None:
    """Let the next leader begin, with the records below an offset."""
    state.leader_epoch += 1
    predecessor = state.leaders[state.leader_epoch - 1]
    leader.succeed(state.leaders[state.leader_epoch], predecessor, state.leader_epoch, end_offset)


def leader_is_elected(state: State) -> bool:
    """Another replica becomes the leader, and has every committed record.

    Who: the controller.
    When: the model has a later leader epoch.
    Effect: the leader epoch rises. The former leader may not know it.
    Source: ReplicationControlManager.maybeTriggerLeaderChangeForPartitionWithoutPreferredLeader.
    """
    if state.leader_epoch + 1 == len(state.leaders):
        return False
    elect(state, end_of(state.leaders[state.leader_epoch].log))
    return True


def consumer_starts(state: State, rules: ResumptionRules, leader_epoch: LeaderEpoch, is_old: bool) -> bool:
    """A consumer gets the partition; a broker has told it the leader of this epoch, which may be a former one."""
    if leader_epoch > state.leader_epoch:
        return False
    return positions.start_resuming(state.consumer, rules, leader_epoch, is_old)


def consumer_learns_leader(state: State, rules: ResumptionRules, leader_epoch: LeaderEpoch) -> bool:
    """A broker tells the consumer the leader of this epoch."""
    if leader_epoch > state.leader_epoch:
        return False
    return positions.receive_metadata(state.consumer, rules, leader_epoch)


def consumer_learns_committed_offset(state: State, rules: ResumptionRules) -> bool:
    """The coordinator tells the consumer the committed offset.

    Who: the consumer and the coordinator.
    When: the consumer has no position.
    Effect: as `resume_at_committed` says; what was read before the commit counts as read.
    Source: OffsetFetch.
    """
    if not offsets.resume_at_committed(state.consumer, rules, state.committed):
        return False
    for offset, epoch in enumerate(state.committed_history):
        state.history[offset] = epoch
    return True


def consumer_asks_for_epoch_end(state: State) -> bool:
    """The consumer asks its leader where the epoch of its position ends."""
    return positions.ask_for_epoch_end(state.consumer)


def leader_answers_epoch_end(state: State) -> bool:
    """The leader that is asked answers."""
    request = state.consumer.request
    return leader.tell_epoch_end(state.leaders[max(request.position.leader_epoch, 0)], request)


def consumer_receives_epoch_end(state: State, rules: ResumptionRules) -> bool:
    """The answer reaches the consumer.

    Who: the consumer.
    When: the leader has answered.
    Effect: as `receive_epoch_end` says.
    Source: OffsetsForLeaderEpoch.
    """
    if not positions.receive_epoch_end(state.consumer, rules):
        return False
    note_position(state)
    return True


def consumer_takes_record(state: State, rules: ResumptionRules, leaves_epoch_out: bool) -> bool:
    """The application gets the next record of the consumer's leader.

    Who: the consumer and its application.
    When: the leader has a record at the position.
    Effect: as `take_next_record` says.
    Source: Fetch.
    """
    consumer = state.consumer
    asked = state.leaders[max(consumer.position.leader_epoch, 0)]
    if not positions.take_next_record(consumer, rules, asked, leaves_epoch_out):
        return False
    note_history(state, consumer.position.offset - 1, consumer.position.offset)
    return True


def consumer_is_out_of_range(state: State, rules: ResumptionRules) -> bool:
    """The consumer's leader has no such offset.

    Who: the consumer and its leader.
    When: the position is behind the log.
    Effect: as `find_out_of_range` says.
    Source: Fetch (OFFSET_OUT_OF_RANGE).
    """
    asked = state.leaders[max(state.consumer.position.leader_epoch, 0)]
    if not positions.find_out_of_range(state.consumer, rules, asked):
        return False
    note_position(state)
    return True


def leader_tells_reset_offset(state: State, rules: ResumptionRules) -> bool:
    """The consumer's leader tells it where the log begins, or ends.

    Who: the consumer and its leader.
    When: the position must be reset.
    Effect: as `seek_to_reset_offset` says; what is below may be passed over.
    Source: ListOffsets.
    """
    consumer = state.consumer
    end_offset = end_of(state.leaders[max(consumer.leader_epoch, 0)].log)
    offset = reset_offset(rules.auto_offset_reset, 0, end_offset)
    if not positions.seek_to_reset_offset(consumer, rules, offset):
        return False
    note_history(state, 0, offset)
    return True


def consumer_commits(state: State, rules: ResumptionRules) -> bool:
    """The consumer commits its position.

    Who: the consumer and the coordinator.
    When: it may commit.
    Effect: as `commit_position` says.
    Source: OffsetCommit.
    """
    if not offsets.commit_position(state.consumer, rules, state.committed):
        return False
    for offset, epoch in enumerate(state.history):
        state.committed_history[offset] = epoch
    return True


def application_resolves_truncation(state: State, rules: ResumptionRules) -> bool:
    """The application seeks after an exception.

    Who: the application.
    When: it has the exception.
    Effect: as `resolve_truncation` says.
    Source: KafkaConsumer.seek.
    """
    if not positions.resolve_truncation(state.consumer, rules):
        return False
    note_position(state)
    return True
