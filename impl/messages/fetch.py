"""The requests of a follower to its leader, and the answers: Fetch and OffsetsForLeaderEpoch.

Part of Kafka modelled: `FetchRequest`, `FetchResponse` and `OffsetsForLeaderEpoch` of a `ReplicaFetcherThread`, which
has one request of either kind under way.
Source: apache/kafka (commit 1eb7644349); KIP-101, KIP-227, KIP-320, KIP-595, KIP-903.
Left out, and why that is sound: batches, because records arrive one at a time in every order that batches allow; more
than two fetches of one follower in flight, because its thread waits for the answer, or gives up the connection and with
it the answer.
"""

from typing import Annotated

from kafkacheck.checker.schema import Count, Struct
from kafkacheck.impl.enums import FetchError, Question, Stage
from kafkacheck.impl.ids import (
    NO_EPOCH,
    NO_LEADER,
    BrokerEpoch,
    LogOffset,
    LogStartOffset,
    OptionalLeaderEpoch,
    OptionalOffset,
    OptionalRecordId,
    OptionalReplicaId,
    TopicId,
)


class Fetch(Struct):
    """A follower's request to its leader, or the answer; all blank if the slot is free.

    stage: whether it is the request or the answer.
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


class OldFetch(Struct):
    """A follower's fetch whose connection is broken; all blank if the slot is free.

    It exists only with the bound `old_fetches`: at 0 the slot takes no bit of a state, and is always free.

    stage: whether the leader has still to read it, or has read it and has still to count it.
    topic_id: the topic that the follower asks for.
    leader: the broker that is asked.
    leader_epoch: the follower's leader epoch when it asked.
    broker_epoch: the follower's broker epoch when it asked.
    offset: the fetch offset.
    asked_epoch: the epoch of the follower's last record (with `ON_FETCH`).
    """

    stage: Stage
    topic_id: Annotated[int, Count("deletions")]
    leader: Annotated[int, Count("replicas - 1", lowest=NO_LEADER)]
    leader_epoch: Annotated[int, Count("max_leader_epoch", lowest=NO_EPOCH)]
    broker_epoch: Annotated[int, Count("max_broker_epoch")]
    offset: Annotated[int, Count("log_size")]
    asked_epoch: Annotated[int, Count("max_leader_epoch", lowest=NO_EPOCH)]
