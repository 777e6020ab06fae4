"""How the controller makes a change: it writes the next version of its record and raises the epochs.

Part of Kafka modelled: `PartitionChangeBuilder` (KRaft), and the conditional writes of `KafkaController` (ZooKeeper
era).
Source: apache/kafka (commit 1eb7644349); KIP-966.
Left out, and why that is sound: `lastKnownElr` with more than one member, because no election reads it.
"""

from kafkacheck.checker.schema import cardinality, contains, copy, excluding, including
from kafkacheck.impl.constants import NO_LEADER, NO_OFFSET, Propagation
from kafkacheck.impl.messages.metadata import Metadata, min_insync_replicas
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def has_room(state: State) -> bool:
    """Whether the bounds leave one more change, and one more leader epoch for it."""
    controller = state.controller
    if controller.offset + 1 >= len(controller.history):
        return False
    return controller.history[controller.offset].leader_epoch + 1 < len(state.brokers[0].epoch_starts)


def clear_partition(metadata: Metadata) -> None:
    """Remove the partition from the record."""
    metadata.is_deleting = 0
    metadata.leader_epoch = 0
    metadata.leader = NO_LEADER
    metadata.told_epoch = 0
    metadata.partition_epoch = 0
    metadata.isr = 0
    metadata.elr = 0
    metadata.replicas = 0
    metadata.target = 0
    metadata.adding = 0
    metadata.is_recovering = False
    metadata.is_min_isr_lowered = 0


def begin_change(state: State) -> None:
    """Begin the next version of the record as a copy of the present one."""
    controller = state.controller
    before = controller.history[controller.offset]
    controller.offset += 1
    after = controller.history[controller.offset]
    copy(after, before)
    after.controller_epoch = controller.epoch


def resign_zombie(state: State) -> None:
    """Let the deposed controller notice that it is deposed; it does nothing more."""
    state.controller.zombie_offset = NO_OFFSET
    state.controller.zombie_deletes = 0


def set_isr(state: State, rules: ClusterRules, isr: int) -> None:
    """Record another ISR; below min.insync.replicas leaving members stay eligible, the leader known (KIP-966)."""
    metadata = state.controller.history[state.controller.offset]
    metadata.partition_epoch = state.controller.offset
    if rules.eligible_leader_replicas:
        eligible = (metadata.elr | metadata.isr) & ~isr
        if cardinality(isr) >= min_insync_replicas(metadata, rules):
            eligible = 0
        metadata.elr = eligible
    if isr == 0 and metadata.leader != NO_LEADER and rules.last_known_leader_is_elected:
        state.controller.last_known_leader = metadata.leader
    metadata.isr = isr


def without(isr: int, broker_id: int, rules: ClusterRules) -> int:
    """The ISR after a broker has failed: the last member stays, unless an empty ISR is allowed (KIP-966)."""
    remaining = excluding(isr, broker_id)
    if remaining == 0 and not rules.eligible_leader_replicas:
        return isr
    return remaining


def electable(isr: int, elr: int) -> int:
    """The candidates of a clean election: the ISR, or the eligible leader replicas if it is empty."""
    if isr != 0:
        return isr
    return elr


def set_leader(state: State, leader: int) -> None:
    """Record a leader, or none, under the next leader epoch; a leader from the ELR becomes the ISR."""
    metadata = state.controller.history[state.controller.offset]
    metadata.leader = leader
    metadata.leader_epoch += 1
    metadata.told_epoch = metadata.leader_epoch
    metadata.partition_epoch = state.controller.offset
    if leader != NO_LEADER:
        metadata.elr = excluding(metadata.elr, leader)
        metadata.isr = including(metadata.isr, leader)
        state.controller.last_known_leader = NO_LEADER


def set_uncleanly_elected(state: State, leader: int) -> None:
    """Record a leader that may lack committed records: it is alone in the ISR, and recovering (KIP-106, KIP-704)."""
    metadata = state.controller.history[state.controller.offset]
    metadata.isr = 0
    metadata.elr = 0
    metadata.is_recovering = True
    set_leader(state, leader)


def maybe_elect_last_known(state: State, rules: ClusterRules) -> None:
    """Within the begun change: elect the last known leader if no electable replica is left (KIP-966).

    The election is unclean: that replica lost records if its broker lost more than its process.
    """
    last_known = state.controller.last_known_leader
    metadata = state.controller.history[state.controller.offset]
    if last_known == NO_LEADER or metadata.isr | metadata.elr != 0:
        return
    if contains(metadata.active, last_known) or not rules.last_known_leader_is_active:
        set_uncleanly_elected(state, last_known)


def first_of(state: State, candidates: int) -> int:
    """The first of `candidates` in the assignment's order, which is that of their ids; `NO_LEADER` if it is empty."""
    first = NO_LEADER
    for broker_id in range(len(state.brokers)):
        if first == NO_LEADER and contains(candidates, broker_id):
            first = broker_id
    return first


def is_choice(state: State, rules: ClusterRules, candidates: int, new_leader: int) -> bool:
    """Whether an election among `candidates` can choose `new_leader`: the first, or nobody if there are none.

    An assignment can have any order, so any candidate can be the first, unless the rules fix the order.
    """
    if new_leader == NO_LEADER:
        return candidates == 0
    if rules.elections_follow_assignment and new_leader != first_of(state, candidates):
        return False
    return contains(candidates, new_leader)


def bump_for_brokers(state: State, rules: ClusterRules) -> None:
    """Give a change of ISR or replicas its own leader epoch, so that brokers of the ZooKeeper era obey it.

    By the old rule metadata responses keep the former epoch, because the leader is still the same (KAFKA-9212).
    """
    metadata = state.controller.history[state.controller.offset]
    if rules.propagation == Propagation.LEADER_AND_ISR:
        metadata.leader_epoch += 1
        if rules.metadata_has_new_epoch:
            metadata.told_epoch = metadata.leader_epoch
