"""The leader's changes of the ISR: it proposes them to the controller and waits for the answer.

Part of Kafka modelled: `Partition` (`maybeShrinkIsr`, `maybeExpandIsr`, `isReplicaIsrEligible`, `submitAlterPartition`,
`handleAlterPartitionUpdate`, `handleAlterPartitionError`, `PendingExpandIsr`, `PendingShrinkIsr`).
Source: apache/kafka (commit 1eb7644349); KIP-497, KIP-841, KIP-903, KAFKA-7128, KAFKA-15221.
Left out, and why that is sound: `replica.lag.time.max.ms`: a follower that is not at the leader's end may be found
lagging at once, later or never. An expansion is proposed at any time while its condition holds; Kafka checks the
condition after each fetch of that follower.
"""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.broker.leader import is_leading, maybe_raise_high_watermark
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.enums import AlterPartitionError, Propagation, Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules


def can_propose(leader: Broker, leader_id: int, change: AlterPartition) -> bool:
    """Whether a leader may propose a change: it leads, and no other change is in flight."""
    return is_leading(leader, leader_id) and leader.pending_isr == Ids() and change.stage == Stage.IDLE


def propose_isr(leader: Broker, leader_id: int, change: AlterPartition, isr: Ids) -> None:
    """Send the change, with the broker epochs from the members' fetches."""
    leader.pending_isr = isr
    change.stage = Stage.REQUESTED
    change.topic_id = leader.topic_id
    change.broker_epoch = leader.broker_epoch
    change.leader_epoch = leader.leader_epoch
    change.partition_epoch = leader.partition_epoch
    change.isr = isr
    for member_id in isr:
        change.member_epochs[member_id] = leader.followers[member_id].broker_epoch
    change.member_epochs[leader_id] = leader.broker_epoch


def propose_shrink(
    leader: Broker, rules: ClusterRules, leader_id: int, follower_id: int, metadata: Metadata, change: AlterPartition
) -> bool:
    """Propose an ISR without a follower that lags.

    Who: a leader, which may have been deposed.
    When: the follower is in the ISR and, as far as the leader knows, has not reached the end of the leader's log; no
        change is pending.
    Effect: the request is sent. Until the answer comes, the high watermark still waits for the follower.
    Source: Partition.maybeShrinkIsr, prepareIsrShrink; KIP-497.
    Left out: several followers at once, which is several changes here.
    """
    if not can_propose(leader, leader_id, change):
        return False
    if follower_id == leader_id or follower_id not in leader.isr:
        return False
    if leader.followers[follower_id].end_offset == end_of(leader.log):
        return False
    isr = leader.isr - {follower_id}
    propose_isr(leader, leader_id, change, isr)
    if not rules.shrink_awaits_controller:
        leader.isr = isr
        leader.pending_isr = Ids()
        maybe_raise_high_watermark(leader, rules, leader_id, metadata)
    return True


def is_eligible(rules: ClusterRules, metadata: Metadata, follower_id: int, broker_epoch: int) -> bool:
    """Whether a follower that fetched with `broker_epoch` may join the ISR, as far as the leader's metadata tells.

    A leader of the ZooKeeper era learns the live brokers from UpdateMetadata, which may be arbitrarily late, so it may
    take any follower that has fetched for alive; the controller checks again.
    """
    if rules.propagation == Propagation.LEADER_AND_ISR:
        return True
    if rules.isr_excludes_inactive and follower_id not in metadata.active:
        return False
    return broker_epoch == metadata.broker_epochs[follower_id] or not rules.isr_names_broker_epochs


def is_follower_in_sync(leader: Broker, rules: ClusterRules, follower_id: int) -> bool:
    """Whether a follower has reached the high watermark, and the start of the leader's epoch (KAFKA-7128)."""
    end_offset = leader.followers[follower_id].end_offset
    if end_offset == NO_OFFSET or end_offset < leader.high_watermark:
        return False
    return end_offset >= leader.leader_epoch_start_offset or not rules.expansion_awaits_epoch_start


def is_joining(
    leader: Broker, rules: ClusterRules, leader_id: int, follower_id: int, metadata: Metadata, change: AlterPartition
) -> bool:
    """Whether a leader may propose to add this follower, if the follower is caught up.

    A leader that was elected uncleanly and has not recovered may not, as far as its metadata tells (KIP-704).
    """
    if not can_propose(leader, leader_id, change):
        return False
    if metadata.is_recovering and rules.recovering_leader_stays_alone:
        return False
    if follower_id not in metadata.replicas:
        return False
    return follower_id != leader_id and follower_id not in leader.isr


def propose_expansion(
    leader: Broker, rules: ClusterRules, leader_id: int, follower_id: int, metadata: Metadata, change: AlterPartition
) -> bool:
    """Propose an ISR with a follower that has caught up.

    Who: a leader, which may have been deposed.
    When: the follower is not in the ISR, is eligible, and has fetched in this epoch from an offset at or above the high
        watermark and the start of the epoch; no change is pending.
    Effect: the request is sent. From now on the high watermark waits for the follower.
    Source: Partition.maybeExpandIsr, prepareIsrExpand; KIP-497, KAFKA-7128, KIP-841, KIP-903.
    """
    if not is_joining(leader, rules, leader_id, follower_id, metadata, change):
        return False
    if not is_follower_in_sync(leader, rules, follower_id):
        return False
    if not is_eligible(rules, metadata, follower_id, leader.followers[follower_id].broker_epoch):
        return False
    propose_isr(leader, leader_id, change, leader.isr | {follower_id})
    return True


def end_recovery(leader: Broker, leader_id: int, metadata: Metadata, change: AlterPartition) -> bool:
    """Declare that the leader, which was elected uncleanly, has recovered, so that its ISR may grow.

    Who: a leader, which may have been deposed.
    When: its metadata says that it is recovering; no change is pending.
    Effect: the request is sent, with the ISR as it is.
    Source: Partition.makeLeader (LeaderRecoveryState.RECOVERED), AlterPartition; KIP-704.
    Left out: the recovery itself, for which Kafka does nothing yet. In Kafka the leader's next change of the ISR says
        that it has recovered; here this request says only that.
    """
    if not can_propose(leader, leader_id, change) or not metadata.is_recovering:
        return False
    propose_isr(leader, leader_id, change, leader.isr)
    change.ends_recovery = True
    return True


def note_caught_up(
    leader: Broker, rules: ClusterRules, leader_id: int, follower_id: int, metadata: Metadata, change: AlterPartition
) -> bool:
    """Find that a follower has caught up: the first step of an expansion that takes two.

    Who: a leader.
    When: as in `propose_expansion`, except for eligibility.
    Effect: the leader notes the follower and the broker epoch of its last fetch.
    Source: Partition.canAddReplicaToIsr; KAFKA-15221.
    """
    if not is_joining(leader, rules, leader_id, follower_id, metadata, change):
        return False
    follower = leader.followers[follower_id]
    if follower.is_caught_up or not is_follower_in_sync(leader, rules, follower_id):
        return False
    follower.is_caught_up = True
    follower.caught_up_broker_epoch = follower.broker_epoch
    return True


def propose_caught_up(
    leader: Broker, rules: ClusterRules, leader_id: int, follower_id: int, metadata: Metadata, change: AlterPartition
) -> bool:
    """Propose to add a follower that has caught up: the second step of an expansion that takes two.

    Who: a leader.
    When: the leader has noted the follower (`note_caught_up`).
    Effect: the request is sent if the follower is eligible. Since KAFKA-15221 its broker epoch must also be the noted
        one. In any case the leader forgets its note.
    Source: Partition.isReplicaIsrEligible, submitAlterPartition; KAFKA-15221.
    """
    follower = leader.followers[follower_id]
    if not is_joining(leader, rules, leader_id, follower_id, metadata, change) or not follower.is_caught_up:
        return False
    is_current = follower.caught_up_broker_epoch == follower.broker_epoch or not rules.one_snapshot_of_follower
    if is_current and is_eligible(rules, metadata, follower_id, follower.broker_epoch):
        propose_isr(leader, leader_id, change, leader.isr | {follower_id})
    follower.is_caught_up = False
    follower.caught_up_broker_epoch = NO_EPOCH
    return True


def is_expected(leader: Broker, rules: ClusterRules, leader_id: int, change: AlterPartition) -> bool:
    """Whether an answer belongs to the leader's pending change in its current leader epoch."""
    if not is_leading(leader, leader_id):
        return False
    if leader.pending_isr == Ids() and rules.shrink_awaits_controller:
        return False
    if change.error != AlterPartitionError.NONE:
        return True
    if change.leader_epoch != leader.leader_epoch:
        return False
    if change.partition_epoch == leader.partition_epoch:
        return rules.answer_may_keep_partition_epoch
    return change.partition_epoch > leader.partition_epoch or not rules.answer_checks_partition_epoch


def learn_of_change(
    leader: Broker, rules: ClusterRules, leader_id: int, metadata: Metadata, change: AlterPartition
) -> bool:
    """Receive the controller's answer to an ISR change.

    Who: a broker that has asked.
    When: the answer has arrived.
    Effect: success commits the ISR of the answer and may raise the high watermark; before KAFKA-13091 the leader does
        not look at it then, although nobody may fetch or write again. If a member is refused, the leader returns to the
        committed ISR, and does not look at its high watermark, either. After any other error the change stays pending
        until newer metadata comes. The leader drops an answer of another leader epoch, of an older version, or to a
        change that is no longer pending.
    Source: Partition.handleAlterPartitionUpdate, handleAlterPartitionError; KIP-497, KAFKA-12686, KAFKA-12751,
        KAFKA-13091.
    Left out: errors after which the leader sends the same request again: the request counts as not answered yet.
    """
    if is_expected(leader, rules, leader_id, change):
        if change.error == AlterPartitionError.NONE:
            leader.isr = change.isr
            leader.partition_epoch = change.partition_epoch
            leader.pending_isr = Ids()
            if rules.confirmed_change_raises_high_watermark:
                maybe_raise_high_watermark(leader, rules, leader_id, metadata)
        elif change.error == AlterPartitionError.INELIGIBLE_REPLICA:
            leader.pending_isr = Ids()
            if rules.refused_change_raises_high_watermark:
                maybe_raise_high_watermark(leader, rules, leader_id, metadata)
    clear(change)
    return True
