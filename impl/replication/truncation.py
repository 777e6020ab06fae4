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

from kafkacheck.impl.enums import TruncationRule
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log import Log, is_same_record, latest_epoch
from kafkacheck.impl.log.reading import end_of, leader_epoch_at
from kafkacheck.impl.replication.records import Replica, ReplicationRules


def end_offset_for_epoch(log: Log, epoch: int) -> int:
    """The end offset of `epoch` in the leader's `log`, as KIP-101 defines it.

    The log's end for its latest epoch; otherwise the first offset of a later epoch; `NO_OFFSET` if there is none.
    Source: LookupOffsetForEpoch; Kafka's LeaderEpochFileCache.endOffsetFor since KIP-101.
    """
    if latest_epoch(log) == epoch:
        return end_of(log)
    for offset in range(end_of(log)):
        if leader_epoch_at(log, offset) > epoch:
            return offset
    return NO_OFFSET


def end_of_last_shared_record(log: Log, other: Log) -> int:
    """The end of the shared part, searched backwards from the tail: one past the last offset with equal records.

    Source: FirstNonMatchingOffsetFromTail; the rounds of Kafka's AbstractFetcherThread.getOffsetTruncationState.
    """
    shared = 0
    for offset in range(min(end_of(log), end_of(other))):
        if is_same_record(log, other, offset):
            shared = offset + 1
    return shared


def kip_101_truncation_offset(leader: Log, follower: Replica) -> int:
    """Where the follower's latest epoch ends on the leader; the follower's high watermark if the leader has no answer.

    The latest epoch of an empty log is `NO_EPOCH`, older than every epoch, and ends at offset 0 on every leader.
    """
    end_offset = end_offset_for_epoch(leader, latest_epoch(follower.log))
    return follower.high_watermark if end_offset == NO_OFFSET else end_offset


def truncation_offset(follower: Replica, rules: ReplicationRules, leader: Log) -> int:
    """The end offset to which the rule truncates a replica that turns to a new epoch of the leader with this log.

    It can be above the replica's end offset only with `KIP_101`, which never compares the follower's log.
    """
    if rules.truncation == TruncationRule.HIGH_WATERMARK:
        return follower.high_watermark
    if rules.truncation == TruncationRule.KIP_101:
        return kip_101_truncation_offset(leader, follower)
    if rules.truncation == TruncationRule.KIP_279:
        return end_of_last_shared_record(leader, follower.log)
    return end_of(follower.log)


def needs_truncation(leader: Log, follower: Log) -> bool:
    """Whether a fetch with the last fetched epoch shows the leader that the follower's log diverges from its own.

    The follower's log is longer than the leader's, or its last record has another epoch than the leader's record there.
    """
    if end_of(follower) > end_of(leader):
        return True
    if end_of(follower) == 0:
        return False
    return latest_epoch(follower) != leader_epoch_at(leader, end_of(follower) - 1)
