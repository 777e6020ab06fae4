"""A partition that holds transactional records, as its leader has it, and the ids that distinguish transactions.

Part of Kafka modelled: `UnifiedLog` with `ProducerStateManager` and `TransactionIndex`.
Source: apache/kafka (commit 1eb7644349); KIP-98.
Left out, and why that is sound: replicas of a partition, which `impl/broker` models: here a log has the records that
survive, and a suffix above the high watermark that may be lost. More than one batch of a transaction in one partition:
the others follow in the same order, and share the fate of the first.
"""

from typing import Annotated

from kafkacheck.checker.schema import Count, Id, If, Offset, Position, Struct
from kafkacheck.impl.ids import LogOffset
from kafkacheck.impl.log.records import PartitionLog, TransactionIndex
from kafkacheck.impl.transactions.constants import NO_INPUT, NO_PARTITION, NO_TRANSACTION

OptionalPartitionId = Annotated[int, Id("partitions", none=NO_PARTITION)]
SegmentStart = Annotated[int, Offset("log_size - 1")]
SegmentEnd = Annotated[int, Count("log_size", lowest=1)]
TransactionalIdNumber = Annotated[int, Id("transactional_ids")]
CoordinatorTerm = Annotated[int, Id("max_coordinator_epoch + 1")]
ClientId = Annotated[int, Id("clients")]
RequestSlot = Annotated[int, Id("requests")]
ProduceSlot = Annotated[int, Id("produces")]
LateMarkerPlace = Annotated[int, Position("late_markers")]
Incarnation = Annotated[int, Count("recreations")]
IsUpgraded = Annotated[int, Count("upgrades")]
Generation = Annotated[int, Count("max_generation")]
InputOffset = Annotated[int, Offset("inputs")]
OptionalInputOffset = Annotated[int, Count("inputs", lowest=NO_INPUT)]
LoggedInputOffset = Annotated[int, Count("inputs", lowest=NO_INPUT), If("group_failovers")]
OptionalTransactionId = Annotated[int, Id("batches", none=NO_TRANSACTION)]


class Partition(Struct):
    """A partition, as its leader has it.

    is_deleted: whether its topic is deleted; then the partition is empty.
    incarnation: distinguishes its topic from others that had the same name (`topicId`).
    log: the log, with the producer state.
    high_watermark: the offset below which records are replicated and survive; from the log's start to its end.
    index: the leader's knowledge of the transactions that have ended.
    """

    is_deleted: bool
    incarnation: Incarnation
    log: PartitionLog
    high_watermark: LogOffset
    index: TransactionIndex
