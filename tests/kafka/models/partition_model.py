"""How does a broker's replica answer everything that a follower, a producer and the controller may ask, in any order?

The closed system of one broker's side of `impl/broker/`: it replays changes of the partition as leader and as follower,
followers fetch with any epochs and offsets, and answers to its ISR changes may be late, old or refused. Partition
epochs and broker epochs are counted from those before the step, so that only leader epochs and the log's end bound the
state graph. A record's id is its offset.

Bounds: two leader epochs more than the first, because a broker may skip one.
**Not covered**: a high watermark that a follower learns; it belongs to the fetcher.
"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Ids, If, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.epoch_file import latest_file_epoch
from kafkacheck.impl.broker.fetch import answer_epoch_end, answer_fetch
from kafkacheck.impl.broker.isr import learn_of_change, propose_expansion, propose_shrink
from kafkacheck.impl.broker.leader import acknowledge, append_next_record, delete_records, is_leading
from kafkacheck.impl.broker.log_file import append_to_log, truncate_fully_and_start_at, truncate_log
from kafkacheck.impl.broker.metadata import replay_delta
from kafkacheck.impl.broker.records import Broker, FetchSession
from kafkacheck.impl.client.records import Producers
from kafkacheck.impl.enums import AlterPartitionError, FetchError, Question, Stage
from kafkacheck.impl.ids import (
    NO_EPOCH,
    NO_LEADER,
    NO_OFFSET,
    LeaderEpoch,
    LogOffset,
    LogStartOffset,
    OptionalLeaderEpoch,
    OptionalReplicaId,
    ReplicaId,
    ReplicaSet,
)
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.messages.fetch import Fetch
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules

BROKER = 0
"""The broker that is asked."""
REPLAYED, OLDER, CURRENT, NEWER = 0, 1, 2, 3
"""Partition epochs, and offsets of the metadata log: the broker's before a step is CURRENT, and the log was replayed
up to REPLAYED if it is behind what an answer told."""
FORMER, PRESENT = 0, 1
"""A follower's broker epochs: that of its newest registration is PRESENT."""


class News(IntEnum):
    """What a change of the partition is to the broker."""

    NEXT_LEADER_EPOCH = 0
    """An election."""

    LATER_LEADER_EPOCH = 1
    """Two elections, of which the broker sees the outcome only."""

    NEWER = 2
    """Another ISR or assignment in the same leader epoch."""

    KNOWN = 3
    """The change that the broker learned from the newest answer to its own request."""

    OLDER = 4
    """A change before that one."""


class Oddity(IntEnum):
    """What is unusual about a request of a follower."""

    NONE = 0
    """Nothing."""

    OLDER_LEADER_EPOCH = 1
    """It is of an older leader epoch than the broker's."""

    NEWER_LEADER_EPOCH = 2
    """It is of a newer leader epoch than the broker's."""

    FORMER_BROKER_EPOCH = 3
    """The follower has registered again since."""


class Step(Struct):
    """What the newest step did.

    partition_epochs: by how much it raised the broker's partition epoch, where that was defined before.
    """

    partition_epochs: Annotated[int, Count(1)]


class State(Struct):
    """The broker, and what the newest step answered.

    broker: its replica.
    is_behind: whether it has not replayed the change yet that it learned from the newest answer.
    metadata: the brokers and the assignment, as far as it has replayed them.
    fetch: its answer to a follower.
    change: its request to the controller; the content is there right after it was sent.
    producers: its answers to producers.
    session: always blank.
    step: what the newest step did.
    """

    broker: Broker
    is_behind: bool
    metadata: Metadata
    fetch: Fetch
    change: AlterPartition
    producers: Producers
    session: Annotated[FetchSession, If("fetch_sessions")]
    step: Step


def start(state: State) -> bool:
    """Begin with a broker that has no log yet."""
    broker = state.broker
    broker.is_running = True
    broker.partition_epoch = CURRENT
    metadata = state.metadata
    metadata.replicas = Ids(range(len(broker.followers)))
    metadata.active = metadata.replicas
    for follower_id in metadata.replicas - {BROKER}:
        metadata.broker_epochs[follower_id] = PRESENT
    return True


def settle(state: State, rules: ClusterRules, high_watermark: int, stage: Stage) -> bool:
    """Answer the producers, forget what was answered before this step, and begin to count anew. Always True.

    `high_watermark` and `stage` are those of the broker and its request before the step.
    """
    broker = state.broker
    for offset in range(len(state.producers.acknowledged)):
        state.producers.acknowledged[offset] = NO_OFFSET
    for offset in range(high_watermark, broker.high_watermark):
        acknowledge(broker, rules, state.metadata, state.producers, offset)
    state.producers.next_record = end_of(broker.log)
    if stage == Stage.REQUESTED and state.change.stage == Stage.REQUESTED:
        clear(state.change)
        state.change.stage = Stage.REQUESTED
    state.step.partition_epochs = 0
    if broker.partition_epoch != CURRENT:
        state.step.partition_epochs = 1
    broker.partition_epoch = CURRENT
    broker.metadata_offset = REPLAYED
    return True


def settle_unasked(state: State, rules: ClusterRules, high_watermark: int, stage: Stage) -> bool:
    """Settle a step that answers no follower. Always True."""
    clear(state.fetch)
    return settle(state, rules, high_watermark, stage)


def is_change(state: State, bounds: Bounds, leader: int, isr: Ids, replicas: Ids, news: News) -> bool:
    """Whether a controller could tell the broker this; what a follower would not look at has one value only."""
    broker = state.broker
    if BROKER not in replicas or isr == Ids() or not isr <= replicas:
        return False
    if leader != NO_LEADER and leader not in isr:
        return False
    if bounds.moves == 0 and replicas != Ids(range(len(broker.followers))):
        return False
    if leader != BROKER and isr != replicas:
        return False
    if news == News.NEXT_LEADER_EPOCH:
        return broker.leader_epoch + 1 < len(broker.epoch_starts)
    if news == News.LATER_LEADER_EPOCH:
        return broker.leader_epoch != NO_EPOCH and broker.leader_epoch + 2 < len(broker.epoch_starts)
    if broker.leader_epoch == NO_EPOCH or leader != broker.leader:
        return False
    if news == News.NEWER:
        return True
    return state.is_behind and isr == broker.isr and replicas == state.metadata.replicas


def broker_replays(
    state: State,
    rules: ClusterRules,
    bounds: Bounds,
    leader: OptionalReplicaId,
    isr: ReplicaSet,
    replicas: ReplicaSet,
    news: News,
) -> bool:
    """The broker replays the metadata log up to some change of the partition."""
    if not is_change(state, bounds, leader, isr, replicas, news):
        return False
    broker = state.broker
    metadata = state.metadata
    high_watermark = broker.high_watermark
    stage = state.change.stage
    metadata.leader_epoch = max(broker.leader_epoch, 0)
    if news == News.NEXT_LEADER_EPOCH:
        metadata.leader_epoch = broker.leader_epoch + 1
    if news == News.LATER_LEADER_EPOCH:
        metadata.leader_epoch = broker.leader_epoch + 2
    metadata.partition_epoch = NEWER
    if news == News.KNOWN:
        metadata.partition_epoch = CURRENT
    if news == News.OLDER:
        metadata.partition_epoch = OLDER
    metadata.leader = leader
    metadata.isr = isr
    metadata.replicas = replicas
    replay_delta(broker, rules, BROKER, metadata, metadata.partition_epoch, state.fetch, state.change)
    if news != News.OLDER:
        state.is_behind = False
    metadata.leader_epoch = 0
    metadata.partition_epoch = 0
    metadata.leader = NO_LEADER
    metadata.isr = Ids()
    return settle_unasked(state, rules, high_watermark, stage)


def follower_registers(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """The broker learns that a fenced follower has registered again."""
    if follower_id == BROKER or follower_id in state.metadata.active:
        return False
    follower = state.broker.followers[follower_id]
    if follower.broker_epoch == PRESENT:
        follower.broker_epoch = FORMER
    return settle_unasked(state, rules, state.broker.high_watermark, state.change.stage)


def follower_is_fenced(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """The broker learns that a follower is fenced."""
    if follower_id == BROKER or follower_id not in state.metadata.active:
        return False
    state.metadata.active = state.metadata.active - {follower_id}
    return settle_unasked(state, rules, state.broker.high_watermark, state.change.stage)


def follower_is_unfenced(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """The broker learns that a follower is no longer fenced."""
    if follower_id == BROKER or follower_id in state.metadata.active:
        return False
    state.metadata.active = state.metadata.active | {follower_id}
    return settle_unasked(state, rules, state.broker.high_watermark, state.change.stage)


def can_ask(state: State, offset: int, asked_epoch: int, oddity: Oddity) -> bool:
    """Whether a follower could ask so; if the broker does not look at offset and epoch, they have one value only."""
    broker = state.broker
    if broker.leader_epoch == NO_EPOCH:
        return False
    if oddity == Oddity.OLDER_LEADER_EPOCH and broker.leader_epoch == 0:
        return False
    if oddity == Oddity.NEWER_LEADER_EPOCH and broker.leader_epoch + 1 == len(broker.epoch_starts):
        return False
    if oddity == Oddity.OLDER_LEADER_EPOCH or oddity == Oddity.NEWER_LEADER_EPOCH:
        return offset == 0 and asked_epoch == NO_EPOCH
    return is_leading(broker, BROKER) or asked_epoch == NO_EPOCH


def write_request(state: State, question: Question, offset: int, asked_epoch: int, oddity: Oddity) -> None:
    """Fill in a follower's request."""
    fetch = state.fetch
    clear(fetch)
    fetch.stage = Stage.REQUESTED
    fetch.question = question
    fetch.leader = BROKER
    fetch.leader_epoch = state.broker.leader_epoch
    if oddity == Oddity.OLDER_LEADER_EPOCH:
        fetch.leader_epoch = state.broker.leader_epoch - 1
    if oddity == Oddity.NEWER_LEADER_EPOCH:
        fetch.leader_epoch = state.broker.leader_epoch + 1
    fetch.broker_epoch = FORMER if oddity == Oddity.FORMER_BROKER_EPOCH else PRESENT
    fetch.offset = offset
    fetch.asked_epoch = asked_epoch


def forget_request(fetch: Fetch) -> None:
    """Keep of a fetch what is an answer."""
    fetch.leader = NO_LEADER
    fetch.leader_epoch = NO_EPOCH
    fetch.broker_epoch = 0
    fetch.offset = 0
    fetch.asked_epoch = NO_EPOCH


def follower_fetches(
    state: State,
    rules: ClusterRules,
    bounds: Bounds,
    follower_id: ReplicaId,
    offset: LogOffset,
    asked_epoch: OptionalLeaderEpoch,
    oddity: Oddity,
) -> bool:
    """A follower fetches, and the broker looks whether it may join the ISR."""
    if follower_id == BROKER or not can_ask(state, offset, asked_epoch, oddity):
        return False
    broker = state.broker
    fetch = state.fetch
    high_watermark = broker.high_watermark
    stage = state.change.stage
    write_request(state, Question.FETCH, offset, asked_epoch, oddity)
    answer_fetch(broker, rules, bounds, fetch, follower_id, state.session, True, state.metadata)
    if fetch.stage == Stage.ANSWERED and fetch.error == FetchError.NONE and fetch.end_offset == NO_OFFSET:
        propose_expansion(broker, rules, BROKER, follower_id, state.metadata, state.change)
    forget_request(fetch)
    return settle(state, rules, high_watermark, stage)


def epoch_end_is_asked(state: State, rules: ClusterRules, asked_epoch: OptionalLeaderEpoch, oddity: Oddity) -> bool:
    """A follower or a consumer asks for the end of an epoch."""
    if oddity == Oddity.FORMER_BROKER_EPOCH or not can_ask(state, 0, asked_epoch, oddity):
        return False
    write_request(state, Question.EPOCH_END, 0, asked_epoch, oddity)
    answer_epoch_end(state.broker, rules, state.fetch)
    forget_request(state.fetch)
    return settle(state, rules, state.broker.high_watermark, state.change.stage)


def leader_appends(state: State, rules: ClusterRules) -> bool:
    """A producer sends a record."""
    high_watermark = state.broker.high_watermark
    if not append_next_record(state.broker, rules, BROKER, state.metadata, state.producers):
        return False
    return settle_unasked(state, rules, high_watermark, state.change.stage)


def leader_deletes_records(state: State, rules: ClusterRules, start_offset: LogStartOffset) -> bool:
    """A client deletes the oldest records."""
    if not delete_records(state.broker, rules, BROKER, start_offset):
        return False
    return settle_unasked(state, rules, state.broker.high_watermark, state.change.stage)


def leader_proposes_shrink(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """The broker finds that a follower lags; it proposes all those that lag at once, which here must be one."""
    broker = state.broker
    lagging = sum(
        1 for each in broker.isr if each != BROKER and broker.followers[each].end_offset != end_of(broker.log)
    )
    if lagging > 1:
        return False
    high_watermark = broker.high_watermark
    if not propose_shrink(broker, rules, BROKER, follower_id, state.metadata, state.change):
        return False
    return settle_unasked(state, rules, high_watermark, Stage.IDLE)


def controller_answers(
    state: State,
    rules: ClusterRules,
    bounds: Bounds,
    error: AlterPartitionError,
    isr: ReplicaSet,
    version: News,
    is_of_epoch: bool,
) -> bool:
    """The answer to an ISR change arrives. To one that is refused, or no longer awaited, there is one of each kind."""
    broker = state.broker
    change = state.change
    if change.stage != Stage.REQUESTED or BROKER not in isr or not isr <= state.metadata.replicas:
        return False
    if version == News.NEXT_LEADER_EPOCH or version == News.LATER_LEADER_EPOCH:
        return False
    is_read = is_leading(broker, BROKER) and broker.pending_isr != Ids() and error == AlterPartitionError.NONE
    if not is_read and (version != News.NEWER or not is_of_epoch or isr != state.metadata.replicas):
        return False
    clear(change)
    change.stage = Stage.ANSWERED
    change.error = error
    change.isr = isr
    change.leader_epoch = broker.leader_epoch if is_of_epoch else broker.leader_epoch - 1
    change.partition_epoch = NEWER
    if version == News.KNOWN:
        change.partition_epoch = CURRENT
    if version == News.OLDER:
        change.partition_epoch = OLDER
    high_watermark = broker.high_watermark
    learn_of_change(broker, rules, BROKER, state.metadata, change)
    if broker.partition_epoch == NEWER:
        state.is_behind = True
    return settle_unasked(state, rules, high_watermark, Stage.IDLE)


def follower_appends(state: State, rules: ClusterRules, epoch: LeaderEpoch) -> bool:
    """The broker, which follows, stores a record of its leader."""
    broker = state.broker
    if broker.leader == BROKER or broker.leader == NO_LEADER or is_full(broker.log):
        return False
    if epoch > broker.leader_epoch or epoch < latest_file_epoch(broker):
        return False
    append_to_log(broker, rules, end_of(broker.log), epoch)
    return settle_unasked(state, rules, broker.high_watermark, state.change.stage)


def follower_truncates(state: State, rules: ClusterRules, end_offset: LogOffset) -> bool:
    """The broker, which follows, truncates its log."""
    broker = state.broker
    if broker.leader == BROKER or broker.leader == NO_LEADER or end_offset > end_of(broker.log):
        return False
    truncate_log(broker, rules, end_offset)
    return settle_unasked(state, rules, broker.high_watermark, state.change.stage)


def follower_restarts_log(state: State, rules: ClusterRules, start_offset: LogStartOffset) -> bool:
    """The broker, which follows, drops its log, which ends below the start of its leader's."""
    broker = state.broker
    if broker.leader == BROKER or broker.leader == NO_LEADER or start_offset <= end_of(broker.log):
        return False
    truncate_fully_and_start_at(broker, rules, start_offset)
    return settle_unasked(state, rules, broker.high_watermark, state.change.stage)


MODEL = Model(
    name="partition",
    question=__doc__,
    state=State,
    initial=start,
    bounds={
        "replicas": 2,
        "log_size": 2,
        "max_records": 2,
        "max_log_start": 1,
        "max_leader_epoch": 2,
        "max_metadata_offset": 3,
        "max_broker_epoch": 1,
        "max_controller_epoch": 0,
        "metadata_deltas": 1,
        "fetch_sessions": 0,
        "epoch_files": 0,
        "late_registrations": 0,
        "deletions": 0,
        "min_isr_changes": 0,
        "moves": 1,
    },
    rules=ClusterRules(min_insync_replicas=2),
    actions=[
        broker_replays,
        controller_answers,
        epoch_end_is_asked,
        follower_appends,
        follower_fetches,
        follower_is_fenced,
        follower_is_unfenced,
        follower_registers,
        follower_restarts_log,
        follower_truncates,
        leader_appends,
        leader_deletes_records,
        leader_proposes_shrink,
    ],
    stuttering=[
        broker_replays,
        controller_answers,
        epoch_end_is_asked,
        follower_fetches,
        follower_registers,
        follower_truncates,
    ],
)
