"""WriteTxnMarkers: a coordinator's request to the leader of a partition of a decided transaction.

Part of Kafka modelled: `WriteTxnMarkersRequest`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-1228.
Left out, and why that is sound: markers for several partitions or transactions in one request.
"""

from kafkacheck.checker.schema import Struct
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.records import OptionalProducerEpoch, OptionalProducerId
from kafkacheck.impl.transactions.records import CoordinatorTerm, IsUpgraded, OptionalPartitionId


class MarkerRequest(Struct):
    """A WriteTxnMarkers request to the leader of one partition; blank if none is under way.

    is_sent: whether it is under way.
    producer_id: the producer whose transaction the marker ends.
    producer_epoch: the epoch of the marker.
    marker: how the transaction ends.
    is_upgraded: as in `TransactionMetadata` (`transactionVersion`).
    """

    is_sent: bool
    producer_id: OptionalProducerId
    producer_epoch: OptionalProducerEpoch
    marker: Marker
    is_upgraded: IsUpgraded


class LateMarker(Struct):
    """A WriteTxnMarkers request that may still arrive, but that its coordinator no longer awaits.

    partition: the partition to whose leader it was sent.
    term: the term of the coordinator that sent it.
    request: the request itself.
    """

    partition: OptionalPartitionId
    term: CoordinatorTerm
    request: MarkerRequest
