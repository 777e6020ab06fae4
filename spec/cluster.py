"""What a cluster promises, message by message: nothing acknowledged is lost, and logs never part below what is committed.

Part of Kafka judged: `impl/broker`, `impl/controller` and `impl/client`, by their records only.
Source: Kafka's documentation (acks, min.insync.replicas, "Replicated Logs"); the KIPs and issues named at each property.
Left out, and why that is sound: what happens to records that nobody acknowledged or read; Kafka promises nothing of them.
"""

from checker.schema import contains
from impl.cluster import State
from impl.constants import NO_EPOCH, NO_LEADER, NO_OFFSET, NO_RECORD


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
