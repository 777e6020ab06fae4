"""The state of one broker's replica, on disk and in memory.

Part of Kafka modelled: `Partition`, `Replica` and `LeaderEpochFileCache` of one broker.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: `lastCaughtUpTimeMs`, because a lagging follower may be found lagging at once, later or
never.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, If, Struct
from kafkacheck.impl.ids import (
    NO_LEADER,
    NO_OFFSET,
    BrokerEpoch,
    ControllerEpoch,
    LogOffset,
    LogStartOffset,
    MetadataOffset,
    OptionalBrokerEpoch,
    OptionalLeaderEpoch,
    OptionalOffset,
    OptionalReplicaId,
    ReplicaSet,
    TopicId,
)
from kafkacheck.impl.log import Log

LateOffset = Annotated[int, Count("log_size", lowest=NO_OFFSET)]
SessionLeader = Annotated[int, Count("replicas - 1", lowest=NO_LEADER)]


class FollowerState(Struct):
    """A leader's knowledge of one follower from its fetches in this leader epoch; blank if the broker does not lead.

    end_offset: the offset of its last fetch, below which it surely has every record; `NO_OFFSET` before the first one.
    broker_epoch: the broker epoch in that fetch; `NO_EPOCH` before the first one.
    is_caught_up: whether the leader has found it caught up and may propose it for the ISR; used only if that takes two
        steps.
    caught_up_broker_epoch: its broker epoch when it was found caught up; `NO_EPOCH` otherwise.
    """

    end_offset: OptionalOffset
    broker_epoch: OptionalBrokerEpoch
    is_caught_up: bool
    caught_up_broker_epoch: OptionalBrokerEpoch


class EpochFile(Struct):
    """A broker's leader-epoch file on disk; its newest content is in memory (`Broker.epoch_starts`).

    It exists only with the bound `epoch_files`: at 0 every field is blank, and disk and memory count as the same.

    starts: for each leader epoch its start offset; `NO_OFFSET` if the disk does not have the epoch.
    is_unforced: 1 if the file was written but not forced to the disk, so that a power loss leaves it empty.
    is_write_due: 1 if a background write of the file is due.
    late_starts: the content of that write, if it is fixed when the write becomes due; blank otherwise.
    is_kept: always the bound `epoch_files`.
    """

    starts: Annotated[Array[LateOffset], ByPosition("max_leader_epoch + 1")]
    is_unforced: Annotated[int, Count("epoch_files")]
    is_write_due: Annotated[int, Count("epoch_files")]
    late_starts: Annotated[Array[LateOffset], ByPosition("max_leader_epoch + 1")]
    is_kept: Annotated[int, Count("epoch_files", lowest="epoch_files")]


class Registration(Struct):
    """A ZooKeeper-era broker's knowledge of its own registration.

    It exists only with the bound `late_registrations`: at 0 a broker knows its epoch as soon as it has one.

    is_unknown: 1 if the broker has registered and does not know its broker epoch yet.
    refused_offset: the newest change whose request the broker has refused since it started; `NO_OFFSET` if none.
    """

    is_unknown: Annotated[int, Count("late_registrations")]
    refused_offset: Annotated[int, Count("max_metadata_offset", lowest=NO_OFFSET)]


class Broker(Struct):
    """One broker's replica of the partition.

    is_running: whether the process runs.
    is_stopped_cleanly: whether its last stop was a controlled shutdown, which flushes everything.
    has_log: whether the replica exists on this broker.
    topic_id: the topic of its log (`partition.metadata`), or the topic that the broker assumes if logs do not name it;
        0 without a log.
    is_log_offline: whether the disk with the log has failed, so that the broker can neither read nor write it.
    broker_epoch: distinguishes this start of the broker from earlier ones; the controller assigns it when the broker
        registers.
    registration: whether the broker knows that epoch itself.
    log: the records, in the page cache or on disk.
    log_start_offset: the first offset that is kept; records below are gone. At most the high watermark.
    flushed_offset: the offset below which every record is surely on disk; at most the log's end.
    epoch_starts: the leader-epoch file: for each leader epoch its start offset; `NO_OFFSET` if the file does not have
        the epoch. A later epoch starts at the same offset or a higher one, and each at most at the log's end.
    epoch_file: that file on disk.
    high_watermark: the offset below which it knows every record to be committed; at most the log's end.
    high_watermark_checkpoint: the high watermark in the file `replication-offset-checkpoint`; at most the high
        watermark.
    metadata_offset: the last controller change that it has replayed, or the newest whose request it obeyed; at most the
        controller's newest.
    controller_epoch: the highest controller epoch that it knows; at most the active controller's.
    leader_epoch: its current leader epoch; `NO_EPOCH` until it learns one after a start.
    leader: the broker that it takes for the leader of that epoch.
    partition_epoch: the version of the ISR that it knows.
    isr: as leader, the last ISR that the controller confirmed; as follower, the last one that it learnt.
    pending_isr: as leader, the ISR that it has proposed, until it is confirmed; empty if there is none.
    leader_epoch_start_offset: as leader, its log's end when it took over, so at most the log's end now; 0 otherwise.
    must_truncate: as follower, whether it must ask where to truncate its log before it fetches.
    followers: as leader, its knowledge of each other broker.
    leads_since: as leader, the first leader epoch of those in which it has led without stepping down; `NO_EPOCH` if it
        does not lead. It exists only with the bound `metadata_deltas`: at 0 a broker replays record by record.
    """

    is_running: bool
    is_stopped_cleanly: bool
    has_log: bool
    topic_id: TopicId
    is_log_offline: bool
    broker_epoch: BrokerEpoch
    registration: Annotated[Registration, If("late_registrations")]
    log: Log
    log_start_offset: LogStartOffset
    flushed_offset: LogOffset
    epoch_starts: Annotated[Array[OptionalOffset], ByPosition("max_leader_epoch + 1")]
    epoch_file: Annotated[EpochFile, If("epoch_files")]
    high_watermark: LogOffset
    high_watermark_checkpoint: LogOffset
    metadata_offset: MetadataOffset
    controller_epoch: ControllerEpoch
    leader_epoch: OptionalLeaderEpoch
    leader: OptionalReplicaId
    partition_epoch: MetadataOffset
    isr: ReplicaSet
    pending_isr: ReplicaSet
    leader_epoch_start_offset: LogOffset
    must_truncate: bool
    followers: Annotated[Array[FollowerState], ById("replicas")]
    leads_since: Annotated[OptionalLeaderEpoch, If("metadata_deltas")]


class FetchSession(Struct):
    """A follower's fetch session, on both sides; all blank if there is none.

    It exists only with the bound `fetch_sessions`: at 0 there are no sessions, and every fetch is a full one.

    leader: the leader with which the follower has the session; `NO_LEADER` if its next fetch opens one.
    cached_by: the leader that still has the newest session of this follower; `NO_LEADER` if none has.
    """

    leader: SessionLeader
    cached_by: SessionLeader
