"""How the controller moves the partition to other brokers.

Part of Kafka modelled: `PartitionReassignmentReplicas`, `ReplicationControlManager.alterPartitionReassignment` (KRaft);
`KafkaController.onPartitionReassignment` (ZooKeeper era).
Source: apache/kafka (commit 1eb7644349); KIP-455, KAFKA-15665.
Left out, and why that is sound: cancelling, which is a reassignment to the brokers of before.
"""

from checker.schema import contains
from impl.cluster import State
from impl.constants import NO_LEADER
from impl.controller.partition_change import (
    begin_change,
    bump_for_brokers,
    electable,
    first_of,
    has_room,
    set_isr,
    set_leader,
)
from impl.controller.records import Metadata
from impl.rules import ClusterRules


def is_complete(metadata: Metadata, rules: ClusterRules) -> bool:
    """Whether a reassignment can end: the whole target is in sync. By the old rule the added brokers suffice."""
    if metadata.isr & metadata.target == 0:
        return False
    if rules.reassignment_awaits_target:
        return metadata.target & ~metadata.isr == 0
    return metadata.adding & ~metadata.isr == 0


def maybe_complete_reassignment(state: State, rules: ClusterRules) -> bool:
    """Within the change that has begun: end the reassignment if it can end; whether it did.

    The brokers outside the target lose their replicas and leave the ISR. Where the leader was one of them, the first
    of the target leads that is in sync and active. The leader epoch grows, so that requests to them can be told from
    later ones.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.target == metadata.replicas and metadata.adding == 0:
        return False
    if not is_complete(metadata, rules):
        return False
    is_shrinking = metadata.replicas & ~metadata.target != 0
    metadata.replicas = metadata.target
    metadata.adding = 0
    set_isr(state, rules, metadata.isr & metadata.target)
    leader = metadata.leader
    if not contains(metadata.target, leader):
        leader = first_of(state, electable(metadata.isr, metadata.elr) & metadata.active)
    if is_shrinking:
        set_leader(state, leader)
    return True


def begin_reassignment(state: State, rules: ClusterRules, target: int) -> bool:
    """Begin to move the partition to the brokers of `target`; whether that was possible."""
    metadata = state.controller.history[state.controller.offset]
    if not has_room(state) or target == 0 or metadata.leader == NO_LEADER or target & metadata.active == 0:
        return False
    if metadata.target != metadata.replicas or target == metadata.replicas:
        return False
    begin_change(state)
    after = state.controller.history[state.controller.offset]
    after.adding = target & ~metadata.replicas
    after.replicas = metadata.replicas | target
    after.target = target
    after.partition_epoch = state.controller.offset
    if not maybe_complete_reassignment(state, rules):
        bump_for_brokers(state, rules)
    return True
