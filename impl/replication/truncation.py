"""Where a replica truncates its log when it turns to a new leader epoch: the rules of Kafka's history.

Part of Kafka modelled: the truncation that makes a follower's log a prefix of its leader's before it fetches.
Source: KafkaTruncateToHighWatermark, Kip101, Kip279 and Kip320FirstTry in hachikuji/kafka-specification (commit
d68782b); KIP-101, KIP-279, KIP-320; apache/kafka `AbstractFetcherThread` (`getOffsetTruncationState`) and
`LeaderEpochFileCache` (`endOffsetFor`).
Left out, and why that is sound: the rounds of request and response. KIP-279 finds the last shared record by requests
with ever older epochs; here one step compares both logs. If only the leader of the epoch in question answers, as
KIP-320 ensures, the rounds have the same result, because such a leader only appends. An interruption between two rounds
is not modelled, nor, for the older rules, a leader change between them: these rules could look better than they are.
"""

from kafkacheck.impl.constants import NO_OFFSET, TruncationRule
from kafkacheck.impl.log import Log, is_same_record, latest_epoch
from kafkacheck.impl.replication.records import ReplicationRules
from kafkacheck.model.replication.system import State


def end_offset_for_epoch(log: Log, epoch: int) -> int:
    """The end offset of `epoch` in the leader's `log`, as KIP-101 defines it.

    The log's end for its latest epoch; otherwise the first offset of a later epoch; `NO_OFFSET` if there is none.
    """
    if latest_epoch(log) == epoch:
        return log.end_offset
    for offset in range(log.end_offset):
        if log.records[offset].epoch > epoch:
            return offset
    return NO_OFFSET


def shared_end_offset(log: Log, other: Log) -> int:
    """The end of the shared part, searched backwards from the tail: one past the last offset with equal records."""
    shared = 0
    for offset in range(min(log.end_offset, other.end_offset)):
        if is_same_record(log, other, offset):
            shared = offset + 1
    return shared


def kip_101_truncation_offset(state: State, leader_id: int, follower_id: int) -> int:
    """Where the follower's latest epoch ends on the leader; the follower's high watermark if the leader has no answer.

    The latest epoch of an empty log is `NO_EPOCH`, older than every epoch, and ends at offset 0 on every leader.
    """
    leader = state.replicas[leader_id]
    follower = state.replicas[follower_id]
    end_offset = end_offset_for_epoch(leader.log, latest_epoch(follower.log))
    if end_offset == NO_OFFSET:
        return follower.high_watermark
    return end_offset


def truncation_offset(state: State, rules: ReplicationRules, leader_id: int, follower_id: int) -> int:
    """The end offset to which the rule truncates a replica that turns to a new epoch of this leader.

    Only with `KIP_101`, which never compares the follower's log, can it be above the replica's end offset.
    """
    leader = state.replicas[leader_id]
    follower = state.replicas[follower_id]
    if rules.truncation == TruncationRule.HIGH_WATERMARK:
        return follower.high_watermark
    if rules.truncation == TruncationRule.KIP_101:
        return kip_101_truncation_offset(state, leader_id, follower_id)
    if rules.truncation == TruncationRule.KIP_279:
        return shared_end_offset(leader.log, follower.log)
    return follower.log.end_offset


def needs_truncation(state: State, leader_id: int, follower_id: int) -> bool:
    """Whether a fetch with the last fetched epoch shows the leader that the follower's log diverges from its own.

    The follower's log is longer than the leader's, or its last record has another epoch than the leader's record there.
    """
    leader_log = state.replicas[leader_id].log
    follower_log = state.replicas[follower_id].log
    if follower_log.end_offset > leader_log.end_offset:
        return True
    if follower_log.end_offset == 0:
        return False
    last_offset = follower_log.end_offset - 1
    return follower_log.records[last_offset].epoch != leader_log.records[last_offset].epoch
