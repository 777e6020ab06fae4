"""How the controller moves the partition to other brokers.

Part of Kafka modelled: `PartitionReassignmentReplicas`, `ReplicationControlManager.alterPartitionReassignment` (KRaft);
`KafkaController.onPartitionReassignment` (ZooKeeper era).
Source: apache/kafka (commit 1eb7644349); KIP-455, KAFKA-15665, KAFKA-1097, KAFKA-9672, KAFKA-14808, KAFKA-19975.
Left out, and why that is sound: throttling, because it only delays fetches. **Not covered**: a request that comes while
the partition has no leader, in the ZooKeeper era; a cancellation that elects uncleanly.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.controller.partition_change import (
    begin_change,
    bump_for_brokers,
    electable,
    first_of,
    set_isr,
    set_leader,
)
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules


def is_reassigning(metadata: Metadata) -> bool:
    """Whether a reassignment is under way."""
    return metadata.target != metadata.replicas or metadata.adding != Ids()


def is_complete(metadata: Metadata, rules: ClusterRules) -> bool:
    """Whether a reassignment can end: the whole target is in sync. Before KAFKA-15665 the added brokers suffice.

    Since Kafka 4.3 the added brokers suffice if they are at least as many as the removed ones; they must be in sync in
    any case. A broker that is both added and removed never is; it is left from a reassignment that was replaced.
    """
    in_sync = metadata.isr & metadata.target
    if in_sync == Ids():
        return False
    if rules.reassignment_awaits_target and rules.grown_target_is_awaited:
        return metadata.target <= in_sync
    if not metadata.adding <= in_sync:
        return False
    is_growing = len(metadata.adding) >= len(metadata.replicas - metadata.target)
    return is_growing or not rules.reassignment_awaits_target or metadata.target <= in_sync


def take_off_assignment(metadata: Metadata) -> None:
    """Make the target of a reassignment the assignment."""
    metadata.replicas = metadata.target
    metadata.adding = Ids()


def make_round(controller: Controller, rules: ClusterRules, is_of_assignment: bool) -> None:
    """Make one of the two rounds that end a reassignment: shrink the assignment or the ISR."""
    metadata = controller.history[controller.offset]
    if is_of_assignment:
        take_off_assignment(metadata)
        metadata.partition_epoch = controller.offset
    else:
        set_isr(controller, rules, metadata.isr & metadata.target)


def end_reassignment(controller: Controller, rules: ClusterRules) -> bool:
    """Make the second of the two rounds that end a reassignment (ZooKeeper era).

    Who: the active controller.
    When: it has made the first round; a change is left.
    Effect: the ISR shrinks to the target, which the leader learned in the first round. Before KAFKA-1097 the ISR shrank
        in the first round, and the assignment shrinks now; in between, the leader may have let a replica back into the
        ISR. Nothing changes if the leader has already removed the replicas that had to leave.
    Source: KafkaController.onPartitionReassignment; KAFKA-1097, KAFKA-9672.
    """
    if controller.is_reassignment_ending == 0:
        return False
    controller.is_reassignment_ending = 0
    metadata = controller.history[controller.offset]
    if metadata.replicas == metadata.target and metadata.isr <= metadata.target:
        return True
    begin_change(controller)
    make_round(controller, rules, not rules.assignment_is_told_first)
    bump_for_brokers(controller.history[controller.offset], rules)
    return True


def maybe_complete_reassignment(controller: Controller, rules: ClusterRules, bounds: Bounds) -> bool:
    """Within the begun change: end the reassignment if it can end; return whether it did.

    The brokers outside the target lose their replicas and leave the ISR. If the leader is one of them, the first
    in-sync and active broker of the target leads. The leader epoch grows, so that requests to these brokers differ from
    later ones. If the end takes two rounds and a replica has to leave the ISR, this is the first round.
    """
    metadata = controller.history[controller.offset]
    if not is_reassigning(metadata):
        return False
    if controller.is_reassignment_ending == 1 or not is_complete(metadata, rules):
        return False
    is_shrinking = not metadata.replicas <= metadata.target
    isr = metadata.isr & metadata.target
    leader = metadata.leader
    if leader == NO_LEADER or leader not in metadata.target:
        leader = first_of(electable(isr, metadata.elr) & metadata.active)
    if bounds.reassignment_rounds == 0 or metadata.isr == isr:
        take_off_assignment(metadata)
        set_isr(controller, rules, isr)
    else:
        controller.is_reassignment_ending = bounds.reassignment_rounds
        make_round(controller, rules, rules.assignment_is_told_first)
    if is_shrinking:
        set_leader(controller, leader)
    return True


def is_refused_by_surprise(metadata: Metadata, target: Ids) -> bool:
    """Whether Kafka's controller fails at a reassignment of a partition that nobody leads (UNKNOWN_SERVER_ERROR).

    The controller looks up the directory of each electable broker in the target, and finds none if the broker has no
    replica now.
    """
    if metadata.leader != NO_LEADER:
        return False
    return electable(metadata.isr, metadata.elr) & metadata.active & target - metadata.replicas != Ids()


def added_by(metadata: Metadata, rules: ClusterRules, target: Ids) -> Ids:
    """The brokers that a reassignment to `target` adds, which may replace another one under way.

    If it adds none, Kafka keeps the brokers that the former one adds. With `replaced_reassignment_is_forgotten`,
    brokers that the former one adds do not count as replicas yet.
    """
    if rules.replaced_reassignment_is_forgotten:
        return target - (metadata.replicas - metadata.adding)
    adding = target - metadata.replicas
    return adding if adding != Ids() else metadata.adding


def removed_by(metadata: Metadata, rules: ClusterRules, target: Ids) -> Ids:
    """The brokers that a reassignment to `target` removes; if there are none, Kafka keeps those of the former one."""
    removing = metadata.replicas - target
    if removing != Ids() or rules.replaced_reassignment_is_forgotten:
        return removing
    return metadata.replicas - metadata.target


def has_effect(metadata: Metadata, rules: ClusterRules, target: Ids) -> bool:
    """Whether a reassignment to `target` changes anything, or lets the one under way end."""
    if not target <= metadata.replicas or added_by(metadata, rules, target) != metadata.adding:
        return True
    return removed_by(metadata, rules, target) != metadata.replicas - metadata.target or is_complete(metadata, rules)


def write_reassignment(controller: Controller, rules: ClusterRules, bounds: Bounds, target: Ids) -> None:
    """Make the change by which a reassignment begins; it may end at once."""
    before = controller.history[controller.offset]
    begin_change(controller)
    set_isr(controller, rules, before.isr)
    after = controller.history[controller.offset]
    after.adding = added_by(before, rules, target)
    after.replicas = before.replicas | target
    after.target = after.replicas - removed_by(before, rules, target)
    if not maybe_complete_reassignment(controller, rules, bounds):
        bump_for_brokers(after, rules)


def begin_reassignment(controller: Controller, rules: ClusterRules, bounds: Bounds, target: Ids) -> bool:
    """Begin to move the partition to the brokers of `target`; return whether that was possible."""
    metadata = controller.history[controller.offset]
    if target == Ids() or target & metadata.active == Ids():
        return False
    if metadata.leader == NO_LEADER and (rules.propagation != Propagation.METADATA_LOG or metadata.replicas == Ids()):
        return False
    if is_reassigning(metadata) or target == metadata.replicas or is_refused_by_surprise(metadata, target):
        return False
    if controller.is_reassignment_ending == 1:
        return False
    write_reassignment(controller, rules, bounds, target)
    return True


def replace_reassignment(controller: Controller, rules: ClusterRules, bounds: Bounds, target: Ids) -> bool:
    """Move the partition to `target` instead of the target of the reassignment under way; whether that was possible.

    The request is accepted even if nothing changes by it (KRaft era).
    """
    metadata = controller.history[controller.offset]
    if target == Ids() or target & metadata.active == Ids() or not is_reassigning(metadata):
        return False
    if rules.propagation != Propagation.METADATA_LOG or is_refused_by_surprise(metadata, target):
        return False
    if has_effect(metadata, rules, target):
        write_reassignment(controller, rules, bounds, target)
    return True


def redirect_reassignment(controller: Controller, rules: ClusterRules, bounds: Bounds, target: Ids) -> bool:
    """Move the partition to `target` instead of the target of the reassignment under way; whether that was possible.

    To cancel, an operator names the replicas from before. A replica that the former reassignment has added, and that is
    not in `target`, leaves assignment and ISR at once. If it led, nobody leads then: before KAFKA-14808 that was not
    refused, and nobody was elected (ZooKeeper era).
    """
    before = controller.history[controller.offset]
    if target == Ids() or target & before.active == Ids() or not is_reassigning(before):
        return False
    if rules.propagation != Propagation.LEADER_AND_ISR or before.leader == NO_LEADER or before.is_deleting != 0:
        return False
    unneeded = before.adding - target
    was_leader = before.leader in unneeded
    if controller.is_reassignment_ending == 1 or (was_leader and rules.leader_is_not_removed_unasked):
        return False
    if target == before.target:
        return False
    begin_change(controller)
    isr = before.isr - unneeded
    set_isr(controller, rules, isr if isr != Ids() else before.isr)
    after = controller.history[controller.offset]
    after.adding = target - (before.replicas - before.adding)
    after.replicas = (before.replicas - before.adding) | target
    after.target = target
    if was_leader:
        set_leader(controller, NO_LEADER)
    else:
        maybe_complete_reassignment(controller, rules, bounds)
    if after.leader_epoch == before.leader_epoch:
        bump_for_brokers(after, rules)
    return True


def cancel_reassignment(controller: Controller, rules: ClusterRules) -> bool:
    """Take back the reassignment under way; whether that was possible (KRaft era).

    The partition has the replicas from before again, and those that were added leave the ISR. That is refused if nobody
    else is in the ISR. If an added replica led, the first in-sync and active one of the others leads. As whenever
    replicas leave, the leader epoch grows.
    """
    before = controller.history[controller.offset]
    isr = before.isr - before.adding
    if rules.propagation != Propagation.METADATA_LOG or not is_reassigning(before) or isr == Ids():
        return False
    begin_change(controller)
    set_isr(controller, rules, isr)
    after = controller.history[controller.offset]
    after.replicas = before.replicas - before.adding
    after.target = after.replicas
    after.adding = Ids()
    if before.adding != Ids():
        leader = before.leader
        if leader == NO_LEADER or leader not in isr & before.active:
            leader = first_of(isr & before.active)
        set_leader(controller, leader)
    return True
