"""Does the leader-epoch file stay in order, whatever it is asked?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct
from kafkacheck.impl.broker.epoch_file import (
    answered_end_offset,
    assign_epoch,
    clear_epochs,
    epoch_with_end,
    forget_late_write,
    latest_file_epoch,
    raise_epoch_start,
    truncate_epochs,
    write_epoch_file,
)
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET, LeaderEpoch, LogOffset, OptionalLeaderEpoch, OptionalOffset
from kafkacheck.impl.log import restart_at
from kafkacheck.impl.rules import ClusterRules


class Answer(Struct):
    """What the last question was answered; blank after any other step.

    is_given: 1 right after a question.
    epoch: the epoch that the end belongs to.
    end_offset: that end.
    latest: the newest epoch of the file.
    """

    is_given: Annotated[int, Count(1)]
    epoch: OptionalLeaderEpoch
    end_offset: OptionalOffset
    latest: OptionalLeaderEpoch


class State(Struct):
    """A broker, of which only the leader-epoch file is used, and the last answer."""

    broker: Broker
    answer: Answer


def start(state: State) -> None:
    """A broker that runs, and has no file yet."""
    state.broker.is_running = True


def forget(state: State) -> None:
    """Blank the last answer."""
    state.answer.is_given = 0
    state.answer.epoch = NO_EPOCH
    state.answer.end_offset = NO_OFFSET
    state.answer.latest = NO_EPOCH


def epoch_is_assigned(state: State, epoch: LeaderEpoch, start_offset: LogOffset) -> bool:
    """An epoch begins, or is found in the records."""
    forget(state)
    assign_epoch(state.broker, epoch, start_offset)
    return True


def file_is_cut_at_end(state: State, rules: ClusterRules, end_offset: LogOffset) -> bool:
    """The log is truncated."""
    forget(state)
    truncate_epochs(state.broker, rules, end_offset)
    return True


def file_is_cut_at_start(state: State, rules: ClusterRules, start_offset: LogOffset) -> bool:
    """The log's start rises."""
    forget(state)
    raise_epoch_start(state.broker, rules, start_offset)
    return True


def file_is_cleared(state: State) -> bool:
    """The log begins anew."""
    forget(state)
    clear_epochs(state.broker)
    return True


def file_is_written(state: State, rules: ClusterRules) -> bool:
    """The background write happens, if one is due."""
    if not write_epoch_file(state.broker, rules):
        return False
    forget(state)
    return True


def broker_restarts(state: State) -> bool:
    """The process ends, with what it had not written in the background; the next one reads the file."""
    forget(state)
    forget_late_write(state.broker.epoch_file)
    for epoch, start_offset in enumerate(state.broker.epoch_file.starts):
        state.broker.epoch_starts[epoch] = start_offset
    return True


def end_is_asked(state: State, rules: ClusterRules, epoch: OptionalLeaderEpoch, log_end: LogOffset) -> bool:
    """Someone asks where an epoch ends, while the log ends at `log_end`."""
    restart_at(state.broker.log, log_end)
    state.answer.is_given = 1
    state.answer.epoch = epoch_with_end(state.broker, rules, epoch)
    state.answer.end_offset = answered_end_offset(state.broker, rules, epoch)
    state.answer.latest = latest_file_epoch(state.broker)
    restart_at(state.broker.log, 0)
    return True


def starts_rise(state: State) -> bool:
    """In memory and in the file, each epoch begins after every older one."""
    latest = NO_OFFSET
    written = NO_OFFSET
    for epoch in range(len(state.broker.epoch_starts)):
        if state.broker.epoch_starts[epoch] != NO_OFFSET:
            if state.broker.epoch_starts[epoch] <= latest:
                return False
            latest = state.broker.epoch_starts[epoch]
        if state.broker.epoch_file.starts[epoch] != NO_OFFSET:
            if state.broker.epoch_file.starts[epoch] <= written:
                return False
            written = state.broker.epoch_file.starts[epoch]
    return True


ANY_TIME = (epoch_is_assigned, file_is_cut_at_end, file_is_cut_at_start, file_is_cleared, broker_restarts, end_is_asked)

MODEL = Model(
    name="epoch_file",
    question=__doc__,
    state=State,
    initial=start,
    actions=[*ANY_TIME, file_is_written],
    stuttering=ANY_TIME,
    always=[starts_rise],
    bounds={
        "max_leader_epoch": 2,
        "log_size": 3,
        "epoch_files": 1,
        "replicas": 1,
        "max_records": 1,
        "metadata_deltas": 0,
        "max_metadata_offset": 0,
        "max_broker_epoch": 0,
        "max_controller_epoch": 0,
        "max_log_start": 0,
        "late_registrations": 0,
        "deletions": 0,
    },
    rules=ClusterRules(),
)
