"""Lemmas that prove for all states that the leader waits for every broker that the controller may elect.

Every action of a model that lists these lemmas preserves each of them. The action may begin in any well-typed state,
reachable or not, in which these lemmas and those of `spec/cluster/lemmas.py` hold. Each lemma also holds in every
reachable state (`check --lemmas`).

Part of Kafka judged: AlterPartition between leaders and controllers, by their records only.
Source: this project's, after KIP-497 and KIP-841.
Left out, and why that is sound: reassignments and lost answers, because models with them do not list these lemmas. A
fact that no lemma states cannot make another lemma true.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.enums import AlterPartitionError, Propagation, Stage
from kafkacheck.impl.ids import NO_EPOCH
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster.lemmas import is_readable


def registered_broker_epochs(state: State) -> bool:
    """The newest change has every broker's epoch; no older change and no AlterPartition request has a later one.

    Why: a broker gets its epoch when it registers.
    Source: ClusterControlManager.registerBroker; KIP-631.
    """
    controller = state.controller
    for broker_id in range(len(state.brokers)):
        broker_epoch = state.brokers[broker_id].broker_epoch
        if controller.history[controller.offset].broker_epochs[broker_id] != broker_epoch:
            return False
        if state.alter_partitions[broker_id].broker_epoch > broker_epoch:
            return False
        for offset in range(len(controller.history)):
            if offset <= controller.offset and controller.history[offset].broker_epochs[broker_id] > broker_epoch:
                return False
    return controller.zombie_offset <= controller.offset


def all_brokers_are_assigned(state: State, rules: ClusterRules) -> bool:
    """In every change that can still be read, the partition is assigned to all brokers.

    Why: these models have no reassignment.
    Source: PartitionRegistration.
    """
    for offset in range(len(state.controller.history)):
        if is_readable(state, rules, offset):
            metadata = state.controller.history[offset]
            if metadata.adding != Ids() or metadata.target != metadata.replicas:
                return False
            if metadata.replicas != Ids(range(len(state.brokers))):
                return False
    return True


def counted_versions(state: State, rules: ClusterRules) -> bool:
    """Among changes that can still be read, ISR, leader and leader epoch change only with the partition epoch.

    Why: the partition epoch is the offset of the newest such change.
    Source: PartitionChangeBuilder; the partition epoch of KIP-497.
    """
    for offset, after in enumerate(state.controller.history):
        if is_readable(state, rules, offset) and after.partition_epoch > offset:
            return False
        if offset > 0 and is_readable(state, rules, offset - 1) and offset <= state.controller.offset:
            before = state.controller.history[offset - 1]
            if after.partition_epoch == before.partition_epoch:
                if after.isr != before.isr or after.leader_epoch != before.leader_epoch:
                    return False
            elif after.partition_epoch != offset:
                return False
    return True


def adopted_versions(state: State, rules: ClusterRules) -> bool:
    """A broker has the ISR of its partition epoch, which is neither below its metadata's nor above the newest one.

    Why: it adopts both together, from the metadata or, as leader, from the controller's answer.
    Source: Partition.makeLeader, makeFollower, handleAlterPartitionUpdate.
    """
    newest = state.controller.history[state.controller.offset]
    for broker in state.brokers:
        if broker.is_running and broker.leader_epoch != NO_EPOCH:
            if broker.partition_epoch < state.controller.history[broker.metadata_offset].partition_epoch:
                return False
            if broker.partition_epoch > newest.partition_epoch:
                return False
            for offset, metadata in enumerate(state.controller.history):
                if is_readable(state, rules, offset) and metadata.partition_epoch == broker.partition_epoch:
                    if broker.isr != metadata.isr or broker.leader_epoch != metadata.leader_epoch:
                        return False
    return True


def is_current(broker: Broker, change: AlterPartition) -> bool:
    """Whether a request has the broker epoch, leader epoch and partition epoch that the broker has now."""
    if change.broker_epoch != broker.broker_epoch or change.leader_epoch != broker.leader_epoch:
        return False
    return change.partition_epoch == broker.partition_epoch


def is_behind(broker: Broker, change: AlterPartition) -> bool:
    """Whether a request has an earlier broker epoch, leader epoch or partition epoch than the broker."""
    if change.broker_epoch != broker.broker_epoch:
        return change.broker_epoch < broker.broker_epoch
    if change.leader_epoch != broker.leader_epoch:
        return change.leader_epoch < broker.leader_epoch
    return change.partition_epoch < broker.partition_epoch


def requested_changes_are_pending(state: State) -> bool:
    """An AlterPartition request has its leader's pending ISR; or it is older than the leader, and none is pending.

    Why: a leader keeps its proposal until it has something newer, and makes one proposal at a time.
    Source: Partition.submitAlterPartition, PendingPartitionChange; KIP-497.
    """
    newest = state.controller.history[state.controller.offset]
    for leader_id, leader in enumerate(state.brokers):
        change = state.alter_partitions[leader_id]
        if change.stage != Stage.ANSWERED and change.error != AlterPartitionError.NONE:
            return False
        if change.stage == Stage.REQUESTED:
            if change.leader_epoch > newest.leader_epoch or change.partition_epoch > newest.partition_epoch:
                return False
            if leader.is_running and is_current(leader, change):
                if leader.leader == leader_id and leader.pending_isr != change.isr:
                    return False
            elif leader.pending_isr != Ids() or (leader.is_running and not is_behind(leader, change)):
                return False
    return True


def is_to_come(state: State, rules: ClusterRules, broker_id: int, offset: int) -> bool:
    """Whether a broker may still learn of the controller's change at `offset`, as far as its broker epoch tells."""
    if offset > state.controller.offset:
        return False
    broker = state.brokers[broker_id]
    if rules.propagation == Propagation.METADATA_LOG:
        return offset > broker.metadata_offset
    metadata = state.controller.history[offset]
    return metadata.broker_epochs[broker_id] == broker.broker_epoch and metadata.leader_epoch > broker.leader_epoch


def newer_isrs_only_shrink(state: State, rules: ClusterRules) -> bool:
    """The leader of the newest epoch has yet to learn only of ISR changes that remove members.

    Why: within a leader epoch only the leader can add a member.
    Source: ReplicationControlManager.alterPartition; KIP-497.
    """
    newest = state.controller.history[state.controller.offset]
    return all(
        newest.isr <= metadata.isr
        for leader_id, leader in enumerate(state.brokers)
        if newest.leader == leader_id and leader.is_running
        for offset, metadata in enumerate(state.controller.history)
        if is_to_come(state, rules, leader_id, offset) and metadata.leader_epoch == newest.leader_epoch
        if metadata.partition_epoch > (leader.partition_epoch if leader.leader_epoch == newest.leader_epoch else -1)
    )


def answers_tell_versions(state: State, rules: ClusterRules) -> bool:
    """An AlterPartition answer without an error reports a recorded version, with its ISR and leader epoch.

    Why: it reports the controller's record at the time of the answer.
    Source: ReplicationControlManager.alterPartition.
    """
    for leader_id in range(len(state.brokers)):
        change = state.alter_partitions[leader_id]
        if change.stage == Stage.ANSWERED and change.error == AlterPartitionError.NONE:
            if change.partition_epoch > state.controller.history[state.controller.offset].partition_epoch:
                return False
            for offset, metadata in enumerate(state.controller.history):
                if is_readable(state, rules, offset) and metadata.partition_epoch == change.partition_epoch:
                    if change.isr != metadata.isr or change.leader_epoch != metadata.leader_epoch:
                        return False
    return True


def answered_changes_cover_isr(state: State) -> bool:
    """Once it has used an answer, the leader of the newest epoch still waits for every member of the ISR.

    Why: the answer reports the ISR of its time, and members have only left since. If a member is refused, members have
    only left since the leader learned of its ISR.
    Source: ReplicationControlManager.alterPartition; Partition.handleAlterPartitionUpdate, handleAlterPartitionError.
    """
    newest = state.controller.history[state.controller.offset]
    for leader_id, leader in enumerate(state.brokers):
        change = state.alter_partitions[leader_id]
        is_in_office = newest.leader == leader_id and leader.leader == leader_id
        if is_in_office and leader.leader_epoch == newest.leader_epoch and change.stage == Stage.ANSWERED:
            is_refused = change.error == AlterPartitionError.INELIGIBLE_REPLICA and leader.pending_isr != Ids()
            if is_refused and not newest.isr <= leader.isr:
                return False
            is_newer = change.leader_epoch == leader.leader_epoch and change.partition_epoch >= leader.partition_epoch
            if change.error == AlterPartitionError.NONE and is_newer and not newest.isr <= change.isr:
                return False
    return True


def leader_waits_for_isr(state: State) -> bool:
    """The leader of the newest epoch waits for every member of the ISR; an unanswered change is not recorded yet.

    Why: a change is pending until it is answered, the controller records it and answers in one step, and the models
    that list this lemma lose no answer.
    Source: Partition.submitAlterPartition; KIP-497 (the maximal ISR).
    """
    newest = state.controller.history[state.controller.offset]
    for leader_id, leader in enumerate(state.brokers):
        change = state.alter_partitions[leader_id]
        is_in_office = newest.leader == leader_id and leader.leader == leader_id
        if is_in_office and leader.leader_epoch == newest.leader_epoch:
            if not newest.isr <= leader.isr | leader.pending_isr:
                return False
            is_under_way = change.stage == Stage.REQUESTED and is_current(leader, change)
            if is_under_way and not newest.isr <= leader.isr:
                return False
    return True
