"""A replicated partition, and the requests that are under way to it.

Part of Kafka modelled: `Partition` on each of its brokers, the connection of a producer to one of them, and
`DelayedProduce`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: what replication needs to keep its promise, because `impl/broker` has it and the
models of the cluster show that it does. Here every replica is in the ISR, leads only with all that was acknowledged,
and agrees with its leader in one step. At most two replicas: a third one might follow a leader that is deposed.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, Id, Struct
from kafkacheck.impl.producer.client_records import PartitionId
from kafkacheck.impl.producer.constants import ProduceError, RequestStage
from kafkacheck.impl.producer.records import Batch, BatchOffset, OptionalBatchOffset, PartitionLog, ProducerSnapshot
from kafkacheck.impl.replication.records import ReplicaId

LateSlot = Annotated[int, Id("late_requests")]


class PartitionReplica(Struct):
    """One broker's replica.

    is_leading: whether the broker believes that it leads; a deposed leader does until it follows.
    log: what it has stored, and its producer state.
    flushed_offset: the end of what has surely reached the disk, from where on a crash is recovered.
    snapshots: its files with producer state, the newest first.
    """

    is_leading: bool
    log: PartitionLog
    flushed_offset: BatchOffset
    snapshots: Annotated[Array[ProducerSnapshot], ByPosition("snapshots")]


class Partition(Struct):
    """One partition.

    leader: who leads, according to the controller.
    high_watermark: the end of what every replica has, so of what may be acknowledged.
    replicas: by broker, its replica.
    """

    leader: ReplicaId
    high_watermark: BatchOffset
    replicas: Annotated[Array[PartitionReplica], ById("replicas")]


class ProduceRequest(Struct):
    """A produce request with one batch, or the answer; blank where the slot is free.

    stage: which of the two it is.
    batch: the batch, as it was when it was sent.
    is_abandoned: 1 if the batch has expired since, so that the application has been told; always 0 where the bound
        `in_flight_expirations` is 0.
    error: the answer's error.
    offset: where the batch is appended, once it is.
    """

    stage: RequestStage
    batch: Batch
    is_abandoned: Annotated[int, Count("in_flight_expirations")]
    error: ProduceError
    offset: OptionalBatchOffset


class Connection(Struct):
    """A producer's connection to the broker that leads a partition, for the requests to this partition.

    broker: who is at the other end.
    requests: those that are not settled, the oldest first.
    """

    broker: ReplicaId
    requests: Annotated[Array[ProduceRequest], ByPosition("max_in_flight")]


class LateRequest(Struct):
    """A request of a connection that the producer has given up, and that the broker may still look at.

    partition: the partition it is for.
    broker: where it goes.
    batch: its batch; blank where the slot is free.
    """

    partition: PartitionId
    broker: ReplicaId
    batch: Batch
