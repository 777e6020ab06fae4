"""The offsets of several groups: the log that has them, and the coordinator's memory.

Part of Kafka modelled: `OffsetCommitValue`, `OffsetAndMetadata`, `OffsetMetadataManager` (`offsets`,
`pendingTransactionalOffsets`, `openTransactionsByGroup`), `Group`; `CoordinatorRuntime` (`lastCommittedOffset`).
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-211, KIP-848, KIP-1251; the issues named at each switch.
Left out, and why that is sound: metadata of a commit, except that it may be too large; topics with several partitions:
here a partition is a topic of its own. A write is one position of the log, although it may have several records: they
are one batch. Time has as many ticks as a model needs, and the retention is one of them.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Array, AtMost, ById, Count, Epoch, Id, If, Queue, Since, Struct
from kafkacheck.impl.group_offsets.constants import NO_MEMBER_EPOCH, NO_TIME, NOT_WRITTEN, OffsetGroupType
from kafkacheck.impl.ids import NO_OFFSET, PartitionSet
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.records import OptionalProducerId

GroupId = Annotated[int, Id("groups")]
GroupMemberEpoch = Annotated[int, Epoch("max_member_epoch")]
OptionalMemberEpoch = Annotated[int, Epoch("max_member_epoch", none=NO_MEMBER_EPOCH)]
LoggedPosition = Annotated[int, Count("log_writes")]
OptionalPosition = Annotated[int, Count("log_writes", lowest=NO_OFFSET)]
StoredOffset = Annotated[int, Count("offsets")]
WrittenOffset = Annotated[int, Count("offsets", lowest=NOT_WRITTEN)]
Time = Annotated[int, Count("max_time")]
OptionalTime = Annotated[int, Count("max_time", lowest=NO_TIME)]


class GroupOffsetsRules(NamedTuple):
    """The switches, each named after the correct behaviour.

    refused_commit_is_not_pending: an offset that the coordinator refuses is not noted as pending, which would keep the
        offset and the group for ever (KAFKA-16371).
    members_keep_offsets: the offsets of a group with members do not expire (KAFKA-4682, KIP-211).
    rebalance_keeps_offsets: no offset expires while the members of a group are about to have other subscriptions
        (KAFKA-13636).
    consumer_group_keeps_offsets: the retention of a group of the new protocol begins when the group becomes empty, as
        KIP-211 has it for classic groups (no release).
    late_commit_keeps_offset: an offset that is committed while a classic group is empty is kept for the retention, and
        not only for what is left since the group became empty (no release).
    pending_offset_keeps_group: a group without committed offsets is not deleted while an offset of it is pending
        (KAFKA-19163).
    tombstone_ends_pending: a tombstone of the last pending offset of a group ends the wait for the transaction
        (KAFKA-19164).
    producer_may_be_no_member: a group of the new protocol accepts a transactional commit that names no member
        (KAFKA-18060).
    commit_may_name_earlier_epoch: a group of the new protocol accepts the epochs since which the member has the
        partition (KIP-1251).
    new_coordinator_awaits_high_watermark: a new coordinator answers only when all that it has read is known to be
        committed (no release).
    loading_coordinator_hears_high_watermark: a new coordinator hears of a high watermark that rises after it has read
        the last record, and before it serves (no release).
    deposed_coordinator_hears_nothing: a coordinator whose broker has become a follower hears of no high watermark, so
        that it answers no write as committed that was lost (KAFKA-20634).
    """

    refused_commit_is_not_pending: Annotated[bool, Since("3.8", begun="0.9")] = True
    members_keep_offsets: Annotated[bool, Since("2.1")] = True
    rebalance_keeps_offsets: Annotated[
        bool, Since("2.8.2", begun="2.4"), Since("3.0.1", begun="3.0"), Since("3.1.1", begun="3.1")
    ] = True
    consumer_group_keeps_offsets: Annotated[bool, Since(EVERY)] = False
    late_commit_keeps_offset: Annotated[bool, Since(EVERY)] = False
    pending_offset_keeps_group: Annotated[bool, Since("4.0.1", begun="3.8")] = True
    tombstone_ends_pending: Annotated[bool, Since("4.0.1", begun="3.8")] = True
    producer_may_be_no_member: Annotated[bool, Since("4.0", begun="3.8")] = True
    commit_may_name_earlier_epoch: Annotated[bool, Since("4.3")] = True
    new_coordinator_awaits_high_watermark: Annotated[bool, Since(EVERY)] = False
    loading_coordinator_hears_high_watermark: Annotated[bool, Since(EVERY)] = False
    deposed_coordinator_hears_nothing: Annotated[bool, Since("4.2.2", begun="3.7"), Since("4.3.1", begun="4.3")] = True


class OffsetGroup(Struct):
    """What the coordinator of offsets asks of a group.

    type: the kind of group; `NONE` if there is none.
    has_member: whether it has its member.
    is_rebalancing: whether the member has asked for another subscription, which the group does not have yet; classic
        groups only.
    epoch: the generation, or the member's epoch.
    owned_since: the epoch since which the member has its partitions.
    subscribed: the topics that the group knows to be subscribed.
    wanted: the topics that the member subscribes to.
    empty_since: when the group lost its member; `NO_TIME` if it has one, or is not known to have had one.
    """

    type: OffsetGroupType
    has_member: bool
    is_rebalancing: bool
    epoch: GroupMemberEpoch
    owned_since: GroupMemberEpoch
    subscribed: PartitionSet
    wanted: PartitionSet
    empty_since: OptionalTime


class LoggedWrite(Struct):
    """A write to the log: a batch of records, or the marker of a transaction.

    group_id: the group.
    producer_id: the producer of the transaction, also of a marker; `NO_PRODUCER_ID` outside transactions.
    marker: how the transaction ended; `NONE` for records.
    offsets: by partition, what is committed; `NO_COMMIT` for a tombstone, `NOT_WRITTEN` without a record.
    has_group: whether there is a record of the group; its tombstone if the group is blank.
    group: the group.
    time: when it was written.
    term: the leader epoch of the coordinator that wrote it.
    """

    group_id: GroupId
    producer_id: OptionalProducerId
    marker: Marker
    offsets: Annotated[Array[WrittenOffset], ById("partitions")]
    has_group: bool
    group: OffsetGroup
    time: Time
    term: Annotated[int, Count("coordinator_moves")]


class StoredCommit(Struct):
    """A committed or pending offset in memory.

    offset: the offset; `NO_COMMIT` if there is none.
    position: the position of its write (`recordOffset`); `NO_OFFSET` if there is none.
    time: the commit timestamp.
    """

    offset: StoredOffset
    position: OptionalPosition
    time: Time


class PendingOffsets(Struct):
    """The offsets of a group in a producer's open transaction.

    is_open: whether the group waits for the transaction to end (`openTransactionsByGroup`).
    offsets: by partition, the pending offset.
    """

    is_open: bool
    offsets: Annotated[Array[StoredCommit], ById("partitions")]


class CachedGroup(Struct):
    """A group in memory.

    group: the group.
    offsets: by partition, the committed offset.
    pending: by producer id, the offsets in its open transaction.
    being_written: partitions whose commit is noted, and is not in the log (`pendingOffsetCommits`).
    """

    group: OffsetGroup
    offsets: Annotated[Array[StoredCommit], ById("partitions")]
    pending: Annotated[Array[PendingOffsets], ById("producer_ids")]
    being_written: Annotated[PartitionSet, If("refusals")]


class OffsetsCache(Struct):
    """What a prefix of the log says.

    groups: the groups.
    """

    groups: Annotated[Array[CachedGroup], ById("groups")]


class OffsetsCoordinator(Struct):
    """The coordinator of the groups of one partition. Kafka has one memory with snapshots; here it is two memories.

    is_loading: 1 while it reads the log.
    next_offset: the position that it reads next.
    written: what the whole log says, as far as it was read.
    committed: what the log says below `committed_to`.
    high_watermark: the high watermark that it has heard of.
    committed_to: how far it knows the log to be committed (`lastCommittedOffset`).
    """

    is_loading: Annotated[int, Count("coordinator_moves")]
    next_offset: LoggedPosition
    written: OffsetsCache
    committed: OffsetsCache
    high_watermark: LoggedPosition
    committed_to: LoggedPosition


class OffsetsPartition(Struct):
    """A partition of the offsets topic, at its leader.

    log: the writes.
    high_watermark: the position before which the leader knows all writes to be committed.
    replicated: the position before which they are; above the high watermark after an election.
    cleaned_to: the position before which the cleaner has removed superseded records.
    leader_epoch: the leader epoch.
    """

    log: Annotated[Queue[LoggedWrite], AtMost("log_writes")]
    high_watermark: LoggedPosition
    replicated: LoggedPosition
    cleaned_to: Annotated[LoggedPosition, If("cleanings")]
    leader_epoch: Annotated[int, Count("coordinator_moves")]


class DeposedCoordinator(Struct):
    """A coordinator whose broker has become a follower, and that is not unloaded yet; blank if there is none.

    is_waiting: whether a write of it is not answered, which the new leader lacks.
    position: the position that the write had.
    write: the write.
    """

    is_waiting: bool
    position: LoggedPosition
    write: LoggedWrite
