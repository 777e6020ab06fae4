"""Produce and TxnOffsetCommit: a producer's requests to the leader of a partition in a transaction.

Part of Kafka modelled: `ProduceRequest`, `TxnOffsetCommitRequest`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-447, KIP-890.
Left out, and why that is sound: batches for several partitions in one request. Both requests bring one batch, and one
slot holds either: the leader of the offsets partition is the group's coordinator, and stores the batch.
"""

from kafkacheck.checker.schema import Struct
from kafkacheck.impl.log.records import Batch, VerificationGuard
from kafkacheck.impl.transactions.constants import ProduceStage
from kafkacheck.impl.transactions.records import (
    Generation,
    Incarnation,
    IsUpgraded,
    OptionalInputOffset,
    OptionalPartitionId,
    TransactionalIdNumber,
)


class Produce(Struct):
    """A produce request. The first slots are the clients' own; the others hold strays, as in `Request`.

    stage: its progress.
    transactional_id: the transactional id.
    partition: the partition that must store the batch.
    incarnation: the incarnation of that partition's topic.
    is_upgraded: as in `Request`.
    batch: the batch to store.
    guard: the guard of its verification.
    input_offset: the offset to commit, in a TxnOffsetCommit request; `NO_INPUT` in a produce request.
    generation: the client's generation, in a TxnOffsetCommit request.
    """

    stage: ProduceStage
    transactional_id: TransactionalIdNumber
    partition: OptionalPartitionId
    incarnation: Incarnation
    is_upgraded: IsUpgraded
    batch: Batch
    guard: VerificationGuard
    input_offset: OptionalInputOffset
    generation: Generation
