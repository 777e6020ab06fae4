"""How does a follower use everything that a leader may answer, while its own metadata change?

The closed system of the fetcher's side of `impl/broker/`: broker 0 becomes leader and follower, sends the requests of a
follower, and gets any answer: records of any epoch, any diverging epoch, any range of the leader's log, any error. The
answer may come after the broker has heard of another leader epoch. A record's id is its offset.

A fetcher waits for its answer, and its connection is closed when the broker turns to another leader. One that is fenced
in its own leader epoch asks no more in that epoch; in the catalogue it asks again, and is fenced again.

Bounds: three leader epochs, so that an answer may name an epoch that the follower skipped. With `restarts`, the broker
may write its high watermark to the disk, and be restarted; it then hears of an election. That asks for `epoch_files`,
because a restart may find a leader-epoch file that is older than the log.
**Not covered**: a deletion, and what a leader knows of its followers; `partition_model.py` has them.
"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Ids, If, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.epoch_file import latest_file_epoch
from kafkacheck.impl.broker.fetcher import (
    ask_epoch_end,
    is_of_now,
    is_out_of_range,
    leave_out_of_range,
    send_fetch,
    use_epoch_end,
    use_fetch,
)
from kafkacheck.impl.broker.metadata import replay_metadata
from kafkacheck.impl.broker.records import Broker, FetchSession
from kafkacheck.impl.broker.recovery import checkpoint_high_watermark, lose_memory, shut_down, start_up
from kafkacheck.impl.enums import FetchError, Question, Stage
from kafkacheck.impl.ids import (
    NO_EPOCH,
    NO_LEADER,
    NO_OFFSET,
    LeaderEpoch,
    LogOffset,
    LogStartOffset,
    OptionalLeaderEpoch,
    OptionalOffset,
    OptionalReplicaId,
)
from kafkacheck.impl.log import is_full
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.messages.fetch import Fetch
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules

BROKER = 0
"""The broker that follows."""


class Failure(IntEnum):
    """Why a request brings no answer that can be used."""

    FENCED = 0
    """The leader has a newer leader epoch than the request (FENCED_LEADER_EPOCH)."""

    REFUSED = 1
    """Another error: the leader does not lead, or not yet in that epoch, or knows the topic by another id."""

    DISCONNECTED = 2
    """The connection breaks."""


class State(Struct):
    """The broker, and its request.

    broker: its replica.
    is_failed: whether its fetcher was fenced in the broker's leader epoch.
    fetch: the request that waits for its answer.
    metadata: the brokers and the assignment.
    change: always blank.
    session: always blank.
    """

    broker: Broker
    is_failed: bool
    fetch: Fetch
    metadata: Metadata
    change: AlterPartition
    session: Annotated[FetchSession, If("fetch_sessions")]


def start(state: State) -> bool:
    """Begin with a broker that has no log yet."""
    state.broker.is_running = True
    state.metadata.replicas = Ids(range(len(state.broker.followers)))
    state.metadata.active = state.metadata.replicas
    return True


def broker_replays(state: State, rules: ClusterRules, leader: OptionalReplicaId, is_election: bool) -> bool:
    """The broker replays an election, or another change of the partition in the same leader epoch."""
    broker = state.broker
    if is_election and broker.leader_epoch + 1 == len(broker.epoch_starts):
        return False
    if not is_election and (broker.leader_epoch == NO_EPOCH or leader != broker.leader):
        return False
    hear(state, rules, leader, broker.leader_epoch + 1 if is_election else broker.leader_epoch)
    if is_election:
        state.is_failed = False
    return True


def hear(state: State, rules: ClusterRules, leader: int, leader_epoch: int) -> None:
    """Let the broker replay a change of the partition; its connection to another leader is closed."""
    broker = state.broker
    metadata = state.metadata
    metadata.leader_epoch = leader_epoch
    metadata.partition_epoch = 1
    metadata.leader = leader
    metadata.isr = metadata.replicas
    replay_metadata(broker, rules, BROKER, metadata, state.fetch, state.change)
    if state.fetch.leader != broker.leader:
        clear(state.fetch)
    broker.metadata_offset = 0
    broker.partition_epoch = 0
    broker.isr = Ids()
    metadata.leader_epoch = 0
    metadata.partition_epoch = 0
    metadata.leader = NO_LEADER
    metadata.isr = Ids()


def broker_checkpoints(state: State, rules: ClusterRules, bounds: Bounds) -> bool:
    """The broker writes its high watermark to the disk."""
    return bounds.restarts == 1 and state.broker.has_log and checkpoint_high_watermark(state.broker, rules)


def broker_restarts(
    state: State, rules: ClusterRules, bounds: Bounds, leader: OptionalReplicaId, is_clean: bool
) -> bool:
    """The broker's process ends, another one loads the log, and hears of an election."""
    broker = state.broker
    leader_epoch = broker.leader_epoch + 1
    if bounds.restarts == 0 or not broker.has_log or leader_epoch == len(broker.epoch_starts):
        return False
    if is_clean:
        shut_down(broker)
    else:
        lose_memory(broker)
    start_up(broker, rules, bounds, 0)
    broker.broker_epoch = 0
    clear(state.fetch)
    state.is_failed = False
    hear(state, rules, leader, leader_epoch)
    return True


def follower_sends_fetch(state: State, rules: ClusterRules, bounds: Bounds) -> bool:
    """The broker, which follows, asks for the next record."""
    if state.is_failed or state.fetch.stage != Stage.IDLE:
        return False
    return send_fetch(state.broker, rules, bounds, BROKER, state.fetch, state.session)


def follower_asks_epoch_end(state: State) -> bool:
    """The broker, which follows, asks for the end offset of its latest epoch."""
    if state.is_failed or state.fetch.stage != Stage.IDLE:
        return False
    return ask_epoch_end(state.broker, BROKER, state.fetch)


def awaits(state: State, question: Question) -> bool:
    """Whether the broker waits for the answer to such a request."""
    return state.fetch.stage == Stage.REQUESTED and state.fetch.question == question


def use_answer(state: State, rules: ClusterRules) -> None:
    """Let the broker use the answer to its fetch; by an old rule it does so in two steps."""
    use_fetch(state.broker, rules, state.fetch)
    if state.fetch.stage == Stage.ANSWERED:
        use_fetch(state.broker, rules, state.fetch)


def record_comes(
    state: State,
    rules: ClusterRules,
    record_epoch: OptionalLeaderEpoch,
    high_watermark: LogOffset,
    log_start_offset: LogStartOffset,
) -> bool:
    """The answer to a fetch has a record of that epoch, or none.

    Left out: a record of an older epoch than the one before it, which no log has.
    """
    fetch = state.fetch
    if not awaits(state, Question.FETCH) or record_epoch > fetch.leader_epoch:
        return False
    if record_epoch != NO_EPOCH and record_epoch < latest_file_epoch(state.broker):
        return False
    if record_epoch != NO_EPOCH and (is_full(state.broker.log) or fetch.offset == len(state.broker.log.records)):
        return False
    if log_start_offset > min(high_watermark, fetch.offset):
        return False
    fetch.stage = Stage.ANSWERED
    fetch.high_watermark = high_watermark
    fetch.log_start_offset = log_start_offset
    if record_epoch != NO_EPOCH:
        fetch.record = fetch.offset
        fetch.record_epoch = record_epoch
    use_answer(state, rules)
    return True


def divergence_comes(
    state: State, rules: ClusterRules, epoch: LeaderEpoch, end_offset: LogOffset, high_watermark: LogOffset
) -> bool:
    """The answer to a fetch says that the logs diverge: on the leader, that epoch ends at that offset."""
    fetch = state.fetch
    if not awaits(state, Question.FETCH) or fetch.asked_epoch == NO_EPOCH or epoch > fetch.asked_epoch:
        return False
    fetch.stage = Stage.ANSWERED
    fetch.high_watermark = high_watermark
    fetch.diverging_epoch = epoch
    fetch.end_offset = end_offset
    use_answer(state, rules)
    return True


def range_comes(state: State, rules: ClusterRules, start_offset: LogStartOffset, end_offset: LogOffset) -> bool:
    """The fetch is out of range, so the broker asks where the leader's log starts and ends."""
    fetch = state.fetch
    if not awaits(state, Question.FETCH):
        return False
    fetch.stage = Stage.ANSWERED
    fetch.error = FetchError.OFFSET_OUT_OF_RANGE
    if is_out_of_range(state.broker, rules, fetch):
        leave_out_of_range(state.broker, rules, start_offset, end_offset)
    use_fetch(state.broker, rules, fetch)
    return True


def epoch_end_comes(state: State, rules: ClusterRules, epoch: OptionalLeaderEpoch, end_offset: OptionalOffset) -> bool:
    """The answer comes which says where an epoch ends on the leader, or that it does not know."""
    fetch = state.fetch
    if not awaits(state, Question.EPOCH_END) or epoch > fetch.asked_epoch:
        return False
    if (epoch == NO_EPOCH) != (end_offset == NO_OFFSET):
        return False
    fetch.stage = Stage.ANSWERED
    fetch.diverging_epoch = epoch
    fetch.end_offset = end_offset
    use_epoch_end(state.broker, rules, fetch)
    return True


def request_fails(state: State, failure: Failure) -> bool:
    """The request brings no answer that can be used."""
    fetch = state.fetch
    if fetch.stage != Stage.REQUESTED:
        return False
    if failure == Failure.FENCED and is_of_now(state.broker, fetch):
        state.is_failed = True
    clear(fetch)
    return True


def range_fails(state: State, rules: ClusterRules, failure: Failure) -> bool:
    """The fetch is out of range, and the leader does not say where its log starts and ends."""
    if not awaits(state, Question.FETCH):
        return False
    return request_fails(state, failure)


MODEL = Model(
    name="fetcher",
    question=__doc__,
    state=State,
    initial=start,
    bounds={
        "replicas": 2,
        "log_size": 2,
        "max_records": 2,
        "max_log_start": 1,
        "max_leader_epoch": 2,
        "max_metadata_offset": 1,
        "max_broker_epoch": 1,
        "max_controller_epoch": 0,
        "metadata_deltas": 0,
        "fetch_sessions": 0,
        "epoch_files": 0,
        "late_registrations": 0,
        "deletions": 0,
        "min_isr_changes": 0,
        "restarts": 0,
    },
    rules=ClusterRules(),
    actions=[
        broker_checkpoints,
        broker_replays,
        broker_restarts,
        divergence_comes,
        epoch_end_comes,
        follower_asks_epoch_end,
        follower_sends_fetch,
        range_comes,
        range_fails,
        record_comes,
        request_fails,
    ],
    stuttering=[broker_replays],
)
