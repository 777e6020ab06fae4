"""How a controller decides on an ISR change that a leader proposes.

Part of Kafka modelled: `ReplicationControlManager.alterPartition` with `validateAlterPartitionData`, and the same
request in `KafkaController`.
Source: apache/kafka (commit 1eb7644349); KIP-497, KIP-516, KIP-841, KIP-903, KIP-704, KAFKA-14154.
Left out, and why that is sound: an ISR outside the assignment, because leaders propose none.
"""

from kafkacheck.checker.schema import cardinality, contains
from kafkacheck.impl.broker.records import AlterPartition
from kafkacheck.impl.cluster import State
from kafkacheck.impl.constants import NO_EPOCH, NO_OFFSET, AlterPartitionError, Stage
from kafkacheck.impl.controller.partition_change import begin_change, has_room, set_isr
from kafkacheck.impl.controller.reassignment import maybe_complete_reassignment
from kafkacheck.impl.controller.records import Metadata
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.rules import ClusterRules


def is_member_eligible(change: AlterPartition, rules: ClusterRules, metadata: Metadata, member_id: int) -> bool:
    """Whether a broker may be in the ISR: it is active, and has not restarted since the leader knew it."""
    if rules.isr_excludes_inactive and not contains(metadata.active, member_id):
        return False
    if not rules.isr_names_broker_epochs or change.member_epochs[member_id] == NO_EPOCH:
        return True
    return change.member_epochs[member_id] == metadata.broker_epochs[member_id]


def has_ineligible(change: AlterPartition, rules: ClusterRules, metadata: Metadata) -> bool:
    """Whether a member of the ISR proposed may not be in it."""
    for member_id in range(len(change.member_epochs)):
        if contains(change.isr, member_id) and not is_member_eligible(change, rules, metadata, member_id):
            return True
    return False


def is_made_already(change: AlterPartition, rules: ClusterRules, metadata: Metadata, leader_id: int) -> bool:
    """Whether the record is what the change asks for. Without the epoch check an old record can look so."""
    if metadata.leader != leader_id or metadata.isr != change.isr or metadata.leader_epoch != change.leader_epoch:
        return False
    if change.ends_recovery and metadata.is_recovering:
        return False
    return metadata.partition_epoch == change.partition_epoch or not rules.repeated_change_checks_epoch


def is_of_other_topic(change: AlterPartition, rules: ClusterRules, metadata: Metadata) -> bool:
    """Whether the topic that the change is for is gone, although there is one of its name (UNKNOWN_TOPIC_ID)."""
    return rules.isr_change_names_topic_id and change.topic_id != metadata.topic_id


def refusal(change: AlterPartition, rules: ClusterRules, metadata: Metadata, leader_id: int) -> AlterPartitionError:
    """The error for a change whose epochs are not ahead of the record, or NONE.

    In Kafka's order: UNKNOWN_TOPIC_ID; FENCED_LEADER_EPOCH, or INVALID_REQUEST of a broker that does not lead;
    INVALID_UPDATE_VERSION of an older partition epoch; INVALID_REQUEST of a recovering leader that is not alone;
    INELIGIBLE_REPLICA. A leader does the same upon all but the last.
    """
    if is_of_other_topic(change, rules, metadata):
        return AlterPartitionError.FENCED
    if change.leader_epoch < metadata.leader_epoch or metadata.leader != leader_id:
        return AlterPartitionError.FENCED
    if change.partition_epoch < metadata.partition_epoch:
        return AlterPartitionError.FENCED
    if metadata.is_recovering and cardinality(change.isr) > 1 and rules.recovering_leader_stays_alone:
        return AlterPartitionError.FENCED
    if has_ineligible(change, rules, metadata):
        return AlterPartitionError.INELIGIBLE_REPLICA
    return AlterPartitionError.NONE


def answer_change(change: AlterPartition, metadata: Metadata, error: int) -> None:
    """Turn the request into an answer that reports this record."""
    change.stage = Stage.ANSWERED
    change.topic_id = 0
    change.broker_epoch = 0
    change.leader_epoch = NO_EPOCH
    change.partition_epoch = 0
    change.isr = 0
    change.ends_recovery = False
    for member_id in range(len(change.member_epochs)):
        change.member_epochs[member_id] = NO_EPOCH
    if error == AlterPartitionError.NONE:
        change.leader_epoch = metadata.leader_epoch
        change.partition_epoch = metadata.partition_epoch
        change.isr = metadata.isr
    elif error == AlterPartitionError.INELIGIBLE_REPLICA:
        change.error = AlterPartitionError.INELIGIBLE_REPLICA
    else:
        change.error = AlterPartitionError.FENCED


def is_ahead(change: AlterPartition, metadata: Metadata) -> bool:
    """Whether the leader knows more than this record: the controller behind it is not in office (NOT_CONTROLLER)."""
    return change.leader_epoch > metadata.leader_epoch or change.partition_epoch > metadata.partition_epoch


def controller_alters_partition(state: State, rules: ClusterRules, leader_id: ReplicaId) -> bool:
    """The controller receives a leader's ISR change, makes it or refuses it, and answers.

    Who: the controller in office.
    When: the request has arrived; a change is left.
    Effect: a sender that is not the registered broker (STALE_BROKER_EPOCH), not the leader, or of another topic or an
        older leader or partition epoch is refused. So is an ISR with a broker that is fenced, stopping or restarted
        since, and one that grows while the leader is recovering. Otherwise the ISR is recorded with the next partition
        epoch, and that the leader has recovered if it says so; the leader epoch stays.
    Source: ReplicationControlManager.alterPartition; KIP-497, KIP-841, KIP-903, KIP-704.
    """
    change = state.alter_partitions[leader_id]
    controller = state.controller
    if change.stage != Stage.REQUESTED:
        return False
    if not has_room(state):
        return False
    metadata = controller.history[controller.offset]
    error = refusal(change, rules, metadata, leader_id)
    if change.broker_epoch != metadata.broker_epochs[leader_id]:
        error = AlterPartitionError.FENCED
    if error == AlterPartitionError.NONE and not is_made_already(change, rules, metadata, leader_id):
        begin_change(state)
        set_isr(state, rules, change.isr)
        if change.ends_recovery:
            controller.history[controller.offset].is_recovering = False
        maybe_complete_reassignment(state, rules)
    answer_change(change, controller.history[controller.offset], error)
    return True


def zombie_answers_alter_partition(state: State, rules: ClusterRules, leader_id: ReplicaId) -> bool:
    """A controller that has lost its office without noticing receives a leader's ISR change.

    Who: the zombie controller; leaders can take it for the one in office.
    When: the request has arrived, and it can be answered without a new change, which the zombie cannot make.
    Effect: a change that is made already, by the zombie's old record, is answered so, and an invalid one is refused. To
        epochs above its own it gives no answer that counts: the leader asks again.
    Source: ReplicationControlManager.alterPartition, KafkaController; KAFKA-14154.
    """
    change = state.alter_partitions[leader_id]
    controller = state.controller
    if controller.zombie_offset == NO_OFFSET or change.stage != Stage.REQUESTED:
        return False
    metadata = controller.history[controller.zombie_offset]
    if not rules.repeated_change_checks_epoch and is_made_already(change, rules, metadata, leader_id):
        answer_change(change, metadata, AlterPartitionError.NONE)
        return True
    if is_ahead(change, metadata):
        return False
    error = refusal(change, rules, metadata, leader_id)
    if error == AlterPartitionError.NONE and not is_made_already(change, rules, metadata, leader_id):
        return False
    answer_change(change, metadata, error)
    return True
