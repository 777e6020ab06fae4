"""The steps of scripts, each a few actions of the protocol or of the world that Kafka's documents tell in one word."""

from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.model.cluster.brokers import (
    broker_checkpoints_high_watermark,
    broker_flushes,
    broker_obeys_leader_and_isr,
    broker_replays_metadata,
    broker_starts,
)
from kafkacheck.model.cluster.clients import consumer_learns_leader, consumer_reads, consumer_validates_position
from kafkacheck.model.cluster.controller import (
    controller_alters_partition,
    controller_elects_uncleanly,
    controller_fences_broker,
)
from kafkacheck.model.cluster.environment import power_fails, process_crashes
from kafkacheck.model.cluster.replication import (
    follower_asks_epoch_end,
    follower_sends_fetch,
    follower_truncates,
    follower_uses_fetch,
    leader_answers_epoch_end,
    leader_answers_fetch,
    leader_appends,
    leader_learns_of_change,
    leader_proposes_expansion,
    leader_proposes_shrink,
)
from tests.scenarios.script import RefusedError, Script


def append(run: Script, leader: int, message: str) -> None:
    """A producer sends a message, which the leader appends. A retry is another append of the same message."""
    run.do(leader_appends, leader_id=leader)
    run.names.append(message)


def fetch(run: Script, follower: int) -> None:
    """One fetch round: request, answer, and what the follower does with it."""
    run.do(follower_sends_fetch, follower_id=follower)
    run.do(leader_answers_fetch, follower_id=follower)
    run.do(follower_uses_fetch, follower_id=follower)


def catch_up(run: Script, follower: int) -> None:
    """Fetch rounds until one brings nothing new to either side."""
    before = None
    while before != run.picture():
        before = run.picture()
        fetch(run, follower)


def ask_epoch_end(run: Script, follower: int) -> None:
    """One OffsetsForLeaderEpoch round: request, answer, and the follower's truncation."""
    run.do(follower_asks_epoch_end, follower_id=follower)
    run.do(leader_answers_epoch_end, follower_id=follower)
    run.do(follower_truncates, follower_id=follower)


def propose_without(run: Script, leader: int, follower: int) -> None:
    """The leader finds that a follower lags, and proposes an ISR without it."""
    run.do(leader_proposes_shrink, leader_id=leader, follower_id=follower)


def propose_with(run: Script, leader: int, follower: int) -> None:
    """The leader finds that a follower has caught up, and proposes an ISR with it."""
    run.do(leader_proposes_expansion, leader_id=leader, follower_id=follower)


def confirm(run: Script, leader: int) -> None:
    """The controller makes the change that the leader has proposed, and tells it."""
    run.do(controller_alters_partition, leader_id=leader)
    run.do(leader_learns_of_change, leader_id=leader)


def crash(run: Script, broker: int) -> None:
    """A broker's process ends; what it wrote stays in the page cache."""
    run.do(process_crashes, broker_id=broker)


def lose_power(run: Script, broker: int, keeps: int) -> None:
    """A broker's machine loses power; its log keeps so many records."""
    run.do(power_fails, broker_id=broker, end_offset=keeps)


def flush(run: Script, broker: int) -> None:
    """A broker's log reaches the disk."""
    run.do(broker_flushes, broker_id=broker)


def checkpoint(run: Script, broker: int) -> None:
    """A broker writes its high watermark to `replication-offset-checkpoint`."""
    run.do(broker_checkpoints_high_watermark, broker_id=broker)


def notice_death(run: Script, broker: int, new_leader: int | None = None) -> None:
    """The controller finds a broker dead and takes it out. If it led, another leads, or nobody where none is given."""
    leader = run.state.controller.history[run.state.controller.offset].leader
    if new_leader is None:
        new_leader = NO_LEADER if leader == broker else leader
    run.do(controller_fences_broker, broker_id=broker, new_leader=new_leader)


def restart(run: Script, broker: int) -> None:
    """A broker starts, recovers its log, and registers."""
    run.do(broker_starts, broker_id=broker)


def elect_uncleanly(run: Script, broker: int) -> None:
    """The controller elects a replica from outside the ISR."""
    run.do(controller_elects_uncleanly, new_leader=broker)


def learn(run: Script, broker: int) -> None:
    """A broker receives the newest LeaderAndIsr request, or replays the metadata log to its end."""
    if run.rules.propagation == Propagation.LEADER_AND_ISR:
        run.do(broker_obeys_leader_and_isr, broker_id=broker, offset=run.state.controller.offset)
        return
    while run.state.brokers[broker].metadata_offset < run.state.controller.offset:
        run.do(broker_replays_metadata, broker_id=broker)


def read(run: Script) -> None:
    """A consumer learns who leads, and reads the next message from it."""
    for broker in range(len(run.state.brokers)):
        try_to(run, consumer_learns_leader, broker_id=broker)
    try_to(run, consumer_validates_position)
    run.do(consumer_reads)


def try_to(run: Script, action: object, **parameters: int) -> None:
    """Take an action where it is possible."""
    try:
        run.do(action, **parameters)
    except RefusedError:
        return
