"""The producer ids that coordinators give out.

Part of Kafka modelled: `ProducerIdManager`, `ProducerIdControlManager`.
Source: apache/kafka (commit 1eb7644349); KIP-730.
Left out, and why that is sound: blocks of ids: a broker never returns an id of its block, so ids are only skipped.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.coordinator.records import ProducerIdManager


def has_producer_ids(ids: ProducerIdManager, bounds: Bounds) -> bool:
    """Whether another producer id can be allocated."""
    return ids.next_producer_id < bounds.producer_ids


def generate_producer_id(ids: ProducerIdManager) -> int:
    """Allocate a producer id that no producer has had."""
    ids.next_producer_id += 1
    return ids.next_producer_id - 1
