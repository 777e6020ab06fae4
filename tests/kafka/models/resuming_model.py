"""Where is the position of a consumer, and must it validate it, whatever is committed and whatever leaders answer?

A component: one consumer with the functions of `impl/`. Any offset may be committed with any epoch, metadata may bring
any leader epoch, and a leader may answer anything.

Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Struct
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET, LeaderEpoch, LogOffset, OptionalLeaderEpoch, OptionalOffset
from kafkacheck.impl.resumption import offsets, positions
from kafkacheck.impl.resumption.constants import FetchState
from kafkacheck.impl.resumption.records import EpochLeader, OffsetAndEpoch, ResumingConsumer, ResumptionRules


class State(Struct):
    """A consumer.

    consumer: the consumer.
    committed: the committed offset while the consumer is told of it; blank otherwise.
    leader: the leader that answers a fetch; blank but while it answers.
    """

    consumer: ResumingConsumer
    committed: OffsetAndEpoch
    leader: EpochLeader


def partition_is_assigned(state: State, rules: ResumptionRules, leader_epoch: LeaderEpoch) -> bool:
    """The consumer gets the partition, and has metadata of a leader epoch."""
    return positions.start_resuming(state.consumer, rules, leader_epoch, False)


def partition_is_lost(state: State) -> bool:
    """The consumer gives the partition up."""
    return positions.stop_resuming(state.consumer)


def committed_offset_arrives(
    state: State, rules: ResumptionRules, offset: OptionalOffset, epoch: OptionalLeaderEpoch
) -> bool:
    """The coordinator says which offset is committed, with which epoch."""
    if offset == NO_OFFSET and epoch != NO_EPOCH:
        return False
    state.committed.offset = offset
    state.committed.epoch = epoch
    is_done = offsets.resume_at_committed(state.consumer, rules, state.committed)
    state.committed.offset = NO_OFFSET
    state.committed.epoch = NO_EPOCH
    return is_done


def metadata_arrives(state: State, rules: ResumptionRules, leader_epoch: LeaderEpoch) -> bool:
    """A broker tells the leader of an epoch."""
    return positions.receive_metadata(state.consumer, rules, leader_epoch)


def consumer_asks_for_epoch_end(state: State) -> bool:
    """The consumer asks where the epoch of its position ends."""
    return positions.ask_for_epoch_end(state.consumer)


def epoch_end_arrives(
    state: State, rules: ResumptionRules, end_offset: OptionalOffset, epoch: OptionalLeaderEpoch
) -> bool:
    """A leader answers anything, also that one of both is undefined."""
    request = state.consumer.request
    if not request.is_sent:
        return False
    request.is_answered = True
    request.end.offset = end_offset
    request.end.epoch = epoch
    return positions.receive_epoch_end(state.consumer, rules)


def record_arrives(state: State, rules: ResumptionRules, epoch: LeaderEpoch) -> bool:
    """The application gets the record at the position, of any leader epoch."""
    offset = state.consumer.position.offset
    log = state.leader.log
    if not positions.may_fetch_position(state.consumer) or offset >= len(log.records):
        return False
    log.records[offset].epoch = epoch
    log.end_offset = offset + 1
    is_done = positions.take_next_record(state.consumer, rules, state.leader, False)
    log.records[offset].epoch = NO_EPOCH
    log.end_offset = 0
    return is_done


def error_arrives(state: State, rules: ResumptionRules) -> bool:
    """The leader says that the position is out of range."""
    return positions.find_out_of_range(state.consumer, rules, state.leader)


def reset_offset_arrives(state: State, rules: ResumptionRules, offset: LogOffset) -> bool:
    """The leader says where the consumer is to begin."""
    return positions.seek_to_reset_offset(state.consumer, rules, offset)


def application_seeks_to_beginning(state: State, rules: ResumptionRules) -> bool:
    """The application reads everything again."""
    return positions.seek_to_beginning(state.consumer, rules)


def positions_belong_to_states(state: State) -> bool:
    """A consumer has a position if it may fetch or must validate, and none before or while it is reset."""
    consumer = state.consumer
    has_position = consumer.fetch_state == FetchState.FETCHING or consumer.fetch_state == FetchState.AWAIT_VALIDATION
    return has_position == (consumer.position.offset != NO_OFFSET)


MODEL = Model(
    name="resuming",
    question=__doc__,
    state=State,
    rules=ResumptionRules(),
    actions=[
        partition_is_assigned,
        partition_is_lost,
        committed_offset_arrives,
        metadata_arrives,
        consumer_asks_for_epoch_end,
        epoch_end_arrives,
        record_arrives,
        error_arrives,
        reset_offset_arrives,
        application_seeks_to_beginning,
    ],
    always=[positions_belong_to_states],
    bounds={"log_size": 2, "max_leader_epoch": 1, "max_records": 1},
    check_deadlock=False,
)
