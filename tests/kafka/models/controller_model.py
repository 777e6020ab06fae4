"""How does a KRaft controller answer every request about a partition and its brokers, whatever came before?

The closed system of `impl/controller/` alone: operators, brokers and leaders ask for anything at any time. A leader's
ISR change may be late, repeated or wrong in each way that a network or a restart can make it so. Epochs and offsets are
counted from those of the record before the step, so that the state graph is finite and no budget is needed.

Bounds: three brokers, because an election needs a choice. Without `moves` there are no reassignments. The others only
give numbers their ranges.
**Not covered**: an unclean election while a reassignment is under way that its outcome, or that of an earlier one, lets
end.
"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Ids, Struct, clear, copy
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.controller.alter_partition import alter_partition, alter_partition_as_zombie
from kafkacheck.impl.controller.brokers import (
    begin_shutdown,
    handle_broker_fenced,
    handle_broker_unfenced,
    register_start,
    register_unfenced_start,
)
from kafkacheck.impl.controller.configuration import lower_min_insync_replicas, raise_min_insync_replicas
from kafkacheck.impl.controller.elections import elect_preferred, elect_uncleanly, replace_controller
from kafkacheck.impl.controller.reassignment import begin_reassignment, cancel_reassignment, replace_reassignment
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.controller.topics import begin_deletion, create_partition
from kafkacheck.impl.enums import Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER, NO_OFFSET, OptionalReplicaId, ReplicaId, ReplicaSet
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.rules import ClusterRules

OLDER, CURRENT, NEWER = 0, 1, 2
"""The epochs and offsets of a step: the record before it has CURRENT."""


class Oddity(IntEnum):
    """What is unusual about a leader's ISR change."""

    NONE = 0
    """Nothing."""

    OLDER_LEADER_EPOCH = 1
    """Its leader epoch is older than the controller's."""

    NEWER_LEADER_EPOCH = 2
    """Its leader epoch is newer than the controller's."""

    OLDER_PARTITION_EPOCH = 3
    """It starts from an older ISR than the controller's."""

    NEWER_PARTITION_EPOCH = 4
    """It starts from a newer ISR than the controller's."""

    OLDER_BROKER_EPOCH = 5
    """Its sender has registered again since."""

    OTHER_TOPIC = 6
    """It is for a topic of another id."""

    NO_MEMBER_EPOCHS = 7
    """The leader knows no member's broker epoch."""

    ENDS_RECOVERY = 8
    """The leader says that it has recovered."""


class Step(Struct):
    """What the newest step did, beside its changes of the record.

    leader_epochs: by how much it raised the leader epoch.
    partition_epochs: by how much it raised the partition epoch.
    """

    leader_epochs: Annotated[int, Count(2)]
    partition_epochs: Annotated[int, Count(1)]


class State(Struct):
    """The controller, and what the newest step answered.

    controller: it and its record, which is always at offset CURRENT.
    alter_partition: its answer to an ISR change.
    step: what the newest step did.
    """

    controller: Controller
    alter_partition: AlterPartition
    step: Step


def settle(state: State) -> bool:
    """Note what a step without an answer did, and begin to count anew. Always True."""
    clear(state.alter_partition)
    return settle_answered(state)


def settle_answered(state: State) -> bool:
    """Note what a step did, and begin to count anew. Always True."""
    controller = state.controller
    clear(state.step)
    before = controller.history[CURRENT]
    after = controller.history[controller.offset]
    if before.replicas != Ids() and after.replicas != Ids():
        state.step.leader_epochs = after.leader_epoch - before.leader_epoch
        if after.partition_epoch != before.partition_epoch:
            state.step.partition_epochs = 1
    if controller.offset != CURRENT:
        copy(before, after)
        clear(after)
        controller.offset = CURRENT
    controller.epoch = 0
    controller.zombie_offset = NO_OFFSET
    number(state)
    return True


def number(state: State) -> None:
    """Give the record the epochs that all steps begin with."""
    metadata = state.controller.history[CURRENT]
    metadata.controller_epoch = 0
    metadata.topic_id = 0
    metadata.partition_epoch = CURRENT
    metadata.leader_epoch = CURRENT
    metadata.told_epoch = CURRENT
    if metadata.replicas == Ids():
        metadata.partition_epoch = 0
        metadata.leader_epoch = 0
        metadata.told_epoch = 0
    for broker_id in range(len(metadata.broker_epochs)):
        metadata.broker_epochs[broker_id] = CURRENT


def start(state: State) -> bool:
    """Begin with every broker active and in the ISR; broker 0 leads."""
    state.controller.offset = CURRENT
    metadata = state.controller.history[CURRENT]
    metadata.leader = 0
    metadata.replicas = Ids(range(len(metadata.broker_epochs)))
    metadata.target = metadata.replicas
    metadata.isr = metadata.replicas
    metadata.active = metadata.replicas
    number(state)
    return True


def broker_registers(
    state: State, rules: ClusterRules, bounds: Bounds, broker_id: ReplicaId, is_stopped_cleanly: bool
) -> bool:
    """A broker that the controller does not take for alive starts, and registers."""
    return register_start(state.controller, rules, bounds, broker_id, NEWER, is_stopped_cleanly) and settle(state)


def broker_registers_unfenced(
    state: State,
    rules: ClusterRules,
    bounds: Bounds,
    broker_id: ReplicaId,
    is_stopped_cleanly: bool,
    new_leader: OptionalReplicaId,
) -> bool:
    """A broker starts and registers after its former session has ended, and before the controller has noticed that.

    Left out: with eligible leader replicas Kafka 4.0, whose next change elects the fenced broker that led last,
    whatever the change is for (KAFKA-19522).
    """
    if rules.eligible_leader_replicas and not rules.last_known_leader_is_active:
        return False
    return register_unfenced_start(
        state.controller, rules, bounds, broker_id, NEWER, is_stopped_cleanly, new_leader
    ) and settle(state)


def controller_unfences_broker(
    state: State, rules: ClusterRules, bounds: Bounds, broker_id: ReplicaId, has_replayed: bool
) -> bool:
    """A heartbeat of a fenced broker comes; it has replayed its registration, or the record before it."""
    replayed_offset = CURRENT if has_replayed else OLDER
    return handle_broker_unfenced(state.controller, rules, bounds, broker_id, CURRENT, replayed_offset) and settle(
        state
    )


def controller_fences_broker(
    state: State, rules: ClusterRules, broker_id: ReplicaId, new_leader: OptionalReplicaId
) -> bool:
    """No heartbeat of a broker comes for longer than a session."""
    return handle_broker_fenced(state.controller, rules, broker_id, new_leader) and settle(state)


def shutdown_is_asked(state: State, rules: ClusterRules, broker_id: ReplicaId, new_leader: OptionalReplicaId) -> bool:
    """A broker asks for its controlled shutdown."""
    return begin_shutdown(state.controller, rules, broker_id, new_leader) and settle(state)


def controller_elects_uncleanly(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """The controller elects a replica that may lack committed records."""
    return elect_uncleanly(state.controller, rules, new_leader) and settle(state)


def leadership_is_moved(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """An operator puts a replica first in the assignment, and asks for a preferred election.

    Left out: that the leader is elected again, by which models stand for any change that only raises the leader epoch;
    a replica that a reassignment removes, which is never the first.
    """
    metadata = state.controller.history[CURRENT]
    if metadata.leader == new_leader or new_leader not in metadata.target:
        return False
    return elect_preferred(state.controller, rules, new_leader) and settle(state)


def reassignment_is_asked(state: State, rules: ClusterRules, bounds: Bounds, target: ReplicaSet) -> bool:
    """An operator moves the partition to other brokers, if the bound `moves` is above 0."""
    if bounds.moves == 0:
        return False
    return begin_reassignment(state.controller, rules, bounds, target) and settle(state)


def reassignment_is_replaced(state: State, rules: ClusterRules, bounds: Bounds, target: ReplicaSet) -> bool:
    """An operator moves the partition to other brokers than those of the reassignment under way.

    The request may be accepted without an effect.
    """
    return replace_reassignment(state.controller, rules, bounds, target) and settle(state)


def reassignment_is_cancelled(state: State, rules: ClusterRules) -> bool:
    """An operator takes back the reassignment under way.

    Left out: as for `broker_registers_unfenced`.
    """
    if rules.eligible_leader_replicas and not rules.last_known_leader_is_active:
        return False
    return cancel_reassignment(state.controller, rules) and settle(state)


def min_isr_is_lowered(state: State, rules: ClusterRules, bounds: Bounds) -> bool:
    """An operator lowers min.insync.replicas of the topic by one."""
    if state.controller.history[CURRENT].replicas == Ids():
        return False
    return lower_min_insync_replicas(state.controller, rules, bounds) and settle(state)


def min_isr_is_raised(state: State, rules: ClusterRules, bounds: Bounds) -> bool:
    """An operator raises min.insync.replicas of the topic again."""
    if state.controller.history[CURRENT].replicas == Ids():
        return False
    return raise_min_insync_replicas(state.controller, rules, bounds) and settle(state)


def topic_deletion_is_asked(state: State, rules: ClusterRules) -> bool:
    """An operator deletes the topic."""
    return begin_deletion(state.controller, rules) and settle(state)


def controller_creates_partition(state: State, rules: ClusterRules, new_leader: OptionalReplicaId) -> bool:
    """An operator creates the topic, with the partition on all brokers."""
    return create_partition(state.controller, rules, new_leader) and settle(state)


def controller_is_replaced(state: State, rules: ClusterRules, stopped: ReplicaSet) -> bool:
    """Another controller takes over while some brokers do not run."""
    replace_controller(state.controller, rules, stopped, Ids())
    return settle(state)


def may_ask(state: State, leader_id: int, isr: Ids, oddity: Oddity, stale: int) -> bool:
    """Whether some leader could send such a request: the ISR has itself, and only replicas.

    Only one thing besides a stale member is wrong with it. If its sender does not lead, nothing else needs to be.
    """
    metadata = state.controller.history[CURRENT]
    if metadata.replicas == Ids() or leader_id not in isr or not isr <= metadata.replicas:
        return False
    if stale != NO_LEADER and (stale not in isr or oddity == Oddity.NO_MEMBER_EPOCHS):
        return False
    if oddity == Oddity.ENDS_RECOVERY and not metadata.is_recovering:
        return False
    return leader_id == metadata.leader or (stale == NO_LEADER and oddity == Oddity.NONE)


def write_request(change: AlterPartition, isr: Ids, oddity: Oddity, stale: int) -> None:
    """Fill in a leader's request."""
    clear(change)
    change.stage = Stage.REQUESTED
    change.leader_epoch = CURRENT
    if oddity == Oddity.OLDER_LEADER_EPOCH:
        change.leader_epoch = OLDER
    if oddity == Oddity.NEWER_LEADER_EPOCH:
        change.leader_epoch = NEWER
    change.partition_epoch = CURRENT
    if oddity == Oddity.OLDER_PARTITION_EPOCH:
        change.partition_epoch = OLDER
    if oddity == Oddity.NEWER_PARTITION_EPOCH:
        change.partition_epoch = NEWER
    change.broker_epoch = CURRENT
    if oddity == Oddity.OLDER_BROKER_EPOCH:
        change.broker_epoch = OLDER
    if oddity == Oddity.OTHER_TOPIC:
        change.topic_id = 1
    change.ends_recovery = oddity == Oddity.ENDS_RECOVERY
    change.isr = isr
    for member_id in range(len(change.member_epochs)):
        if member_id in isr and oddity != Oddity.NO_MEMBER_EPOCHS:
            change.member_epochs[member_id] = OLDER if member_id == stale else CURRENT
        else:
            change.member_epochs[member_id] = NO_EPOCH


def controller_alters_partition(
    state: State,
    rules: ClusterRules,
    bounds: Bounds,
    leader_id: ReplicaId,
    isr: ReplicaSet,
    oddity: Oddity,
    stale: OptionalReplicaId,
) -> bool:
    """A leader's ISR change arrives; `stale` is a member that has registered again since.

    Left out: epochs that the controller does not know yet; only a deposed controller gets such requests.
    """
    if oddity == Oddity.NEWER_LEADER_EPOCH or oddity == Oddity.NEWER_PARTITION_EPOCH:
        return False
    if not may_ask(state, leader_id, isr, oddity, stale):
        return False
    write_request(state.alter_partition, isr, oddity, stale)
    return alter_partition(state.controller, rules, bounds, state.alter_partition, leader_id) and settle_answered(state)


def zombie_answers_alter_partition(
    state: State, rules: ClusterRules, leader_id: ReplicaId, isr: ReplicaSet, oddity: Oddity, stale: OptionalReplicaId
) -> bool:
    """A leader's ISR change arrives at a controller that is deposed and has the same record, but cannot write.

    It leaves the request without an answer if it would have to write, or knows from it that it is deposed.
    """
    if not may_ask(state, leader_id, isr, oddity, stale):
        return False
    write_request(state.alter_partition, isr, oddity, stale)
    state.controller.zombie_offset = CURRENT
    if not alter_partition_as_zombie(state.controller, rules, state.alter_partition, leader_id):
        clear(state.alter_partition)
    return settle_answered(state)


MODEL = Model(
    name="controller",
    question=__doc__,
    state=State,
    initial=start,
    bounds={
        "replicas": 3,
        "max_leader_epoch": 3,
        "max_metadata_offset": 2,
        "max_broker_epoch": 2,
        "max_controller_epoch": 1,
        "elr_index": 0,
        "reassignment_rounds": 0,
        "deletions": 1,
        "min_isr_changes": 1,
        "failovers": 1,
        "moves": 1,
    },
    rules=ClusterRules(min_insync_replicas=2),
    actions=[
        broker_registers,
        broker_registers_unfenced,
        controller_alters_partition,
        controller_creates_partition,
        controller_elects_uncleanly,
        controller_fences_broker,
        controller_is_replaced,
        controller_unfences_broker,
        leadership_is_moved,
        min_isr_is_lowered,
        min_isr_is_raised,
        reassignment_is_asked,
        reassignment_is_cancelled,
        reassignment_is_replaced,
        shutdown_is_asked,
        topic_deletion_is_asked,
        zombie_answers_alter_partition,
    ],
    stuttering=[
        broker_registers,
        controller_alters_partition,
        controller_is_replaced,
        reassignment_is_replaced,
        zombie_answers_alter_partition,
    ],
)
