"""Limits of a replication step: when it may change a log, a high watermark, the ISR or the leader.

Part of Kafka judged: the replication of one partition (`impl/replication`), step by step, by its records only.
Source: ControllerElectLeader, ControllerShrinkIsr, LeaderWrite, LeaderIncHighWatermark, LeaderShrinkIsr and
FollowerReplicate of KafkaReplication in hachikuji/kafka-specification (commit d68782b), which say it as guards;
apache/kafka `PartitionStateMachine`, `ReplicaStateMachine`, `Partition` for the reasons.
Left out, and why that is sound: the messages. A step is judged only by the states before and after it, so that no
property depends on how a rule is written.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.model.replication.system import State


def leader_epoch_change(before: State, after: State) -> bool:
    """A new leader epoch has another leader or a smaller ISR.

    Why: each new epoch makes all replicas turn, truncate and fetch again, and every client look for the leader; an
        epoch that changes nothing would cost that without need.
    Source: ControllerElectLeader, ControllerShrinkIsr; Kafka's PartitionChangeBuilder.triggerLeaderEpochBumpIfNeeded.
    Fails: without either guard on the controller's changes.
    """
    if after.quorum.leader_epoch == before.quorum.leader_epoch:
        return True
    return after.quorum.leader != before.quorum.leader or after.quorum.isr != before.quorum.isr


def leader_removal(before: State, after: State) -> bool:
    """A leader that is removed without a successor leaves the ISR, unless it is the last member.

    Why: otherwise a partition goes offline although its leader is healthy, or stays offline for good because the ISR is
        empty; or a failed leader can be elected again before it is back.
    Source: ControllerShrinkIsr; the OfflineReplica transition of Kafka's ReplicaStateMachine.
    Fails: without either condition on how the controller takes a leader out of the ISR.
    """
    leader = before.quorum.leader
    if leader == NO_LEADER or after.quorum.leader != NO_LEADER:
        return True
    others = before.quorum.isr - {leader}
    if others == Ids():
        return after.quorum.isr == before.quorum.isr
    return after.quorum.isr == others


def is_lagging(state: State, leader_id: int, replica_id: int) -> bool:
    """Whether a replica does not follow this leader in its epoch, or its log does not end like the leader's."""
    leader = state.replicas[leader_id]
    replica = state.replicas[replica_id]
    if replica.leader != leader_id or replica.leader_epoch != leader.leader_epoch:
        return True
    end_offset = leader.log.end_offset
    if replica.log.end_offset < end_offset:
        return True
    return end_offset > 0 and replica.log.records[end_offset - 1].epoch != leader.log.records[end_offset - 1].epoch


def isr_removal(before: State, after: State) -> bool:
    """Within a leader epoch only a replica that lags leaves the ISR.

    Why: otherwise the ISR shrinks for no reason; writes with acks=all meet too few replicas, and fewer replicas may be
        elected.
    Source: LeaderShrinkIsr; Kafka's Partition.maybeShrinkIsr.
    Fails: if a leader takes out a replica that is caught up.
    """
    if after.quorum.leader_epoch != before.quorum.leader_epoch or before.quorum.leader == NO_LEADER:
        return True
    return all(
        is_lagging(before, before.quorum.leader, replica_id) for replica_id in before.quorum.isr - after.quorum.isr
    )


def log_growth(before: State, after: State) -> bool:
    """A leader's log grows only by records of its own epoch, and a follower's only by records of its leader.

    Why: otherwise a broker accepts writes without leading, or copies from a broker that does not lead; then two records
        have the same offset and epoch, and epochs do not tell logs apart.
    Source: LeaderWrite, FollowerReplicate; Kafka's Partition.appendRecordsToLeader and NotLeaderOrFollowerException.
    Fails: if a broker writes or answers fetches without leading.
    """
    for replica_id, replica in enumerate(before.replicas):
        end_offset = replica.log.end_offset
        if after.replicas[replica_id].log.end_offset > end_offset:
            if replica.leader == NO_LEADER:
                return False
            leader = before.replicas[replica.leader]
            record = after.replicas[replica_id].log.records[end_offset]
            if leader.leader != replica.leader:
                return False
            if replica.leader == replica_id and record.epoch != replica.leader_epoch:
                return False
            if replica.leader != replica_id and end_offset >= leader.log.end_offset:
                return False
    return True


def high_watermark_growth(before: State, after: State) -> bool:
    """A leader raises its high watermark only if its whole ISR follows it; a follower takes it from its leader.

    Why: otherwise a record counts as committed because of a broker that obeys another leader, which may make it
        truncate the record; or consumers of a follower read records that no leader ever committed.
    Source: LeaderIncHighWatermark, FollowerReplicate; Kafka's Partition.maybeIncrementLeaderHW and
        ReplicaFetcherThread.processPartitionData.
    Fails: if a leader counts a replica that does not follow it, or a follower counts by itself.
    """
    for replica_id, replica in enumerate(before.replicas):
        high_watermark = after.replicas[replica_id].high_watermark
        if high_watermark > replica.high_watermark:
            if replica.leader == NO_LEADER or high_watermark > after.replicas[replica.leader].high_watermark:
                return False
            if replica.leader == replica_id:
                for member_id in replica.isr:
                    if before.replicas[member_id].leader != replica_id:
                        return False
    return True
