"""The whole system at the level of messages: brokers, controller, clients, and the messages between them.

Part of Kafka modelled: one partition in a cluster of brokers with its controller, producers and a consumer.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: see the records in `State`.
"""

from typing import Annotated

from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, If, Struct, clear
from kafkacheck.impl.broker.fetch_session import drop_session, end_session
from kafkacheck.impl.broker.leader import acknowledge
from kafkacheck.impl.broker.records import Broker, FetchSession
from kafkacheck.impl.broker.recovery import lose_memory
from kafkacheck.impl.client.records import Consumer, Producers
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.enums import Question, Stage
from kafkacheck.impl.ids import NO_EPOCH, LogStartOffset, OptionalRecordId, ReplicaSet
from kafkacheck.impl.log.reading import id_at
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.messages.fetch import Fetch, OldFetch
from kafkacheck.impl.rules import ClusterRules


class Budget(Struct):
    """How many disturbances are left. Only the environment writes here; healing costs nothing.

    crashes: crashes of a process, which keep the page cache.
    power_losses: crashes of a machine, which lose unflushed data.
    disk_losses: disks replaced by empty ones.
    expirations: expired sessions of running brokers, followers that lag too long, or requested shutdowns.
    moves: leaderships moved, or reassignments begun, without a failure.
    losses: lost messages.
    failovers: changes of the controller.
    deletions: deleted topics; after each, a topic of the same name may be created.
    min_isr_changes: changes of min.insync.replicas.
    """

    crashes: Annotated[int, Allowance("crashes")]
    power_losses: Annotated[int, Allowance("power_losses")]
    disk_losses: Annotated[int, Allowance("disk_losses")]
    expirations: Annotated[int, Allowance("expirations")]
    moves: Annotated[int, Allowance("moves")]
    losses: Annotated[int, Allowance("losses")]
    failovers: Annotated[int, Allowance("failovers")]
    deletions: Annotated[int, Allowance("deletions")]
    min_isr_changes: Annotated[int, Allowance("min_isr_changes")]


class State(Struct):
    """The whole system.

    brokers: by broker id.
    fetches: by follower, its request to its leader or the answer.
    fetch_sessions: by follower, its fetch session; always blank if the bound `fetch_sessions` is 0.
    old_fetches: by follower, a fetch that its leader still has although the connection is broken; always blank if the
        bound `old_fetches` is 0.
    alter_partitions: by leader, its request to the controller or the answer.
    controller: the controller and its record.
    producers: all producers.
    consumer: one consumer.
    committed: by offset, the record that a leader last committed there; `NO_RECORD` if none has. Only properties read
        it. Kept only with `commits_are_noted`.
    deleted: the offset below which leaders have deleted records that they knew to be committed. Only properties read
        it.
    asked: the brokers that an operator has last asked for by a reassignment; empty if none has. Only properties read
        it. Kept only if the bound `noted_targets` is 1.
    budget: the disturbances that the environment may still cause.
    """

    brokers: Annotated[Array[Broker], ById("replicas")]
    fetches: Annotated[Array[Fetch], ById("replicas")]
    fetch_sessions: Annotated[Array[FetchSession], ById("replicas"), If("fetch_sessions")]
    old_fetches: Annotated[Array[OldFetch], ById("replicas"), If("old_fetches")]
    alter_partitions: Annotated[Array[AlterPartition], ById("replicas")]
    controller: Controller
    producers: Producers
    consumer: Consumer
    committed: Annotated[Array[OptionalRecordId], ByPosition("log_size")]
    deleted: LogStartOffset
    asked: Annotated[ReplicaSet, If("noted_targets")]
    budget: Budget


def has_room(state: State) -> bool:
    """Whether the bounds leave one more change, and one more leader epoch for it."""
    history = state.controller.history
    has_epoch = history[state.controller.offset].leader_epoch + 1 < len(state.brokers[0].epoch_starts)
    return has_epoch and state.controller.offset + 1 < len(history)


def note_commits(state: State, rules: ClusterRules, leader_id: int, high_watermark: int) -> None:
    """Let a leader answer the producers of all that it has committed above this offset, and note the commits."""
    leader = state.brokers[leader_id]
    for offset in range(high_watermark, leader.high_watermark):
        acknowledge(leader, rules, state.controller.history[leader.metadata_offset], state.producers, offset)
        if rules.commits_are_noted:
            state.committed[offset] = id_at(leader.log, offset)


def note_deletion(state: State, end_offset: int) -> None:
    """Note that the records below an offset were committed when a leader deleted them."""
    state.deleted = max(state.deleted, end_offset)


def stop_process(state: State, broker_id: int) -> None:
    """End a broker's process, which loses its memory and its connections."""
    lose_memory(state.brokers[broker_id])
    end_connections(state, broker_id)


def end_connections(state: State, broker_id: int) -> None:
    """End the connections of a process that has ended, and with them the answers to it and the requests to it."""
    if state.alter_partitions[broker_id].stage == Stage.ANSWERED:
        clear(state.alter_partitions[broker_id])
    if state.fetches[broker_id].stage == Stage.ANSWERED or state.fetches[broker_id].question == Question.EPOCH_END:
        clear(state.fetches[broker_id])
    end_session(state.fetch_sessions[broker_id])
    for session in state.fetch_sessions:
        drop_session(session, broker_id)
    for fetch in state.fetches:
        if fetch.stage == Stage.REQUESTED and fetch.leader == broker_id:
            clear(fetch)
    for old_fetch in state.old_fetches:
        if old_fetch.leader == broker_id:
            clear(old_fetch)


def note_replayed_metadata(state: State) -> None:
    """Blank the controller's changes that can no longer be read, so that states do not differ by them alone."""
    lowest = state.controller.offset
    if state.controller.zombie_offset != NO_EPOCH:
        lowest = min(lowest, state.controller.zombie_offset)
    for broker in state.brokers:
        if broker.is_running:
            lowest = min(lowest, broker.metadata_offset)
    for offset, metadata in enumerate(state.controller.history):
        if offset < lowest:
            clear(metadata)
