"""The system implements an append-only log of committed records.

Part of Kafka judged: `impl/broker`, `impl/controller` and `impl/client`, by their records only.
Source: Kafka's documentation ("committed" in "Replicated Logs"); refinement as in TLA+, by a history variable.
Left out, and why that is sound: nothing: which record was committed where is noted as it happens (`State.committed`),
because no state of the brokers alone tells it after a crash.

The abstract system is one log, to which records are appended, and of which clients are told: producers that their
record stands at an offset, consumers what stands there. `State.committed` is the abstract log. Where these properties
hold, every step of the cluster is a step of that system, or leaves it alone.
"""

from kafkacheck.impl.cluster import State
from kafkacheck.impl.constants import NO_OFFSET, NO_RECORD


def committed_log_only_grows(before: State, after: State) -> bool:
    """A step appends to the committed log or leaves it alone: it replaces nothing in it, and leaves no gap.

    Lost if it fails: a record that was committed is replaced by another one at its offset.
    Source: leader completeness.
    Holds in: cluster.committed_log, cluster.follower_reads, cluster.read_replica.
    Fails in: cluster.committed_log with unclean elections, which give this up.
    """
    return all(
        not (before.committed[offset] != NO_RECORD and before.committed[offset] != after.committed[offset])
        and (not (offset > 0 and after.committed[offset] != NO_RECORD and after.committed[offset - 1] == NO_RECORD))
        for offset in range(len(before.committed))
    )


def brokers_serve_committed_log(state: State) -> bool:
    """Every running broker, leader or follower, holds below its high watermark what the committed log has there.

    Lost if it fails: a client that reads from that broker gets a record which was never committed, or another one than
    other clients. A follower that has yet to ask where to truncate serves nobody.
    Source: KIP-392; the high watermark ("only committed messages are ever given out to the consumer").
    Holds in: cluster.committed_log, cluster.follower_reads, cluster.read_replica.
    Fails in: cluster.committed_log with unclean elections, which give this up.
    """
    return all(
        broker.log.records[offset].id == state.committed[offset]
        for broker in state.brokers
        if broker.is_running and not broker.must_truncate
        for offset in range(broker.log_start_offset, broker.high_watermark)
    )


def acknowledged_records_are_committed(state: State) -> bool:
    """A producer that waits for all is told of a record only once it stands in the committed log, where it was told.

    Lost if it fails: a producer is told that a record is safe which is not.
    Source: acks=all.
    Holds in: cluster.committed_log, cluster.follower_reads.
    Fails in: cluster.committed_log with unclean elections, which give this up.
    """
    return all(
        state.committed[offset] == record
        for record, offset in enumerate(state.producers.acknowledged)
        if offset != NO_OFFSET
    )


def consumed_records_are_committed(state: State) -> bool:
    """What a consumer has read, from a leader or a follower, stands in the committed log at that offset.

    Lost if it fails: the consumer has acted on a record that is not committed, or not there.
    Source: KIP-392; the high watermark.
    Holds in: cluster.follower_reads, cluster.read_replica.
    Fails in: cluster.follower_reads with the rule before KAFKA-14704.
    """
    return all(
        state.consumer.records[offset] == state.committed[offset]
        for offset in range(len(state.committed))
        if state.consumer.records[offset] != NO_RECORD
    )
