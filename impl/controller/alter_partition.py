"""How a controller decides on an ISR change that a leader proposes.

Part of Kafka modelled: `ReplicationControlManager.alterPartition` with `validateAlterPartitionData`, and the same
request in `KafkaController`.
Source: apache/kafka (commit 1eb7644349); KIP-497, KIP-516, KIP-841, KIP-903, KIP-704, KAFKA-14154.
Left out, and why that is sound: an ISR outside the assignment, because leaders propose none.
"""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.controller.partition_change import begin_change, enough_replicas, set_isr
from kafkacheck.impl.controller.reassignment import is_complete, is_reassigning, maybe_complete_reassignment
from kafkacheck.impl.controller.records import Controller
from kafkacheck.impl.enums import AlterPartitionError, Propagation, Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules


def is_member_eligible(change: AlterPartition, rules: ClusterRules, metadata: Metadata, member_id: int) -> bool:
    """Whether a broker may be in the ISR: it is active, and has the broker epoch that the leader knows."""
    if rules.isr_excludes_inactive and member_id not in metadata.active:
        return False
    if not rules.isr_names_broker_epochs or change.member_epochs[member_id] == NO_EPOCH:
        return True
    return change.member_epochs[member_id] == metadata.broker_epochs[member_id]


def has_ineligible(change: AlterPartition, rules: ClusterRules, metadata: Metadata) -> bool:
    """Whether the proposed ISR has an ineligible member."""
    return any(not is_member_eligible(change, rules, metadata, member_id) for member_id in change.isr)


def is_made_already(change: AlterPartition, rules: ClusterRules, metadata: Metadata, leader_id: int) -> bool:
    """Whether the record already has the requested change; without the epoch check, an old record can seem to have it.

    A change is still to be made in two cases. After the partition has lost replicas, some can be eligible although the
    ISR is large enough. After an election, a reassignment may be able to end.
    """
    if metadata.leader != leader_id or metadata.isr != change.isr or metadata.leader_epoch != change.leader_epoch:
        return False
    if change.ends_recovery and metadata.is_recovering:
        return False
    if metadata.elr != Ids() and len(metadata.isr) >= enough_replicas(metadata, rules):
        return False
    if rules.propagation == Propagation.METADATA_LOG and is_reassigning(metadata) and is_complete(metadata, rules):
        return False
    return metadata.partition_epoch == change.partition_epoch or not rules.repeated_change_checks_epoch


def refusal(change: AlterPartition, rules: ClusterRules, metadata: Metadata, leader_id: int) -> AlterPartitionError:
    """The error for a change whose epochs are not ahead of the record, or NONE.

    The checks are in Kafka's order: UNKNOWN_TOPIC_ID; FENCED_LEADER_EPOCH, or INVALID_REQUEST if the broker does not
    lead; INVALID_UPDATE_VERSION for an older partition epoch; INVALID_REQUEST if a recovering leader is not alone in
    the ISR; INELIGIBLE_REPLICA. A leader reacts to all but the last in the same way.
    """
    if rules.isr_change_names_topic_id and change.topic_id != metadata.topic_id:
        return AlterPartitionError.FENCED
    if change.leader_epoch < metadata.leader_epoch or metadata.leader != leader_id:
        return AlterPartitionError.FENCED
    if change.partition_epoch < metadata.partition_epoch:
        return AlterPartitionError.FENCED
    is_recovering = metadata.is_recovering and not change.ends_recovery
    if is_recovering and len(change.isr) > 1 and rules.recovering_leader_stays_alone:
        return AlterPartitionError.FENCED
    if has_ineligible(change, rules, metadata):
        return AlterPartitionError.INELIGIBLE_REPLICA
    return AlterPartitionError.NONE


def answer_change(change: AlterPartition, metadata: Metadata, error: AlterPartitionError) -> None:
    """Turn the request into an answer that reports this record, or the error."""
    clear(change)
    change.stage = Stage.ANSWERED
    change.error = error
    if error == AlterPartitionError.NONE:
        change.leader_epoch = metadata.leader_epoch
        change.partition_epoch = metadata.partition_epoch
        change.isr = metadata.isr


def is_ahead(change: AlterPartition, metadata: Metadata) -> bool:
    """Whether the leader's epochs are newer than this record, so that its controller is deposed (NOT_CONTROLLER)."""
    return change.leader_epoch > metadata.leader_epoch or change.partition_epoch > metadata.partition_epoch


def alter_partition(
    controller: Controller, rules: ClusterRules, bounds: Bounds, change: AlterPartition, leader_id: int
) -> bool:
    """Receive a leader's ISR change, make or refuse it, and answer.

    Who: the active controller.
    When: the request has arrived.
    Effect: the change is refused if the sender is not the registered broker (STALE_BROKER_EPOCH) or not the leader, or
        if the change is for another topic or has an older leader epoch or partition epoch. An ISR is also refused if a
        member is fenced, stopping or restarted since, or if it grows while the leader is recovering and does not say
        that it has recovered. Otherwise the ISR is recorded with the next partition epoch, and the leader epoch stays.
        If the leader says that it has recovered, that is recorded, too. If the change ends a reassignment, another
        broker may become the leader; in the KRaft era the answer is then an error (NEW_LEADER_ELECTED).
    Source: ReplicationControlManager.alterPartition; KIP-497, KIP-841, KIP-903, KIP-704.
    """
    if change.stage != Stage.REQUESTED:
        return False
    metadata = controller.history[controller.offset]
    error = refusal(change, rules, metadata, leader_id)
    if change.broker_epoch != metadata.broker_epochs[leader_id]:
        error = AlterPartitionError.FENCED
    if error == AlterPartitionError.NONE and not is_made_already(change, rules, metadata, leader_id):
        begin_change(controller)
        set_isr(controller, rules, change.isr)
        if change.ends_recovery:
            controller.history[controller.offset].is_recovering = False
        maybe_complete_reassignment(controller, rules, bounds)
        is_led_by_another = controller.history[controller.offset].leader != leader_id
        if is_led_by_another and rules.propagation == Propagation.METADATA_LOG:
            error = AlterPartitionError.FENCED
    answer_change(change, controller.history[controller.offset], error)
    return True


def alter_partition_as_zombie(
    controller: Controller, rules: ClusterRules, change: AlterPartition, leader_id: int
) -> bool:
    """Receive a leader's ISR change without knowing that the controller is deposed.

    Who: the zombie controller; leaders can take it for the active one.
    When: the request has arrived, and the answer needs no new change, because the zombie cannot make one.
    Effect: if the zombie's old record already has the change, it answers without an error; it refuses an invalid
        change. If the request has newer epochs than the zombie, or a broker epoch that the zombie does not know, the
        answer does not count: the leader asks again (NOT_CONTROLLER, STALE_BROKER_EPOCH).
    Source: ReplicationControlManager.alterPartition, KafkaController; KAFKA-14154.
    """
    if controller.zombie_offset == NO_OFFSET or change.stage != Stage.REQUESTED:
        return False
    metadata = controller.history[controller.zombie_offset]
    is_made = is_made_already(change, rules, metadata, leader_id)
    if is_made and not rules.repeated_change_checks_epoch:
        answer_change(change, metadata, AlterPartitionError.NONE)
        return True
    if is_ahead(change, metadata) or change.broker_epoch != metadata.broker_epochs[leader_id]:
        return False
    error = refusal(change, rules, metadata, leader_id)
    if error == AlterPartitionError.NONE and not is_made:
        return False
    answer_change(change, metadata, error)
    return True
