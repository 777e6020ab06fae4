"""The clients of transactions: producers with their application, and read_committed consumers.

Part of Kafka modelled: `TransactionManager`, `CompletedFetch`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-447, KIP-890.
Left out, and why that is sound: timeouts, because each may be over at once, later or never.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, EnumOf, Struct
from kafkacheck.impl.ids import LogOffset, OffsetSet, OptionalOffset, PartitionSet
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.records import OptionalProducerEpoch, OptionalProducerId, Sequence
from kafkacheck.impl.transactions.constants import ProducerState, Upgrade
from kafkacheck.impl.transactions.records import (
    Generation,
    OptionalInputOffset,
    OptionalTransactionId,
    TransactionalIdNumber,
)


class Client(Struct):
    """A producer: one incarnation of the application with a transactional id.

    transactional_id: the id that it uses; constant.
    state: its state.
    upgrade: its progress to transaction version 2, or back.
    producer_id: its producer id.
    producer_epoch: its epoch.
    transaction: the application's current transaction.
    partitions: the partitions of that transaction that the coordinator has, as far as the client knows; with
        transaction version 2, the partitions to which it has sent.
    sent: the partitions to which it has sent that transaction's record, all in `partitions`.
    has_lost_batch: whether it has version 1, and a batch of its transaction was refused or given up, so that it must
        ask for the next epoch after it aborts (`clientSideEpochBumpRequired`).
    sequences: by partition, the sequence of its next batch.
    generation: the generation in which it was given the input; 0 if never.
    input_offset: the input that it processes next; `NO_INPUT` if it must ask for the committed offset.
    is_halfway: whether it has done the first of its two steps for an input, processing and committing.
    """

    transactional_id: TransactionalIdNumber
    state: ProducerState
    upgrade: Annotated[Upgrade, EnumOf(Upgrade, highest="3 + upgrades")]
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    transaction: OptionalTransactionId
    partitions: PartitionSet
    sent: PartitionSet
    has_lost_batch: bool
    sequences: Annotated[Array[Sequence], ById("partitions")]
    generation: Generation
    input_offset: OptionalInputOffset
    is_halfway: bool


class Transaction(Struct):
    """An application's transaction, as the application sees it. No rule of Kafka reads these fields.

    asked: whether the application has asked to commit or abort it.
    told: the outcome that the application knows; `NONE` while it knows none.
    acknowledged: the partitions whose record was acknowledged.
    input_offset: the input from which its records are made; `NO_INPUT` if there is none.
    """

    asked: Marker
    told: Marker
    acknowledged: PartitionSet
    input_offset: OptionalInputOffset


class Reader(Struct):
    """A read_committed consumer's position in one partition.

    position: the offset that it reads next; at most the high watermark.
    delivered: the offsets of the records that it has given to its application.
    is_limited: whether the leader has computed the limit of a read for it, which it must still answer.
    limit: the offset at which that read must end, from `position` to the high watermark; `NO_OFFSET` for the high
        watermark.
    """

    position: LogOffset
    delivered: OffsetSet
    is_limited: bool
    limit: OptionalOffset
