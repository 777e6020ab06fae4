"""The state of one broker's replica, on disk and in memory, and the broker's requests in flight.

Part of Kafka modelled: `Partition`, `Replica` and `LeaderEpochFileCache` of one broker; the `Fetch` and
`OffsetsForLeaderEpoch` requests of its `ReplicaFetcherThread`, and the `AlterPartition` requests of its
`AlterPartitionManager`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: batches, because records arrive one at a time in every order that batches allow; more
than two fetches of one follower in flight, because its thread waits for the answer, or gives up the connection and with
it the answer; `lastCaughtUpTimeMs`, because a lagging follower may be found lagging at once, later or never.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, EnumOf, Epoch, Offset, Struct
from kafkacheck.impl.constants import NO_EPOCH, NO_LEADER, NO_OFFSET, AlterPartitionError, FetchError, Question, Stage
from kafkacheck.impl.log import Log, LogOffset, OptionalLeaderEpoch, OptionalRecordId
from kafkacheck.impl.replication.records import OptionalReplicaId, ReplicaSet

OptionalOffset = Annotated[int, Count("log_size", lowest=NO_OFFSET)]
LogStartOffset = Annotated[int, Offset("max_log_start")]
BrokerEpoch = Annotated[int, Epoch("max_broker_epoch")]
OptionalBrokerEpoch = Annotated[int, Epoch("max_broker_epoch", none=NO_EPOCH)]
ControllerEpoch = Annotated[int, Epoch("max_controller_epoch")]
MetadataOffset = Annotated[int, Offset("max_metadata_offset")]
TopicId = Annotated[int, Count("deletions")]
LateOffset = Annotated[int, Count("(log_size + 1) * epoch_files - 1", lowest=NO_OFFSET)]
SessionLeader = Annotated[int, Count("replicas * fetch_sessions - 1", lowest=NO_LEADER)]


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

    The bound `epoch_files` multiplies the ranges: at 0 every field is blank, and disk and memory count as the same.

    starts: for each leader epoch its start offset; `NO_OFFSET` if the disk does not have the epoch.
    is_unforced: 1 if the file was written but not forced to the disk, so that a power loss leaves it empty.
    is_write_due: 1 if a background write of the file is due.
    late_starts: the content of that write, if it is decided before; blank otherwise.
    is_kept: always the bound `epoch_files`.
    """

    starts: Annotated[Array[LateOffset], ByPosition("max_leader_epoch + 1")]
    is_unforced: Annotated[int, Count("epoch_files")]
    is_write_due: Annotated[int, Count("epoch_files")]
    late_starts: Annotated[Array[LateOffset], ByPosition("max_leader_epoch + 1")]
    is_kept: Annotated[int, Count("epoch_files", lowest="epoch_files")]


class Registration(Struct):
    """A ZooKeeper-era broker's knowledge of its own registration.

    The bound `late_registrations` multiplies the ranges: at 0 a broker knows its epoch as soon as it has one.

    is_unknown: 1 if the broker has registered and does not know its broker epoch yet.
    refused_offset: the newest change whose request the broker has refused since it started; `NO_OFFSET` if none.
    is_late: always the bound `late_registrations`.
    """

    is_unknown: Annotated[int, Count("late_registrations")]
    refused_offset: Annotated[int, Count("(max_metadata_offset + 1) * late_registrations - 1", lowest=NO_OFFSET)]
    is_late: Annotated[int, Count("late_registrations", lowest="late_registrations")]


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
    log_start_offset: the first offset that is kept; records below are gone.
    flushed_offset: the offset below which every record is surely on disk.
    epoch_starts: the leader-epoch file: for each leader epoch its start offset; `NO_OFFSET` if the file does not have
        the epoch.
    epoch_file: that file on disk.
    high_watermark: the offset below which it knows every record to be committed; never above the log's end.
    high_watermark_checkpoint: the high watermark in the file `replication-offset-checkpoint`.
    metadata_offset: the last controller change that it has replayed, or the newest whose request it obeyed.
    controller_epoch: the highest controller epoch that it knows.
    leader_epoch: its current leader epoch; `NO_EPOCH` until it learns one after a start.
    leader: the broker that it takes for the leader of that epoch.
    partition_epoch: the version of the ISR that it knows.
    isr: as leader, the last ISR that the controller confirmed; as follower, the last one that it learnt.
    pending_isr: as leader, the ISR that it has proposed, until it is confirmed; empty if there is none.
    leader_epoch_start_offset: as leader, its log's end when it took over; 0 otherwise.
    must_truncate: as follower, whether it must ask where to truncate its log before it fetches.
    followers: as leader, its knowledge of each other broker.
    """

    is_running: bool
    is_stopped_cleanly: bool
    has_log: bool
    topic_id: TopicId
    is_log_offline: bool
    broker_epoch: BrokerEpoch
    registration: Registration
    log: Log
    log_start_offset: LogStartOffset
    flushed_offset: LogOffset
    epoch_starts: Annotated[Array[OptionalOffset], ByPosition("max_leader_epoch + 1")]
    epoch_file: EpochFile
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


class Fetch(Struct):
    """A follower's request to its leader, or the answer; all blank if the slot is free.

    stage: which of the two it is.
    question: the kind of request.
    topic_id: the topic that the follower asks for.
    is_incremental: 1 if a fetch belongs to a session that was opened before; 0 otherwise.
    leader: the broker that is asked.
    leader_epoch: the follower's leader epoch when it asked.
    broker_epoch: the follower's broker epoch when it asked.
    offset: the fetch offset, which is the follower's end offset.
    asked_epoch: the epoch of the follower's last record (with `ON_FETCH`), or the epoch whose end offset is asked for.
    error: the answer's error.
    record: the record fetched, `NO_RECORD` if there is none at that offset yet.
    record_epoch: its leader epoch.
    high_watermark: the leader's high watermark when it answered.
    diverging_epoch: the epoch in a fetch response if the logs diverge, or in the answer to `OffsetsForLeaderEpoch`.
    end_offset: the end offset of that epoch; `NO_OFFSET` if the leader does not know it or the logs do not diverge.
    log_start_offset: the leader's log start offset.
    """

    stage: Stage
    question: Question
    topic_id: TopicId
    is_incremental: Annotated[int, Count("fetch_sessions")]
    leader: OptionalReplicaId
    leader_epoch: OptionalLeaderEpoch
    broker_epoch: BrokerEpoch
    offset: LogOffset
    asked_epoch: OptionalLeaderEpoch
    error: FetchError
    record: OptionalRecordId
    record_epoch: OptionalLeaderEpoch
    high_watermark: LogOffset
    diverging_epoch: OptionalLeaderEpoch
    end_offset: OptionalOffset
    log_start_offset: LogStartOffset


class FetchSession(Struct):
    """A follower's fetch session, on both sides; all blank if there is none.

    The bound `fetch_sessions` multiplies the ranges: at 0 there are no sessions, and every fetch is a full one.

    leader: the leader with which the follower has it; `NO_LEADER` if its next fetch opens one.
    cached_by: the leader that still has the newest session of this follower; `NO_LEADER` if none has.
    is_possible: always the bound `fetch_sessions`, which is 1 if there are sessions.
    """

    leader: SessionLeader
    cached_by: SessionLeader
    is_possible: Annotated[int, Count("fetch_sessions", lowest="fetch_sessions")]


class OldFetch(Struct):
    """A follower's fetch whose connection is broken; all blank if the slot is free.

    The bound `old_fetches` multiplies the ranges: at 0 the slot takes no bit of a state, and is always free.

    stage: whether the leader has still to read it, or has read it and has still to count it.
    topic_id: the topic that the follower asks for.
    leader: the broker that is asked.
    leader_epoch: the follower's leader epoch when it asked.
    broker_epoch: the follower's broker epoch when it asked.
    offset: the fetch offset.
    asked_epoch: the epoch of the follower's last record (with `ON_FETCH`).
    """

    stage: Annotated[Stage, EnumOf(Stage, highest="2 * old_fetches")]
    topic_id: Annotated[int, Count("deletions * old_fetches")]
    leader: Annotated[int, Count("replicas * old_fetches - 1", lowest=NO_LEADER)]
    leader_epoch: Annotated[int, Count("(max_leader_epoch + 1) * old_fetches - 1", lowest=NO_EPOCH)]
    broker_epoch: Annotated[int, Count("max_broker_epoch * old_fetches")]
    offset: Annotated[int, Count("log_size * old_fetches")]
    asked_epoch: Annotated[int, Count("(max_leader_epoch + 1) * old_fetches - 1", lowest=NO_EPOCH)]


class AlterPartition(Struct):
    """A leader's request to change the ISR, or the controller's answer; all blank if the slot is free.

    stage: which of the two it is.
    topic_id: the topic of the partition; 0 in an answer.
    broker_epoch: the sender's broker epoch.
    leader_epoch: the sender's leader epoch; in an answer the controller's.
    partition_epoch: the version of the ISR that the change starts from; in an answer the new one.
    isr: the ISR proposed; in an answer the current ISR.
    member_epochs: the broker epochs of the members proposed, as the leader knows them; `NO_EPOCH` for a
        member that has not fetched yet, and for all others.
    ends_recovery: whether the sender declares that it has recovered from the unclean election that made it leader.
    error: the answer's error.
    """

    stage: Stage
    topic_id: TopicId
    broker_epoch: BrokerEpoch
    leader_epoch: OptionalLeaderEpoch
    partition_epoch: MetadataOffset
    isr: ReplicaSet
    member_epochs: Annotated[Array[OptionalBrokerEpoch], ById("replicas")]
    ends_recovery: bool
    error: AlterPartitionError
