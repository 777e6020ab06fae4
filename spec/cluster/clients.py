"""The guarantees for a consumer of a cluster.

Part of Kafka judged: `impl/client` and the brokers' answers to it, by their records only.
Source: the KIPs and issues named below.
Left out, and why that is sound: how a consumer goes on after an error, because its application decides that.
"""

from kafkacheck.impl.enums import FetchFencing
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET, NO_RECORD
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def consumed_records_survive(state: State) -> bool:
    """The leader of the newest leader epoch has every record that the consumer has read, at the same offset.

    Lost to users: a consumer has acted on a record that is gone.
    Source: the high watermark ("only committed messages are ever given out to the consumer").
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
    """A consumer reads only from a log that has, below its position, exactly the records that it has read before.

    Lost to users: the consumer skips records, or reads on in another history, without noticing.
    Source: KIP-320, KAFKA-7747.
    """
    if after.consumer.position <= before.consumer.position:
        return True
    log = after.brokers[after.consumer.leader].log
    return all(log.records[offset].id == after.consumer.records[offset] for offset in range(before.consumer.position))


def latest_offset_does_not_go_back(state: State) -> bool:
    """The latest offset that a client receives never goes back.

    Lost to users: clients see the end of the log go back, and a position beyond it is reset.
    Source: KIP-207, KAFKA-2334.
    """
    return state.consumer.told_offset == state.consumer.latest_offset


def newest_metadata_is_served(state: State) -> bool:
    """If a consumer has the newest metadata, the leader is in no newer leader epoch.

    Lost to users: the leader fences the consumer, which asks for metadata and gets the same, again and again.
    Source: KAFKA-9212. The issue is about liveness; a single state shows only this part.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER or state.consumer.leader_epoch != metadata.told_epoch:
        return True
    leader = state.brokers[metadata.leader]
    return leader.leader != metadata.leader or leader.leader_epoch <= state.consumer.leader_epoch


def is_served(state: State, broker_id: int) -> bool:
    """Whether a broker answers the consumer: it runs and is in the consumer's leader epoch."""
    return state.brokers[broker_id].is_running and state.brokers[broker_id].leader_epoch == state.consumer.leader_epoch


def consumers_are_served_in_their_epoch(before: State, after: State, rules: ClusterRules) -> bool:
    """A consumer is served only by a running broker in the leader epoch that the consumer knows.

    This covers reads, the validation of the position, and requests for the latest offset. The broker is the consumer's
    leader, or one of the followers if consumers may read from them.

    Lost if it fails: a consumer reads from a broker that has been deposed, or that does not know that leader epoch yet.
    Source: KIP-320; `Partition.checkCurrentLeaderEpoch`.
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
    """A consumer learns of a leader from a running broker in that leader epoch, or from the controller's metadata.

    The metadata that it receives always names a leader.

    Lost if it fails: the consumer has no leader, and sends no more requests.
    Source: `Metadata.updateLastSeenEpochIfNewer`; KAFKA-9212.
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
    """A leader reports a truncation only if it has another record, or none, at an offset that the consumer has read.

    Lost if it fails: the consumer starts anew without need, and reads records twice.
    Source: KIP-320, LogTruncationException.
    """
    if before.consumer.is_truncated or not after.consumer.is_truncated:
        return True
    log = before.brokers[before.consumer.leader].log
    return any(log.records[offset].id != before.consumer.records[offset] for offset in range(before.consumer.position))


def reads_end_at_limit(before: State, after: State) -> bool:
    """A two-step read has the high watermark as its limit, starts no higher, and returns a record if one lies below.

    Lost if it fails: the consumer polls for ever and gets nothing, or gets a record that is not committed.
    Source: `LocalLog.read`; KAFKA-9835.
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
    """A read has begun at its own limit. Without an example no consumer ever waits for the next record."""
    return state.consumer.read_limit != NO_OFFSET and state.consumer.read_limit == state.consumer.position
