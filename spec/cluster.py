"""What a cluster promises, message by message: nothing acknowledged is lost, and logs never part below what is committed.

Part of Kafka judged: `impl/broker`, `impl/controller` and `impl/client`, by their records only.
Source: Kafka's documentation (acks, min.insync.replicas, "Replicated Logs"); the KIPs and issues named at each property.
Left out, and why that is sound: what happens to records that nobody acknowledged or read; Kafka promises nothing of them.
"""

from checker.schema import contains
from impl.cluster import State
from impl.constants import NO_LEADER, NO_OFFSET, NO_RECORD, Question, Stage
from impl.rules import ClusterRules


def acknowledged_records_survive(state: State) -> bool:
    """Whoever leads in the newest leader epoch has every acknowledged record at the offset its producer was told.

    Lost if it fails: a record that its producer was told is safe.
    Source: acks=all; leader completeness.
    Holds in: cluster_kraft, cluster_zookeeper.
    Fails in: the museum's entries that lose committed data.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER:
        return True
    leader = state.brokers[metadata.leader]
    if leader.leader != metadata.leader or leader.leader_epoch != metadata.leader_epoch:
        return True
    for record in range(len(state.producers.acknowledged)):
        offset = state.producers.acknowledged[record]
        if offset != NO_OFFSET and offset >= leader.log_start_offset and leader.log.records[offset].id != record:
            return False
    return True


def log_matching(state: State) -> bool:
    """Where two logs have records of the same leader epoch at one offset, they agree there and on all before.

    Lost if it fails: replicas of one partition hold different histories, and no comparison of epochs will find it.
    Source: KIP-101, KIP-279; log matching of Raft.
    Holds in: cluster_kraft, cluster_zookeeper.
    Fails in: the museum's entries that let replicas diverge.
    """
    for replica_id in range(len(state.brokers)):
        log = state.brokers[replica_id].log
        for other_id in range(replica_id):
            other = state.brokers[other_id].log
            differ = False
            for offset in range(min(log.end_offset, other.end_offset)):
                if log.records[offset].id != NO_RECORD and other.records[offset].id != NO_RECORD:
                    if log.records[offset].id != other.records[offset].id:
                        differ = True
                    if differ and log.records[offset].epoch == other.records[offset].epoch:
                        return False
    return True


def one_leader_in_epoch(state: State) -> bool:
    """No two brokers believe that they lead in the same leader epoch.

    Lost if it fails: two brokers stamp different records with one epoch, and every rule built on epochs is void.
    Source: Kafka's leader epoch; KIP-101.
    Holds in: every model of the cluster.
    Fails in: none; it guards the controller's numbering.
    """
    for leader_id in range(len(state.brokers)):
        for other_id in range(leader_id):
            leader = state.brokers[leader_id]
            other = state.brokers[other_id]
            if leader.leader == leader_id and other.leader == other_id and leader.leader_epoch == other.leader_epoch:
                return False
    return True


def logs_agree_below_high_watermark(state: State) -> bool:
    """Two running brokers in one leader epoch have the same record wherever both take it for committed.

    Lost if it fails: a client that may read from followers gets a record which was never committed, or two clients get
    different ones.
    Source: KIP-392; KAFKA-14704.
    Holds in: the models of the cluster without unclean elections.
    Fails in: the museum's entries that expose diverging records.
    """
    for replica_id in range(len(state.brokers)):
        replica = state.brokers[replica_id]
        for other_id in range(replica_id):
            other = state.brokers[other_id]
            if replica.is_running and other.is_running and replica.leader_epoch == other.leader_epoch:
                start = max(replica.log_start_offset, other.log_start_offset)
                for offset in range(start, min(replica.high_watermark, other.high_watermark)):
                    if replica.log.records[offset].id != other.log.records[offset].id:
                        return False
    return True


def isr_is_covered(state: State) -> bool:
    """The leader of the newest epoch waits for every broker that the controller may elect.

    Lost if it fails: a record can be committed without a broker that is elected next.
    Source: KIP-497 (the maximal ISR); `Partition`, comment on `PendingExpandIsr`.
    Holds in: every model of the cluster.
    Fails in: the museum's entries on ISR changes under way.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER:
        return True
    leader = state.brokers[metadata.leader]
    if leader.leader != metadata.leader or leader.leader_epoch != metadata.leader_epoch:
        return True
    return metadata.isr & ~(leader.isr | leader.pending_isr) == 0


def high_watermark_does_not_fall(before: State, after: State) -> bool:
    """A leader's high watermark does not fall while it leads in one epoch.

    Lost if it fails: a consumer has read a record that is not committed.
    Source: `Partition.maybeIncrementLeaderHW`.
    Holds in: every model of the cluster.
    Fails in: none; it guards the leader's own arithmetic.
    """
    for broker_id in range(len(before.brokers)):
        leader = before.brokers[broker_id]
        now = after.brokers[broker_id]
        if leader.leader == broker_id and now.leader == broker_id and leader.leader_epoch == now.leader_epoch:
            if now.high_watermark < leader.high_watermark:
                return False
    return True


def high_watermark_is_within_log(state: State) -> bool:
    """Every replica's high watermark lies between the start and the end of its log.

    Lost if it fails: a broker that is elected cannot serve reads, because it cannot find its high watermark in its log.
    Source: KAFKA-9491; `UnifiedLog.updateHighWatermark`.
    Holds in: every model of the cluster.
    Fails in: the museum's entry on a log that begins anew.
    """
    for broker_id in range(len(state.brokers)):
        broker = state.brokers[broker_id]
        if broker.is_running and broker.high_watermark < broker.log_start_offset:
            return False
        if broker.high_watermark > broker.log.end_offset:
            return False
    return True


def stale_fetches_have_no_effect(before: State, after: State) -> bool:
    """A leader learns nothing from a fetch that was sent in another leader epoch than its own.

    Lost if it fails: fencing; a follower that still obeys somebody else is counted.
    Source: KIP-320.
    Holds in: every model of the cluster that fences by the current leader epoch.
    Fails in: the museum's entry on missing fencing.
    """
    for follower_id in range(len(before.fetches)):
        fetch = before.fetches[follower_id]
        if fetch.stage == Stage.REQUESTED and fetch.question == Question.FETCH and fetch.leader != NO_LEADER:
            leader = before.brokers[fetch.leader]
            now = after.brokers[fetch.leader]
            is_stale = fetch.leader_epoch != leader.leader_epoch and leader.leader == fetch.leader
            if is_stale and after.fetches[follower_id].stage != Stage.REQUESTED:
                if now.followers[follower_id].end_offset > leader.followers[follower_id].end_offset:
                    return False
                if now.high_watermark > leader.high_watermark:
                    return False
    return True


def isr_has_no_inactive(state: State) -> bool:
    """A broker that is fenced or stopping is in the ISR only as its last member.

    Lost if it fails: writes with acks=all wait for a broker that is gone, or the next leader is one that is stopping.
    Source: KIP-841, KAFKA-13916.
    Holds in: every model of the cluster.
    Fails in: the museum's entry on fenced replicas.
    """
    metadata = state.controller.history[state.controller.offset]
    inactive = metadata.isr & ~metadata.active
    return inactive == 0 or metadata.isr & ~inactive == 0


def every_truncation_cuts(before: State, after: State) -> bool:
    """A follower that acts on an answer which says that the logs differ comes nearer to the leader's log.

    Lost if it fails: the follower asks the same again for ever, and never comes back into the ISR.
    Source: KAFKA-10706. This is the part of that liveness property which one step shows.
    Holds in: every model of the cluster.
    Fails in: the museum's entry on the leader-epoch file.
    """
    for follower_id in range(len(before.fetches)):
        fetch = before.fetches[follower_id]
        broker = before.brokers[follower_id]
        now = after.brokers[follower_id]
        is_told = fetch.stage == Stage.ANSWERED and fetch.question == Question.FETCH and fetch.end_offset != NO_OFFSET
        is_used = is_told and after.fetches[follower_id].stage == Stage.IDLE and broker.is_running and now.is_running
        is_current = fetch.leader_epoch == broker.leader_epoch and fetch.broker_epoch == broker.broker_epoch
        if is_used and is_current and broker.leader_epoch == now.leader_epoch:
            changes = 0
            for epoch in range(len(broker.epoch_starts)):
                if broker.epoch_starts[epoch] != now.epoch_starts[epoch]:
                    changes += 1
            if changes == 0 and broker.log.end_offset == now.log.end_offset and fetch.offset == broker.log.end_offset:
                return False
    return True


def checkpoint_falls_with_high_watermark(before: State, after: State) -> bool:
    """The checkpoint of a high watermark never says less than the broker knows when it is written.

    Lost if it fails: after the next restart the broker takes committed records for uncommitted.
    Source: KAFKA-1647.
    Holds in: every model of the cluster.
    Fails in: the museum's entry on the partial checkpoint.
    """
    for broker_id in range(len(before.brokers)):
        broker = before.brokers[broker_id]
        now = after.brokers[broker_id]
        if broker.is_running and now.is_running and now.has_log:
            if now.high_watermark_checkpoint < broker.high_watermark_checkpoint:
                if now.high_watermark_checkpoint < broker.high_watermark:
                    return False
    return True


def consumed_records_survive(state: State) -> bool:
    """Whoever leads in the newest leader epoch has every record that the consumer has read, where it read it.

    Lost if it fails: a consumer has acted on a record that is gone.
    Source: the high watermark ("only committed messages are ever given out to the consumer").
    Holds in: cluster_consumer.
    Fails in: the museum's entry on the read limit.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER:
        return True
    leader = state.brokers[metadata.leader]
    if leader.leader != metadata.leader or leader.leader_epoch != metadata.leader_epoch:
        return True
    for offset in range(leader.log_start_offset, state.consumer.position):
        if state.consumer.records[offset] != NO_RECORD:
            if leader.log.records[offset].id != state.consumer.records[offset]:
                return False
    return True


def consumer_reads_one_history(before: State, after: State) -> bool:
    """A consumer reads a record only from a log that has, below it, exactly what the consumer has read before.

    Lost if it fails: the consumer skips records, or reads on in another history, and is not told.
    Source: KIP-320, KAFKA-7747.
    Holds in: cluster_consumer, cluster_consumer_unclean.
    Fails in: the museum's entry on positions that are not validated.
    """
    if after.consumer.position <= before.consumer.position:
        return True
    log = after.brokers[after.consumer.leader].log
    for offset in range(before.consumer.position):
        if log.records[offset].id != after.consumer.records[offset]:
            return False
    return True


def latest_offset_does_not_go_back(state: State) -> bool:
    """A client is never told a latest offset below one that it was told before.

    Lost if it fails: the end of the log goes back for clients, and a position beyond it is reset.
    Source: KIP-207, KAFKA-2334.
    Holds in: cluster_consumer.
    Fails in: the museum's entry on the latest offset.
    """
    return state.consumer.told_offset == state.consumer.latest_offset


def acknowledged_records_have_copies(state: State, rules: ClusterRules) -> bool:
    """Each acknowledged record is on at least min.insync.replicas of the brokers that the partition is assigned to.

    Lost if it fails: the failure of fewer brokers than the producer was promised loses the record.
    Source: min.insync.replicas; KAFKA-15665.
    Holds in: cluster_reassignment.
    Fails in: the museum's entry on a reassignment that ends early.
    """
    metadata = state.controller.history[state.controller.offset]
    for record in range(len(state.producers.acknowledged)):
        offset = state.producers.acknowledged[record]
        copies = 0
        for broker_id in range(len(state.brokers)):
            if offset != NO_OFFSET and contains(metadata.replicas, broker_id):
                if state.brokers[broker_id].log.records[offset].id == record:
                    copies += 1
        if offset != NO_OFFSET and copies < rules.min_insync_replicas:
            return False
    return True
