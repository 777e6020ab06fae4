"""How the controller makes a change: it writes the next version of its record and raises the epochs.

Part of Kafka modelled: `PartitionChangeBuilder` (KRaft), and the conditional writes of `KafkaController` (ZooKeeper
era).
Source: apache/kafka (commit 1eb7644349); KIP-966.
Left out, and why that is sound: `lastKnownElr` with more than one member, because no election reads it.
"""

from kafkacheck.checker.schema import Ids, copy
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.impl.messages.metadata import Metadata, min_insync_replicas
from kafkacheck.impl.rules import ClusterRules


def begin_change(controller: Controller) -> None:
    """Begin the next version of the record as a copy of the present one."""
    before = controller.history[controller.offset]
    controller.offset += 1
    copy(controller.history[controller.offset], before)
    controller.history[controller.offset].controller_epoch = controller.epoch


def resign_zombie(controller: Controller) -> None:
    """Let the deposed controller notice that it is deposed; it does nothing more."""
    controller.zombie_offset = NO_OFFSET
    controller.zombie_deletes = 0


def enough_replicas(metadata: Metadata, rules: ClusterRules) -> int:
    """How many members of the ISR are enough to commit: min.insync.replicas, or all replicas if there are fewer."""
    return min(min_insync_replicas(metadata, rules), len(metadata.replicas))


def set_isr(controller: Controller, rules: ClusterRules, isr: Ids) -> None:
    """Record another ISR; if it is too small to commit, the members that leave it stay eligible (KIP-966).

    `enough_replicas` of the former record gives the needed size. If the ISR becomes empty, the last leader is noted. In
    Kafka members that lose their replica stay eligible, too; `eligible_replicas_are_assigned` ends that.
    """
    metadata = controller.history[controller.offset]
    before = controller.history[controller.offset - 1]
    metadata.partition_epoch = controller.offset
    if rules.eligible_leader_replicas:
        metadata.elr = (before.elr | before.isr) - isr
        if rules.eligible_replicas_are_assigned:
            metadata.elr &= metadata.replicas
        if len(isr) >= enough_replicas(before, rules):
            metadata.elr = Ids()
        if isr == Ids() and metadata.leader != NO_LEADER and rules.last_known_leader_is_elected:
            controller.last_known_leader = metadata.leader
    metadata.isr = isr


def without(isr: Ids, broker_id: int, rules: ClusterRules) -> Ids:
    """The ISR after a broker has failed: the last member stays, unless an empty ISR is allowed (KIP-966)."""
    remaining = isr - {broker_id}
    return isr if remaining == Ids() and not rules.eligible_leader_replicas else remaining


def electable(isr: Ids, elr: Ids) -> Ids:
    """The candidates of a clean election: the ISR, or the eligible leader replicas if it is empty."""
    return isr if isr != Ids() else elr


def set_leader(controller: Controller, leader: int) -> None:
    """Record a leader, or none, under the next leader epoch; a leader from the ELR joins the empty ISR."""
    metadata = controller.history[controller.offset]
    metadata.leader = leader
    metadata.leader_epoch += 1
    metadata.told_epoch = metadata.leader_epoch
    metadata.partition_epoch = controller.offset
    if leader != NO_LEADER:
        metadata.elr -= {leader}
        metadata.isr |= {leader}
        controller.last_known_leader = NO_LEADER


def set_uncleanly_elected(controller: Controller, leader: int) -> None:
    """Record a leader that may lack committed records: it is alone in the ISR, and recovering (KIP-106, KIP-704)."""
    metadata = controller.history[controller.offset]
    metadata.isr = Ids()
    metadata.elr = Ids()
    metadata.is_recovering = True
    set_leader(controller, leader)


def maybe_elect_last_known(controller: Controller, rules: ClusterRules) -> None:
    """Within the begun change: elect the last known leader if no electable replica is left (KIP-966).

    The election is unclean, because that replica may have lost records by a power loss or with its disk.
    """
    last_known = controller.last_known_leader
    metadata = controller.history[controller.offset]
    if last_known == NO_LEADER or metadata.isr | metadata.elr != Ids():
        return
    if last_known in metadata.active or not rules.last_known_leader_is_active:
        set_uncleanly_elected(controller, last_known)


def first_of(candidates: Ids) -> int:
    """The first of `candidates` in the order of the assignment, which is that of ids; `NO_LEADER` if there are none."""
    for broker_id in candidates:
        return broker_id
    return NO_LEADER


def is_choice(rules: ClusterRules, candidates: Ids, new_leader: int) -> bool:
    """Whether an election among `candidates` can choose `new_leader`: the first, or nobody if there are none.

    An assignment can have any order, so any candidate can be the first, unless the rules fix the order.
    """
    if new_leader == NO_LEADER:
        return candidates == Ids()
    if rules.elections_follow_assignment and new_leader != first_of(candidates):
        return False
    return new_leader in candidates


def bump_for_brokers(metadata: Metadata, rules: ClusterRules) -> None:
    """Give a change of ISR or replicas its own leader epoch, so that brokers of the ZooKeeper era obey it.

    Before KAFKA-9212 metadata responses keep the former epoch, because the leader is still the same.
    """
    if rules.propagation == Propagation.LEADER_AND_ISR:
        metadata.leader_epoch += 1
        if rules.metadata_has_new_epoch:
            metadata.told_epoch = metadata.leader_epoch
