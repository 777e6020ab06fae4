"""The system implements an append-only log of committed records.

Part of Kafka judged: `impl/broker`, `impl/controller` and `impl/client`, by their records only.
Source: Kafka's documentation ("committed" in "Replicated Logs"); refinement as in TLA+, by a history variable.
Left out, and why that is sound: nothing: `State.committed` notes the record and the offset of each commit as it
happens, because the state of the brokers alone does not show them after a crash.

The abstract system is one append-only log. It tells producers the offset of their record, and consumers the record at
an offset. `State.committed` is that log. If these properties hold, every step of the cluster is a step of the abstract
system or leaves it alone (a stuttering step).
"""

from kafkacheck.impl.ids import NO_OFFSET, NO_RECORD
from kafkacheck.model.cluster.system import State


def committed_log_only_grows(before: State, after: State) -> bool:
    """A step appends to the committed log or leaves it alone: it replaces no record, and leaves no gap.

    Lost to users: another record replaces a committed record at its offset.
    Source: leader completeness.
    """
    return all(
        not (before.committed[offset] != NO_RECORD and before.committed[offset] != after.committed[offset])
        and (not (offset > 0 and after.committed[offset] != NO_RECORD and after.committed[offset - 1] == NO_RECORD))
        for offset in range(len(before.committed))
    )


def brokers_serve_committed_log(state: State) -> bool:
    """Below its high watermark, every running leader or follower has the records of the committed log.

    A follower that must still ask where to truncate serves no clients, and does not count.

    Lost to users: a client that reads from that broker gets a record that was never committed, or another record
    than other clients.
    Source: KIP-392; the high watermark ("only committed messages are ever given out to the consumer").
    """
    return all(
        broker.log.records[offset].id == state.committed[offset]
        for broker in state.brokers
        if broker.is_running and not broker.must_truncate
        for offset in range(broker.log_start_offset, broker.high_watermark)
    )


def acknowledged_records_are_committed(state: State) -> bool:
    """With acks=all a record is acknowledged only once the committed log has it, at the acknowledged offset.

    Lost to users: a producer gets an acknowledgement for a record that is not safe.
    Source: acks=all.
    """
    return all(
        state.committed[offset] == record
        for record, offset in enumerate(state.producers.acknowledged)
        if offset != NO_OFFSET
    )


def consumed_records_are_committed(state: State) -> bool:
    """Every record that a consumer has read, from leader or follower, is in the committed log at that offset.

    Lost to users: the consumer has acted on a record that is not committed, or not at that offset.
    Source: KIP-392; the high watermark.
    """
    return all(
        state.consumer.records[offset] == state.committed[offset]
        for offset in range(len(state.committed))
        if state.consumer.records[offset] != NO_RECORD
    )
