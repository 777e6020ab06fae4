"""The leader of an epoch: what it has of its predecessor, and where it says that an epoch ends.

Part of Kafka modelled: `Partition` (`makeLeader`, `lastOffsetForLeaderEpoch`), `LeaderEpochFileCache`.
Source: apache/kafka (commit 1eb7644349); KIP-101, KIP-320.
Left out, and why that is sound: elections, replication, the high watermark. **Not covered**: a leader elected uncleanly
that has records which its predecessor never had: a consumer keeps the epoch of its last record only, and the answer may
lie above the first record that differs.
"""

from kafkacheck.checker.schema import copy
from kafkacheck.impl.broker.epoch_file import begin_epoch_at, cut_epochs_from, end_offset_of_epoch, epoch_that_ends
from kafkacheck.impl.log import truncate_to
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.resumption.records import EpochEndRequest, EpochLeader


def succeed(leader: EpochLeader, predecessor: EpochLeader, leader_epoch: int, end_offset: int) -> None:
    """Begin to lead in an epoch, with the records of the predecessor below an offset."""
    copy(leader.log, predecessor.log)
    copy(leader.epoch_starts, predecessor.epoch_starts)
    truncate_to(leader.log, end_offset)
    cut_epochs_from(leader, end_offset)
    begin_epoch_at(leader, leader_epoch, end_of(leader.log))


def tell_epoch_end(leader: EpochLeader, request: EpochEndRequest) -> bool:
    """Say where an epoch ends.

    Who: the leader of the epoch that the request names, deposed or not.
    When: the request has arrived.
    Effect: the answer is under way: the newest epoch of its file up to the one in question, and the end offset of it.
        Both are undefined if the file has no epoch as new as that.
    Source: Partition.lastOffsetForLeaderEpoch, LeaderEpochFileCache.endOffsetFor.
    Left out: requests that are lost or fenced (FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH), which the consumer sends
        again.
    """
    if not request.is_sent or request.is_answered:
        return False
    request.is_answered = True
    request.end.offset = end_offset_of_epoch(leader, request.position.epoch)
    request.end.epoch = epoch_that_ends(leader, request.position.epoch)
    return True
