"""Guarantees of replication: every replica that may be elected keeps the committed records; and examples.

Part of Kafka judged: the replication of one partition (`impl/replication`), by its records only.
Source: WeakIsr and StrongIsr of KafkaReplication in hachikuji/kafka-specification (commit d68782b); the examples are
this project's.
Left out, and why that is sound: the view of consumers and producers. A record is exposed and acknowledged only while it
lies below the high watermark of a replica that believes it leads, and both invariants are about these records.
"""

from kafkacheck.impl.ids import NO_EPOCH
from kafkacheck.model.replication.system import State
from kafkacheck.spec.replication.measures import live_leaders


def holds_committed_records(state: State, leader_id: int, holder_id: int) -> bool:
    """Whether both logs have the same record at each offset below the leader's high watermark."""
    leader = state.replicas[leader_id]
    holder = state.replicas[holder_id]
    if leader.high_watermark > min(leader.log.end_offset, holder.log.end_offset):
        return False
    return all(leader.log.records[offset] == holder.log.records[offset] for offset in range(leader.high_watermark))


def weak_isr(state: State) -> bool:
    """If a replica believes it leads, every member of its own ISR has its committed records.

    Lost if it fails: a leader counts a record as committed, but a member of its own ISR lacks it or has another record
        there; consumers of the two replicas can read different records at one offset.
    Source: WeakIsr.
    """
    return all(
        holds_committed_records(state, leader_id, member_id)
        for leader_id, leader in enumerate(state.replicas)
        if leader.leader == leader_id
        for member_id in leader.isr
    )


def strong_isr(state: State) -> bool:
    """If a replica believes it leads, every member of the controller's ISR has its committed records.

    Lost to users: the controller may elect a replica that lacks a record, although consumers have read it and its
        producer got an acknowledgement; the record is gone.
    Source: StrongIsr.
    """
    return all(
        holds_committed_records(state, leader_id, member_id)
        for leader_id, leader in enumerate(state.replicas)
        if leader.leader == leader_id
        for member_id in state.quorum.isr
    )


def committed_record(state: State) -> bool:
    """A leader has a committed record. Without an example every invariant about committed records is empty."""
    return any(
        replica.leader == replica_id and replica.high_watermark > 0 for replica_id, replica in enumerate(state.replicas)
    )


def shrunk_isr(state: State) -> bool:
    """A leader has taken a replica out of the ISR of its own epoch."""
    leader_epoch = state.quorum.leader_epoch
    if leader_epoch == NO_EPOCH:
        return False
    return not state.leader_and_isr_requests[leader_epoch].isr <= state.quorum.isr


def expanded_isr(state: State) -> bool:
    """A leader has let a replica into the ISR that was not in it when its epoch began."""
    leader_epoch = state.quorum.leader_epoch
    if leader_epoch == NO_EPOCH:
        return False
    return not state.quorum.isr <= state.leader_and_isr_requests[leader_epoch].isr


def deposed_leader(state: State) -> bool:
    """Two replicas believe they lead. Without an example no fencing rule is put to the test."""
    return live_leaders(state) > 1


def follower_of_first_epoch(state: State) -> bool:
    """A replica follows the leader of the first epoch, so that it had nothing to truncate."""
    return any(
        replica.leader_epoch == 0 and replica.leader != replica_id for replica_id, replica in enumerate(state.replicas)
    )


def committed_without_all(state: State) -> bool:
    """A leader has a committed record, and a replica never heard of a leader. Without an example a commit needs all."""
    return committed_record(state) and any(replica.leader_epoch == NO_EPOCH for replica in state.replicas)


def diverging_logs(state: State) -> bool:
    """Two replicas hold different records at one offset. Without an example no truncation rule is put to the test."""
    return any(
        replica.log.records[offset].id != other.log.records[offset].id
        for replica in state.replicas
        for other in state.replicas
        for offset in range(min(replica.log.end_offset, other.log.end_offset))
    )
