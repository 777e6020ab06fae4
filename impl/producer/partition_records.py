"""A replicated partition, and the requests that are under way to it.

Part of Kafka modelled: `Partition` on each of its brokers, the connection of a producer to one of them, and
`DelayedProduce`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: the safeguards of replication, because `impl/broker` has them and the models of the
cluster show that replication keeps its promise. Here every replica is in the ISR, leads only with all acknowledged
batches, and agrees with its leader in one step. At most two replicas: a third one might follow a deposed leader.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, Position, Struct
from kafkacheck.impl.ids import LogOffset, OptionalOffset, PartitionId, ReplicaId
from kafkacheck.impl.log.constants import ProduceError
from kafkacheck.impl.log.records import Batch, PartitionReplica
from kafkacheck.impl.producer.constants import RequestStage

LatePlace = Annotated[int, Position("late_requests")]


class Partition(Struct):
    """One partition.

    leader: the leader that the controller has elected.
    high_watermark: the end of the batches that every replica has had, which may be acknowledged; at most the end of the
        leader's log.
    replicas: by broker, its replica.
    """

    leader: ReplicaId
    high_watermark: LogOffset
    replicas: Annotated[Array[PartitionReplica], ById("replicas")]


class ProduceRequest(Struct):
    """A produce request with one batch, or its response; blank if the slot is free.

    stage: how far the request is.
    batch: the batch, as it was when it was sent.
    is_abandoned: 1 if the batch has expired since and the application knows that; always 0 if the bound
        `in_flight_expirations` is 0.
    error: the response's error.
    offset: the offset of the batch after the append.
    """

    stage: RequestStage
    batch: Batch
    is_abandoned: Annotated[int, Count("in_flight_expirations")]
    error: ProduceError
    offset: OptionalOffset


class Connection(Struct):
    """A producer's connection to the broker that leads a partition, for the requests to this partition.

    broker: the broker at the other end.
    requests: the unsettled requests, the oldest first.
    """

    broker: ReplicaId
    requests: Annotated[Array[ProduceRequest], ByPosition("max_in_flight")]


class LateRequest(Struct):
    """A request that the broker may still handle after the producer has given up its connection.

    partition: its partition.
    broker: the broker to which it was sent.
    batch: its batch.
    """

    partition: PartitionId
    broker: ReplicaId
    batch: Batch
