"""What a consumer of a cluster may rely on.

Part of Kafka judged: `impl/client` and the brokers' answers to it, by their records only.
Source: the KIPs and issues named below.
Left out, and why that is sound: how a consumer goes on after an error, which its application decides.
"""

from kafkacheck.impl.cluster import State
from kafkacheck.impl.constants import NO_LEADER, NO_OFFSET, NO_RECORD, FetchFencing
from kafkacheck.impl.rules import ClusterRules


def consumed_records_survive(state: State) -> bool:
    """Whoever leads in the newest leader epoch has every record that the consumer has read, where it read it.

    Lost if it fails: a consumer has acted on a record that is gone.
    Source: the high watermark ("only committed messages are ever given out to the consumer").
    Holds in: cluster.consumer.
    Fails in: the museum's entry on the read limit.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER:
        return True
    leader = state.brokers[metadata.leader]
    if leader.leader != metadata.leader or leader.leader_epoch != metadata.leader_epoch:
        return True
    return all(
        leader.log.records[offset].id == state.consumer.records[offset]
        for offset in range(leader.log_start_offset, state.consumer.position)
        if state.consumer.records[offset] != NO_RECORD
    )


def consumer_reads_one_history(before: State, after: State) -> bool:
    """A consumer reads a record only from a log that has, below it, exactly what the consumer has read before.

    Lost if it fails: the consumer skips records, or reads on in another history, and is not told.
    Source: KIP-320, KAFKA-7747.
    Holds in: cluster.consumer, cluster.consumer.unclean.
    Fails in: the museum's entry on positions that are not validated.
    """
    if after.consumer.position <= before.consumer.position:
        return True
    log = after.brokers[after.consumer.leader].log
    return all(log.records[offset].id == after.consumer.records[offset] for offset in range(before.consumer.position))


def latest_offset_does_not_go_back(state: State) -> bool:
    """A client is never told a latest offset below one that it was told before.

    Lost if it fails: the end of the log goes back for clients, and a position beyond it is reset.
    Source: KIP-207, KAFKA-2334.
    Holds in: cluster.consumer.
    Fails in: the museum's entry on the latest offset.
    """
    return state.consumer.told_offset == state.consumer.latest_offset


def newest_metadata_is_served(state: State) -> bool:
    """A consumer that has the newest metadata there is meets no leader in a newer epoch.

    Lost if it fails: the leader fences the consumer, which asks for metadata again and gets the same, for ever.
    Source: KAFKA-9212. This is the part of that liveness property which one state shows.
    Holds in: cluster.failover.
    Fails in: the museum's entry on metadata with an old epoch.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER or state.consumer.leader_epoch != metadata.told_epoch:
        return True
    leader = state.brokers[metadata.leader]
    return leader.leader != metadata.leader or leader.leader_epoch <= state.consumer.leader_epoch


def is_served(state: State, broker_id: int) -> bool:
    """Whether a broker answers the consumer: it runs, and is in the consumer's leader epoch."""
    return state.brokers[broker_id].is_running and state.brokers[broker_id].leader_epoch == state.consumer.leader_epoch


def consumers_are_served_in_their_epoch(before: State, after: State, rules: ClusterRules) -> bool:
    """A consumer reads, validates its position and asks for the latest offset only from a broker that runs and is in
    the leader epoch that the consumer knows: its leader, or where followers may be read from one of them.

    Lost if it fails: a consumer reads from a broker that has been deposed, or that does not know it yet.
    Source: KIP-320; `Partition.checkCurrentLeaderEpoch`.
    Holds in: every model of the cluster with a consumer.
    Fails in: none; it guards the reference itself.
    """
    consumer = before.consumer
    now = after.consumer
    if rules.fetch_fencing != FetchFencing.CURRENT_LEADER_EPOCH or consumer.leader_epoch != now.leader_epoch:
        return True
    if consumer.must_validate != now.must_validate or consumer.told_offset != now.told_offset:
        return is_served(before, consumer.leader)
    if consumer.read_limit != now.read_limit:
        return is_served(before, consumer.leader)
    if consumer.position == now.position:
        return True
    return any(
        is_served(before, broker_id)
        and before.brokers[broker_id].log.records[consumer.position].id == now.records[consumer.position]
        for broker_id in range(len(before.brokers))
    )


def consumer_learns_from_the_living(before: State, after: State) -> bool:
    """A consumer learns who leads from a broker that runs and follows or leads in that epoch, or is told what the
    controller has told; and it always learns of somebody.

    Lost if it fails: the consumer turns to nobody, and asks no more.
    Source: `Metadata.updateLastSeenEpochIfNewer`; KAFKA-9212.
    Holds in: every model of the cluster with a consumer.
    Fails in: none; it guards the reference itself.
    """
    now = after.consumer
    if before.consumer.leader_epoch == now.leader_epoch:
        return True
    if now.leader == NO_LEADER:
        return False
    told = before.controller.history[before.controller.offset]
    if told.leader == now.leader and told.told_epoch == now.leader_epoch:
        return True
    return any(
        is_served(after, broker_id) and after.brokers[broker_id].leader == now.leader
        for broker_id in range(len(before.brokers))
    )


def truncation_errors_are_true(before: State, after: State) -> bool:
    """A consumer is told that what it has read is gone only by a leader that has something else there, or nothing.

    Lost if it fails: the consumer starts anew for nothing, and reads records twice.
    Source: KIP-320, LogTruncationException.
    Holds in: every model of the cluster with a consumer.
    Fails in: none; it guards the reference itself.
    """
    if before.consumer.is_truncated or not after.consumer.is_truncated:
        return True
    log = before.brokers[before.consumer.leader].log
    return any(log.records[offset].id != before.consumer.records[offset] for offset in range(before.consumer.position))


def reads_end_at_limit(before: State, after: State) -> bool:
    """A read that takes two steps is limited by the high watermark, begins no higher, and brings what lies below.

    Lost if it fails: the consumer polls for ever and gets nothing, or is given what is not committed.
    Source: `LocalLog.read`; KAFKA-9835.
    Holds in: cluster.consumer.two_step_read.
    Fails in: none; `consumed_records_survive` is what it is for.
    """
    consumer = before.consumer
    limit = after.consumer.read_limit
    if consumer.read_limit == NO_OFFSET and limit != NO_OFFSET:
        return consumer.position <= limit and limit == before.brokers[consumer.leader].high_watermark
    if consumer.read_limit != NO_OFFSET and limit == NO_OFFSET and consumer.leader_epoch == after.consumer.leader_epoch:
        has_more = consumer.position < min(consumer.read_limit, before.brokers[consumer.leader].log.end_offset)
        return after.consumer.position > consumer.position or not has_more
    return True


def reads_at_the_end(state: State) -> bool:
    """A read has begun at its own limit. Without an example nobody ever waits for a record that is yet to come."""
    return state.consumer.read_limit != NO_OFFSET and state.consumer.read_limit == state.consumer.position
