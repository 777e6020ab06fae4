"""Disturbances of resumption: consumers that end, unclean elections, lost files, an application that reads again."""

from kafkacheck.impl.ids import NO_OFFSET, LogOffset
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.resumption import positions
from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption.system import State, elect, note_position


def start_empty(state: State) -> bool:
    """The first leader has an empty log; no consumer runs, and nothing is committed."""
    state.leaders[0].epoch_starts[0] = 0
    return True


def consumer_ends(state: State) -> bool:
    """The consumer crashes, or loses the partition.

    Who: the consumer.
    When: it runs.
    Effect: as `stop_resuming` says; nobody owns the partition.
    Source: a crash, a rebalance.
    """
    if not positions.stop_resuming(state.consumer):
        return False
    note_position(state)
    return True


def unclean_leader_is_elected(state: State, end_offset: LogOffset) -> bool:
    """A replica becomes the leader that lacks committed records.

    Who: the controller.
    When: the model has a later leader epoch; the replica lacks a record.
    Effect: the records from that offset on are gone.
    Source: `unclean.leader.election.enable`.
    """
    if state.leader_epoch + 1 == len(state.leaders):
        return False
    if end_offset >= end_of(state.leaders[state.leader_epoch].log):
        return False
    elect(state, end_offset)
    return True


def epoch_file_is_lost(state: State) -> bool:
    """The newest leader knows no epochs, as if its records had been in a format without them.

    Who: the newest leader.
    When: it has an epoch.
    Effect: it answers that the end of each epoch is undefined.
    Source: `Partition.lastOffsetForLeaderEpoch`, if the log has no `LeaderEpochFileCache` (KAFKA-7897).
    """
    starts = state.leaders[state.leader_epoch].epoch_starts
    if all(start == NO_OFFSET for start in starts):
        return False
    for epoch in range(len(starts)):
        starts[epoch] = NO_OFFSET
    return True


def application_seeks_to_beginning(state: State, rules: ResumptionRules) -> bool:
    """The application reads everything again.

    Who: the application.
    When: its consumer has a position behind the beginning.
    Effect: as `seek_to_beginning` says.
    Source: KafkaConsumer.seekToBeginning.
    """
    if not positions.seek_to_beginning(state.consumer, rules):
        return False
    note_position(state)
    return True


CHARGES = {
    consumer_ends: "restarts",
    unclean_leader_is_elected: "unclean_elections",
    application_seeks_to_beginning: "seeks",
    epoch_file_is_lost: "lost_files",
}
"""The allowance to which each disturbance of this file is charged."""
