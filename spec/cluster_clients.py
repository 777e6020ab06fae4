"""What a consumer of a cluster may rely on.

Part of Kafka judged: `impl/client` and the brokers' answers to it, by their records only.
Source: the KIPs and issues named below.
Left out, and why that is sound: how a consumer goes on after an error, which its application decides.
"""

from impl.cluster import State
from impl.constants import NO_LEADER, NO_RECORD


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


def newest_metadata_is_served(state: State) -> bool:
    """A consumer that has the newest metadata there is meets no leader in a newer epoch.

    Lost if it fails: the leader fences the consumer, which asks for metadata again and gets the same, for ever.
    Source: KAFKA-9212. This is the part of that liveness property which one state shows.
    Holds in: cluster_failover.
    Fails in: the museum's entry on metadata with an old epoch.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER or state.consumer.leader_epoch != metadata.told_epoch:
        return True
    leader = state.brokers[metadata.leader]
    return leader.leader != metadata.leader or leader.leader_epoch <= state.consumer.leader_epoch
