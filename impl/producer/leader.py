"""A partition's broker and its produce requests: it appends as leader, and answers when every replica has the batch.

Part of Kafka modelled: `ReplicaManager.appendRecords`, `Partition` (`appendRecordsToLeader`, `makeFollower`),
`DelayedProduce`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-890, KAFKA-12153.
Left out, and why that is sound: a deposed leader's acknowledgement of a batch below its own high watermark: it is true,
and the batch is acknowledged when it is sent again.
"""

from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.constants import ProduceError
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.log.records import Batch, PartitionReplica
from kafkacheck.impl.log.replica import append_for_client, stored_offset, truncate_replica
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.client_records import ProducerBatch
from kafkacheck.impl.producer.constants import RequestStage
from kafkacheck.impl.producer.partition_records import Connection, ProduceRequest
from kafkacheck.impl.producer.wire import answer


def answer_waiting(connection: Connection, high_watermark: int) -> None:
    """Answer the leader's requests that waited for the high watermark (`DelayedProduce`)."""
    for request in connection.requests:
        if request.stage == RequestStage.WAITING and request.offset < high_watermark:
            answer(request, ProduceError.NONE)


def is_too_large(content: ProducerBatch, batch: Batch) -> bool:
    """Whether the batch is too large for the topic (`max.message.bytes`)."""
    return content.is_oversized == 1 and batch.record_count > 1


def has_room_for(replica: PartitionReplica, rules: LogRules, batch: Batch) -> bool:
    """Whether the log has room for another batch, or the batch will not be appended."""
    return not is_full(replica.log) or not replica.is_leading or stored_offset(replica.log, rules, batch) != NO_OFFSET


def handle_produce(replica: PartitionReplica, rules: LogRules, request: ProduceRequest, content: ProducerBatch) -> None:
    """Append the request's batch, or answer why not. An appended batch and a duplicate wait for the other replicas.

    `content`: the application's batch, which shows whether the topic takes its records.
    """
    if not replica.is_leading:
        answer(request, ProduceError.NOT_LEADER_OR_FOLLOWER)
    elif content.is_invalid == 1:
        answer(request, ProduceError.INVALID_RECORD)
    elif is_too_large(content, request.batch):
        answer(request, ProduceError.MESSAGE_TOO_LARGE)
    else:
        request.offset = stored_offset(replica.log, rules, request.batch)
        if request.offset == NO_OFFSET:
            error = append_for_client(replica.log, rules, request.batch)
            if error != ProduceError.NONE:
                answer(request, error)
                return
            request.offset = end_of(replica.log) - 1
        request.stage = RequestStage.WAITING


def handle_late_request(replica: PartitionReplica, rules: LogRules, batch: Batch, content: ProducerBatch) -> None:
    """Append the batch of a request whose sender waits no more, if that is allowed; there is no response."""
    if replica.is_leading and content.is_invalid == 0 and not is_too_large(content, batch):
        if stored_offset(replica.log, rules, batch) == NO_OFFSET:
            append_for_client(replica.log, rules, batch)


def stop_leading(replica: PartitionReplica, rules: LogRules, high_watermark: int, end_offset: int) -> None:
    """Make a deposed leader a follower, and truncate its log to `end_offset`, where the new leader's log diverges."""
    replica.is_leading = False
    if end_offset < end_of(replica.log):
        truncate_replica(replica, rules, high_watermark, end_offset)


def refuse_waiting(connection: Connection) -> None:
    """Answer the requests that waited on a leader that is deposed."""
    for request in connection.requests:
        if request.stage == RequestStage.WAITING:
            answer(request, ProduceError.NOT_LEADER_OR_FOLLOWER)
