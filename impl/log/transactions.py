"""Open transactions in a log.

Part of Kafka modelled: `ProducerStateManager` (`firstUnstableOffset`).
Source: apache/kafka (commit 1eb7644349); KIP-98.
Left out, and why that is sound: nothing.
"""

from kafkacheck.impl.log.producer_state import has_open_transaction
from kafkacheck.impl.log.records import PartitionLog


def first_open_transaction_offset(log: PartitionLog) -> int:
    """The first offset of the earliest open transaction in the log; the log's end if there is none."""
    first = log.end_offset
    for producer_id in range(len(log.producers)):
        if has_open_transaction(log.producers[producer_id]):
            first = min(first, log.producers[producer_id].current_transaction_first_offset)
    return first
