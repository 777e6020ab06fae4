"""The files that brokers keep beside their logs, and how much of the controller's record is kept.

Part of Kafka judged: the leader-epoch file of `impl/broker`, and which metadata can still be read, by their records.
Source: KIP-101, KIP-279; `LeaderEpochFileCache`.
Left out, and why that is sound: the checkpoint of the high watermark, which `spec/cluster/steps.py` judges.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.enums import Propagation
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def epoch_at(broker: Broker, offset: int) -> int:
    """The leader epoch of an offset according to the leader-epoch file; `NO_EPOCH` if the file has none."""
    found = NO_EPOCH
    for epoch in range(len(broker.epoch_starts)):
        if broker.epoch_starts[epoch] != NO_OFFSET and broker.epoch_starts[epoch] <= offset:
            found = epoch
    return found


def epoch_file_matches_log(state: State) -> bool:
    """The leader-epoch file has the epoch of every record in the log.

    The start offsets in the file increase with the epochs. None is below the log's start or above its end.

    Lost if it fails: a follower gets a wrong end offset of an epoch, and truncates too much or too little.
    Source: KIP-101, KIP-279; `LeaderEpochFileCache`.
    """
    for broker in state.brokers:
        latest = NO_OFFSET
        for start in broker.epoch_starts:
            if start != NO_OFFSET:
                if start <= latest or start < broker.log_start_offset or start > broker.log.end_offset:
                    return False
                latest = start
        for offset in range(broker.log_start_offset, broker.log.end_offset):
            if broker.log.records[offset].epoch != epoch_at(broker, offset):
                return False
    return True


def late_writes_are_due(before: State, after: State, rules: ClusterRules) -> bool:
    """A background write of a leader-epoch file is due while disk and memory of a running broker differ.

    Disk and memory differ only after entries were cut, or the log's start rose. If appends await the file, no record is
    appended before the write is done.

    Lost if it fails: after a crash the broker gives records the wrong epochs.
    Source: KAFKA-16541, KAFKA-17142; `LeaderEpochFileCache.truncateFromEndAsyncFlush`.
    """
    for broker, now in zip(before.brokers, after.brokers):
        cut = int(broker.log_start_offset != now.log_start_offset)
        for epoch in range(len(now.epoch_starts)):
            is_written = now.epoch_file.starts[epoch] == now.epoch_starts[epoch]
            if now.is_running and not is_written and now.epoch_file.is_write_due == 0:
                return False
            if broker.epoch_starts[epoch] != NO_OFFSET and now.epoch_starts[epoch] == NO_OFFSET:
                cut += 1
        begins = broker.is_running and now.is_running and broker.epoch_file.is_write_due == 0
        if begins and now.epoch_file.is_write_due == 1 and cut == 0:
            return False
        if now.log.end_offset > broker.log.end_offset and now.epoch_file.is_write_due == 1:
            if rules.append_awaits_epoch_file:
                return False
    return True


def truncation_cuts_epochs(before: State, after: State) -> bool:
    """After a truncation the leader-epoch file has no epoch that begins at the log's end or above.

    Lost if it fails: the broker asks where an epoch ends although it has no record of that epoch.
    Source: KAFKA-10706; `LeaderEpochFileCache.truncateFromEnd`.
    """
    for broker_id in range(len(before.brokers)):
        now = after.brokers[broker_id]
        if now.log.end_offset < before.brokers[broker_id].log.end_offset:
            for epoch in range(len(now.epoch_starts)):
                if now.epoch_starts[epoch] >= now.log.end_offset:
                    return False
    return True


def only_followers_truncate(before: State, after: State) -> bool:
    """A broker begins to ask where to truncate only if it follows another broker and has an epoch to ask for.

    Lost if it fails: a leader, or a broker without a leader to ask, serves no requests and fetches nothing.
    Source: `AbstractFetcherThread.maybeTruncate`.
    """
    for broker_id in range(len(before.brokers)):
        now = after.brokers[broker_id]
        if now.must_truncate and not before.brokers[broker_id].must_truncate:
            if now.leader == NO_LEADER or now.leader == broker_id or epoch_at(now, now.log.end_offset) == NO_EPOCH:
                return False
    return True


def unread_metadata_is_blank(before: State, after: State, rules: ClusterRules) -> bool:
    """When a broker replays metadata, the changes that no process can read any more become blank, and no others.

    Lost if it fails: only time, because states differ by metadata that has no effect.
    Source: `note_replayed_metadata` of `model/cluster/system.py`.
    """
    if rules.propagation != Propagation.METADATA_LOG:
        return True
    replays = False
    lowest = after.controller.offset
    if after.controller.zombie_offset != NO_OFFSET:
        lowest = min(lowest, after.controller.zombie_offset)
    for broker, now in zip(before.brokers, after.brokers):
        if now.is_running:
            lowest = min(lowest, now.metadata_offset)
        is_next = now.metadata_offset == broker.metadata_offset + 1
        if is_next and before.controller.offset == after.controller.offset and now.is_running:
            replays = True
    for offset in range(len(after.controller.history)):
        was_blank = before.controller.history[offset].replicas == Ids()
        is_blank = after.controller.history[offset].replicas == Ids()
        if offset > after.controller.offset and was_blank and not is_blank:
            return False
        if offset >= lowest and is_blank and not was_blank:
            return False
        if replays and offset < lowest and not is_blank:
            return False
    return True


def everything_is_deleted(state: State) -> bool:
    """A leader's log starts above 0 and is empty. Without an example no deletion takes all records of a log."""
    return any(
        leader.log_start_offset > 0
        for leader_id, leader in enumerate(state.brokers)
        if leader.is_running and leader.leader == leader_id and leader.log_start_offset == leader.log.end_offset
    )


def lost_suffix(state: State) -> bool:
    """A broker's log ends below its high-watermark checkpoint. Without an example a power loss takes nothing."""
    return any(broker.high_watermark_checkpoint > broker.log.end_offset for broker in state.brokers)


def unflushed_survivor(state: State) -> bool:
    """A stopped broker has records that it had not flushed. Without an example a power loss takes everything."""
    return any(not broker.is_running and broker.flushed_offset < broker.log.end_offset for broker in state.brokers)
