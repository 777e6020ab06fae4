"""The leader's changes of the ISR: it proposes them to the controller and waits for the answer.

Part of Kafka modelled: `Partition` (`maybeShrinkIsr`, `maybeExpandIsr`, `isReplicaIsrEligible`, `submitAlterPartition`,
`handleAlterPartitionUpdate`, `handleAlterPartitionError`, `PendingExpandIsr`, `PendingShrinkIsr`).
Source: apache/kafka (commit 1eb7644349); KIP-497, KIP-841, KIP-903, KAFKA-7128, KAFKA-15221.
Left out, and why that is sound: `replica.lag.time.max.ms`: a follower that is not at the leader's end may be found
lagging at once, later or never. An expansion is proposed at any time while its condition holds; Kafka looks after each
fetch of that follower.
"""

from kafkacheck.checker.schema import clear, contains, excluding, including
from kafkacheck.impl.broker.leader import is_leading, raise_high_watermark
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.constants import NO_EPOCH, NO_OFFSET, AlterPartitionError, Propagation, Stage
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def can_propose(state: State, leader_id: int) -> bool:
    """Whether a leader may propose a change: it leads, and no other change is in flight."""
    if not is_leading(state, leader_id):
        return False
    if state.brokers[leader_id].pending_isr != 0:
        return False
    return state.alter_partitions[leader_id].stage == Stage.IDLE


def propose_isr(state: State, leader_id: int, isr: int) -> None:
    """Send the change, with the broker epochs from the members' fetches."""
    leader = state.brokers[leader_id]
    change = state.alter_partitions[leader_id]
    leader.pending_isr = isr
    change.stage = Stage.REQUESTED
    change.topic_id = leader.topic_id
    change.broker_epoch = leader.broker_epoch
    change.leader_epoch = leader.leader_epoch
    change.partition_epoch = leader.partition_epoch
    change.isr = isr
    for member_id in range(len(leader.followers)):
        if contains(isr, member_id):
            change.member_epochs[member_id] = leader.followers[member_id].broker_epoch
    change.member_epochs[leader_id] = leader.broker_epoch


def leader_proposes_shrink(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader proposes an ISR without a follower that lags.

    Who: a leader, which may have been deposed.
    When: the follower is in the ISR and, as far as the leader knows, has not reached the end of the leader's log; no
        change is pending.
    Effect: the request is sent. Until the answer comes, the follower still counts.
    Source: Partition.maybeShrinkIsr, prepareIsrShrink; KIP-497.
    Left out: several followers at once, which is several changes here.
    """
    leader = state.brokers[leader_id]
    if not can_propose(state, leader_id):
        return False
    if follower_id == leader_id or not contains(leader.isr, follower_id):
        return False
    if leader.followers[follower_id].end_offset == leader.log.end_offset:
        return False
    isr = excluding(leader.isr, follower_id)
    propose_isr(state, leader_id, isr)
    if not rules.shrink_awaits_controller:
        leader.isr = isr
        leader.pending_isr = 0
        raise_high_watermark(state, rules, leader_id)
    return True


def is_eligible(state: State, rules: ClusterRules, leader_id: int, follower_id: int, broker_epoch: int) -> bool:
    """Whether a follower that fetched with `broker_epoch` may join the ISR, as far as this leader's metadata tells.

    A leader of the ZooKeeper era learns the live brokers from UpdateMetadata, which may be arbitrarily late, so it may
    take any follower that has fetched for alive; the controller checks again.
    """
    if rules.propagation == Propagation.LEADER_AND_ISR:
        return True
    metadata = state.controller.history[state.brokers[leader_id].metadata_offset]
    if rules.isr_excludes_inactive and not contains(metadata.active, follower_id):
        return False
    return broker_epoch == metadata.broker_epochs[follower_id] or not rules.isr_names_broker_epochs


def is_caught_up(leader: Broker, rules: ClusterRules, follower_id: int) -> bool:
    """Whether a follower has reached the high watermark, and the start of the leader's epoch (KAFKA-7128)."""
    end_offset = leader.followers[follower_id].end_offset
    if end_offset == NO_OFFSET or end_offset < leader.high_watermark:
        return False
    return end_offset >= leader.leader_epoch_start_offset or not rules.expansion_awaits_epoch_start


def is_recovering(state: State, leader_id: int) -> bool:
    """Whether a leader was elected uncleanly and has not recovered, as far as its metadata tells (KIP-704)."""
    return state.controller.history[state.brokers[leader_id].metadata_offset].is_recovering


def is_assigned(state: State, leader_id: int, follower_id: int) -> bool:
    """Whether the partition is assigned to a follower, as far as this leader knows."""
    return contains(state.controller.history[state.brokers[leader_id].metadata_offset].replicas, follower_id)


def is_joining(state: State, rules: ClusterRules, leader_id: int, follower_id: int) -> bool:
    """Whether a leader may propose to add this follower, if the follower is caught up."""
    if not can_propose(state, leader_id):
        return False
    if is_recovering(state, leader_id) and rules.recovering_leader_stays_alone:
        return False
    if not is_assigned(state, leader_id, follower_id):
        return False
    return follower_id != leader_id and not contains(state.brokers[leader_id].isr, follower_id)


def leader_proposes_expansion(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader proposes an ISR with a follower that has caught up.

    Who: a leader, which may have been deposed.
    When: the follower is not in the ISR, is eligible, and has fetched in this epoch from an offset at or above the high
        watermark and the start of the epoch; no change is pending.
    Effect: the request is sent. From now on the high watermark waits for the follower.
    Source: Partition.maybeExpandIsr, prepareIsrExpand; KIP-497, KAFKA-7128, KIP-841, KIP-903.
    """
    leader = state.brokers[leader_id]
    if not is_joining(state, rules, leader_id, follower_id):
        return False
    if not is_caught_up(leader, rules, follower_id):
        return False
    if not is_eligible(state, rules, leader_id, follower_id, leader.followers[follower_id].broker_epoch):
        return False
    propose_isr(state, leader_id, including(leader.isr, follower_id))
    return True


def leader_ends_recovery(state: State, leader_id: ReplicaId) -> bool:
    """A leader that was elected uncleanly declares that it has recovered, so that its ISR may grow.

    Who: a leader, which may have been deposed.
    When: its metadata says that it is recovering; no change is pending.
    Effect: the request is sent, with the ISR as it is.
    Source: Partition.makeLeader (LeaderRecoveryState.RECOVERED), AlterPartition; KIP-704.
    Left out: the recovery itself, for which Kafka does nothing yet. Kafka declares it with the leader's next change of
        the ISR, which here is this one.
    """
    leader = state.brokers[leader_id]
    if not can_propose(state, leader_id):
        return False
    if not is_recovering(state, leader_id):
        return False
    propose_isr(state, leader_id, leader.isr)
    state.alter_partitions[leader_id].ends_recovery = True
    return True


def leader_finds_caught_up(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader finds a follower caught up: the first of the two steps of an expansion, if it takes two.

    Who: a leader.
    When: as in `leader_proposes_expansion`, except for eligibility.
    Effect: the leader notes it, with the broker epoch of the fetch that showed it.
    Source: Partition.canAddReplicaToIsr; KAFKA-15221.
    """
    leader = state.brokers[leader_id]
    if not is_joining(state, rules, leader_id, follower_id):
        return False
    follower = leader.followers[follower_id]
    if follower.is_caught_up or not is_caught_up(leader, rules, follower_id):
        return False
    follower.is_caught_up = True
    follower.caught_up_broker_epoch = follower.broker_epoch
    return True


def leader_proposes_caught_up(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader proposes a follower that it has found caught up: the second of two steps.

    Who: a leader.
    When: the follower was found caught up. With one snapshot, the broker epoch checked is that of the fetch that showed
        it, and no fetch with a newer broker epoch may have come.
    Effect: the request is sent if the follower is eligible; the leader forgets its note.
    Source: Partition.isReplicaIsrEligible, submitAlterPartition; KAFKA-15221.
    """
    leader = state.brokers[leader_id]
    follower = leader.followers[follower_id]
    if not is_joining(state, rules, leader_id, follower_id):
        return False
    if not follower.is_caught_up:
        return False
    is_current = follower.caught_up_broker_epoch == follower.broker_epoch or not rules.one_snapshot_of_follower
    if is_current and is_eligible(state, rules, leader_id, follower_id, follower.broker_epoch):
        propose_isr(state, leader_id, including(leader.isr, follower_id))
    follower.is_caught_up = False
    follower.caught_up_broker_epoch = NO_EPOCH
    return True


def is_expected(state: State, rules: ClusterRules, leader_id: int) -> bool:
    """Whether an answer belongs to the leader's pending change in its current leader epoch."""
    leader = state.brokers[leader_id]
    change = state.alter_partitions[leader_id]
    if not is_leading(state, leader_id):
        return False
    if leader.pending_isr == 0 and rules.shrink_awaits_controller:
        return False
    if change.error != AlterPartitionError.NONE:
        return True
    if change.leader_epoch != leader.leader_epoch:
        return False
    if change.partition_epoch == leader.partition_epoch:
        return rules.answer_may_keep_partition_epoch
    return change.partition_epoch > leader.partition_epoch or not rules.answer_checks_partition_epoch


def leader_learns_of_change(state: State, rules: ClusterRules, leader_id: ReplicaId) -> bool:
    """A leader receives the controller's answer to its ISR change.

    Who: a broker that has asked.
    When: the answer has arrived.
    Effect: success commits the ISR of the answer and may raise the high watermark. If a member is refused, the leader
        returns to the committed ISR. After any other error the change stays pending until newer metadata comes. The
        leader drops an answer of another leader epoch, of an older version, or to a change that is no longer pending.
    Source: Partition.handleAlterPartitionUpdate, handleAlterPartitionError; KIP-497, KAFKA-12686, KAFKA-12751.
    Left out: errors after which the leader sends the same request again: the request counts as not answered yet.
    """
    leader = state.brokers[leader_id]
    change = state.alter_partitions[leader_id]
    if change.stage != Stage.ANSWERED:
        return False
    if is_expected(state, rules, leader_id):
        if change.error == AlterPartitionError.NONE:
            leader.isr = change.isr
            leader.partition_epoch = change.partition_epoch
            leader.pending_isr = 0
            raise_high_watermark(state, rules, leader_id)
        elif change.error == AlterPartitionError.INELIGIBLE_REPLICA:
            leader.pending_isr = 0
    clear(state.alter_partitions[leader_id])
    return True
