"""A compacted partition: its replicas, the applications' writes, and a consumer that keeps each key's last value.

Part of Kafka modelled: `UnifiedLog` with `cleanup.policy=compact`; the records inside `RecordBatch`; a consumer that
builds a table, as `GroupMetadataManager`, `TransactionStateManager` and Kafka Streams do.
Source: apache/kafka (commit 1eb7644349); KIP-534.
Left out, and why that is sound: batches of several records: each record is kept or removed by itself, and the batch is
removed with its last record. Values, because every write is different. Leader epochs and the other safeguards of
replication, which `impl/broker` has: here a follower's log agrees with its leader's.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, Count, Id, Struct
from kafkacheck.impl.ids import LogOffset, OffsetSet, OptionalOffset
from kafkacheck.impl.log.constants import NO_BATCH, Marker
from kafkacheck.impl.log.records import OptionalBatchId, OptionalProducerId, OptionalSequence, PartitionLog

NO_KEY = -1
"""No record is written yet."""

NOTHING = NO_BATCH
"""The key has no value."""

Key = Annotated[int, Id("keys")]
OptionalKey = Annotated[int, Id("keys", none=NO_KEY)]
CleaningEnd = Annotated[int, Count("log_size", lowest=1)]


class Write(Struct):
    """A record that an application has written; blank until it is written.

    producer_id: its producer's id.
    sequence: its sequence.
    key: its key. The keys 0 and 1 have the same bytes as the keys of ABORT and COMMIT markers.
    is_tombstone: whether it removes the key's value.
    outcome: how its transaction ended, COMMIT without a transaction; `NONE` while open. No rule of Kafka reads it.
    ended_at: the offset of the marker that ended it; `NO_OFFSET` while there is none. As above.
    """

    producer_id: OptionalProducerId
    sequence: OptionalSequence
    key: OptionalKey
    is_tombstone: bool
    outcome: Marker
    ended_at: OptionalOffset


class CompactedReplica(Struct):
    """One broker's replica.

    log: its batches, and its producer state. A batch whose record is removed is empty.
    kept: the offsets whose batch still has its record.
    stamped: the offsets of tombstones and markers whose delete horizon a pass of the cleaner has set.
    owed: the offsets of tombstones and markers that it must still fetch, because it has earlier records.
    """

    log: PartitionLog
    kept: OffsetSet
    stamped: OffsetSet
    owed: OffsetSet


class TableReader(Struct):
    """A read_committed consumer that keeps the last value of each key.

    position: the offset that it reads next.
    owed: as in `CompactedReplica`, the offsets that it must still read.
    values: by key, the write that it has; `NO_BATCH` if the key has no value.
    """

    position: LogOffset
    owed: OffsetSet
    values: Annotated[Array[OptionalBatchId], ById("keys")]
