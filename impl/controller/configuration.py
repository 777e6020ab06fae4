"""How the controller changes the configuration of the topic (KRaft era).

Part of Kafka modelled: `ConfigurationControlManager` (`maybeTriggerPartitionUpdateOnMinIsrChange`), and
`ReplicationControlManager.replay(ClearElrRecord)`, as far as `min.insync.replicas` goes.
Source: apache/kafka (commit 1eb7644349); KIP-966, KAFKA-16540, KAFKA-18649.
Left out, and why that is sound: all other settings, which no rule here reads.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.controller.partition_change import begin_change
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.metadata import min_insync_replicas
from kafkacheck.impl.rules import ClusterRules


def lower_min_insync_replicas(controller: Controller, rules: ClusterRules, bounds: Bounds) -> bool:
    """Lower min.insync.replicas by one; return whether that was possible.

    A replica is eligible because nothing is committed without min.insync.replicas members of the ISR. Fewer members may
    commit from now on, so no replica is eligible and no last leader is known until the ISR changes again.
    """
    metadata = controller.history[controller.offset]
    if metadata.is_min_isr_lowered != 0 or min_insync_replicas(metadata, rules) <= 1:
        return False
    begin_change(controller)
    controller.history[controller.offset].is_min_isr_lowered = 1
    clear_eligible(controller, rules, bounds)
    return True


def raise_min_insync_replicas(controller: Controller, rules: ClusterRules, bounds: Bounds) -> bool:
    """Raise min.insync.replicas by one, to the value that the rules give; return whether that was possible.

    A leader that has not heard of the change commits by the old value. With `raised_min_isr_changes_version` the
    partition epoch changes, too, so that an ISR change of such a leader fails and makes no replica eligible.
    """
    if controller.history[controller.offset].is_min_isr_lowered == 0:
        return False
    begin_change(controller)
    controller.history[controller.offset].is_min_isr_lowered = 0
    clear_eligible(controller, rules, bounds)
    if rules.raised_min_isr_changes_version:
        controller.history[controller.offset].partition_epoch = controller.offset
    return True


def clear_eligible(controller: Controller, rules: ClusterRules, bounds: Bounds) -> None:
    """Let no replica be eligible, and no last leader be known, because min.insync.replicas changes.

    Kafka's index of eligible replicas by broker keeps them. With `cleared_elr_leaves_index` they leave the index, too.
    """
    after = controller.history[controller.offset]
    if rules.min_isr_change_clears_elr:
        if after.elr != Ids() or controller.last_known_leader != NO_LEADER:
            after.partition_epoch = controller.offset
        if bounds.elr_index != 0 and not rules.cleared_elr_leaves_index:
            controller.stale_entries |= after.elr
        after.elr = Ids()
        controller.last_known_leader = NO_LEADER
