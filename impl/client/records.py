"""The state of producers and of a consumer.

Part of Kafka modelled: the acknowledgements of `KafkaProducer`; the position of `KafkaConsumer` (`SubscriptionState`).
Source: apache/kafka (commit 1eb7644349); KIP-207, KIP-320, KIP-392.
Left out, and why that is sound: several consumers, because they do not affect each other.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, Struct
from kafkacheck.impl.ids import (
    NO_LEADER,
    LogOffset,
    NextRecordId,
    OptionalLeaderEpoch,
    OptionalOffset,
    OptionalRecordId,
    OptionalReplicaId,
    TopicId,
)

ReadReplica = Annotated[int, Count("replicas * read_replicas - 1", lowest=NO_LEADER)]


class Producers(Struct):
    """All producers together.

    next_record: the id of the next record; no two records share one.
    acknowledged: by record, the offset acknowledged to its producer; `NO_OFFSET` if none was.
    topic_ids: by record, the topic whose leader has appended it. Only properties read it.
    """

    next_record: NextRecordId
    acknowledged: Annotated[Array[OptionalOffset], ById("max_records")]
    topic_ids: Annotated[Array[TopicId], ById("max_records")]


class Consumer(Struct):
    """One consumer of the partition.

    topic_id: the topic in its metadata.
    leader: the broker that it reads from; `NO_LEADER` before it has any metadata.
    read_replica: the follower that it reads from instead, as the leader told it; `NO_LEADER` if there is none, and
        always if the bound `read_replicas` is 0.
    leader_epoch: the leader epoch in that metadata.
    position: the offset that it reads next.
    position_epoch: the leader epoch of the record below its position; `NO_EPOCH` at the beginning.
    must_validate: whether it must compare its position with the leader's epochs before it reads on.
    is_truncated: whether it has learnt that records it has read are gone (`LogTruncationException`).
    latest_offset: the highest answer to its requests for the latest offset; `NO_OFFSET` before it has asked.
    told_offset: the last answer to such a request; `NO_OFFSET` before it has asked.
    read_limit: the limit that the leader computed for a read in progress; `NO_OFFSET` if there is none.
    records: by offset, the record that it has read there; `NO_RECORD` if it has read none.
    """

    topic_id: TopicId
    leader: OptionalReplicaId
    read_replica: ReadReplica
    leader_epoch: OptionalLeaderEpoch
    position: LogOffset
    position_epoch: OptionalLeaderEpoch
    must_validate: bool
    is_truncated: bool
    latest_offset: OptionalOffset
    told_offset: OptionalOffset
    read_limit: OptionalOffset
    records: Annotated[Array[OptionalRecordId], ByPosition("log_size")]
