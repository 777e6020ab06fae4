"""InitProducerId, AddPartitionsToTxn and EndTxn: a producer's requests to its transaction coordinator.

Part of Kafka modelled: `InitProducerIdRequest`, `AddPartitionsToTxnRequest`, `AddOffsetsToTxnRequest`, `EndTxnRequest`,
and their responses.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890.
Left out, and why that is sound: several requests under way on one connection. So one record serves all three: a slot is
the producer's connection to its coordinator, and holds its request, and for the moment of the answer the response.
"""

from kafkacheck.checker.schema import Struct
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.records import OptionalProducerEpoch, OptionalProducerId
from kafkacheck.impl.transactions.constants import RequestKind
from kafkacheck.impl.transactions.records import IsUpgraded, OptionalPartitionId, TransactionalIdNumber


class Request(Struct):
    """A producer's request to its coordinator. The first slots are the clients' own; the others hold strays.

    A stray is a request that its client has given up, so that no client waits for the answer; it may still arrive.

    kind: the kind of request; `NONE` in a free slot.
    transactional_id: the transactional id.
    producer_id: the client's producer id.
    producer_epoch: the client's epoch.
    partition: the partition to add.
    marker: how the transaction must end.
    is_upgraded: 1 if the client has upgraded to transaction version 2 (the request's version).
    is_waiting: whether the coordinator has taken the request, and its answer awaits an append to the log.
    """

    kind: RequestKind
    transactional_id: TransactionalIdNumber
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    partition: OptionalPartitionId
    marker: Marker
    is_upgraded: IsUpgraded
    is_waiting: bool
