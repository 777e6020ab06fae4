"""The records of a consumer that resumes, of the committed offset, and of the leaders that answer it.

Part of Kafka modelled: `SubscriptionState.FetchPosition`, `OffsetAndMetadata`, `EpochEndOffset`, `Metadata` (the last
leader epoch that was seen), `LeaderEpochFileCache`.
Source: apache/kafka (commit 1eb7644349); KIP-320; the issues named at each switch.
Left out, and why that is sound: the node of a leader: a leader epoch has one leader.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Array, ByPosition, Since, Struct
from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.ids import OptionalLeaderEpoch, OptionalOffset
from kafkacheck.impl.log import Log
from kafkacheck.impl.resumption.constants import FetchState


class ResumptionRules(NamedTuple):
    """The settings of applications and clients, and the switches, each named after the correct behaviour.

    auto_offset_reset: where a consumer begins if no offset is committed, or its position is gone.
    commits_name_epoch: the application names the leader epoch with each offset that it commits. It is free to leave the
        epoch out, and Kafka's documentation has named the harm since KAFKA-20507.
    clients_are_new: each client asks with a version of OffsetFetch that has the leader epoch (5 or later, since Kafka
        2.1), and validates positions. If they are not, each consumer may be of either kind.
    only_news_is_committed: the client compares the offset to commit with the committed one, and commits only what is
        newer, as librdkafka does; Kafka's own client commits its position.
    absent_epoch_is_unknown: an epoch that an answer does not have is unknown, and not 0 (IBM/sarama 2694, 2705).
    unknown_epoch_is_not_compared: the client compares the offsets alone if one of the epochs is unknown (librdkafka
        4442).
    positions_are_validated: the consumer asks the leader where the epoch of its position ends (KAFKA-7747).
    """

    auto_offset_reset: AutoOffsetReset = AutoOffsetReset.EARLIEST
    commits_name_epoch: bool = True
    clients_are_new: bool = True
    only_news_is_committed: bool = False
    absent_epoch_is_unknown: Annotated[bool, Since(EVERY)] = True
    unknown_epoch_is_not_compared: Annotated[bool, Since(EVERY)] = True
    positions_are_validated: Annotated[bool, Since("2.3")] = True


class EpochLeader(Struct):
    """The leader of one leader epoch. It answers in its epoch, also if it was deposed and does not know it.

    log: its records, all of them committed in the sense of replication.
    epoch_starts: its leader-epoch file, as `impl/broker/epoch_file.py` has it.
    """

    log: Log
    epoch_starts: Annotated[Array[OptionalOffset], ByPosition("max_leader_epoch + 1")]


class OffsetAndEpoch(Struct):
    """An offset with the leader epoch of the record before it, as `OffsetAndMetadata` has both.

    offset: the offset; `NO_OFFSET` if there is none.
    epoch: the leader epoch; `NO_EPOCH` if it is unknown.
    """

    offset: OptionalOffset
    epoch: OptionalLeaderEpoch


class FetchPosition(Struct):
    """Where a consumer reads next.

    offset: the offset of the next record; `NO_OFFSET` if the consumer has no position.
    epoch: the leader epoch of the record before it; `NO_EPOCH` if it is unknown.
    leader_epoch: the leader epoch for which the consumer has the position, or validates it.
    """

    offset: OptionalOffset
    epoch: OptionalLeaderEpoch
    leader_epoch: OptionalLeaderEpoch


class EpochEndRequest(Struct):
    """A request where an epoch ends (OffsetsForLeaderEpoch), and its answer.

    is_sent: whether the request is under way, or its answer.
    is_answered: whether the leader has answered.
    position: the position to validate. Its leader epoch says which leader is asked.
    end: the end offset of the newest epoch that the leader has up to that of the position, and that epoch.
    """

    is_sent: bool
    is_answered: bool
    position: FetchPosition
    end: OffsetAndEpoch


class ResumingConsumer(Struct):
    """A consumer that owns the partition.

    is_running: whether it runs.
    is_old: whether its client asks with a version of OffsetFetch that has no epoch, and validates nothing.
    leader_epoch: the newest leader epoch that it has seen, in metadata or with the committed offset.
    knows_leader: whether its metadata is of that epoch, so that it knows the leader.
    fetch_state: whether it has a position, and may fetch from it.
    position: where it reads next.
    leaves_epoch_out: whether the application commits its position without the epoch.
    request: the validation under way.
    divergent: what the application was told: the first offset at which its records and the leader's differ; blank if
        the leader does not know.
    """

    is_running: bool
    is_old: bool
    leader_epoch: OptionalLeaderEpoch
    knows_leader: bool
    fetch_state: FetchState
    position: FetchPosition
    leaves_epoch_out: bool
    request: EpochEndRequest
    divergent: OffsetAndEpoch
