"""Which partition of an internal topic has the records of a key: its leader is the coordinator of the key.

Part of Kafka modelled: `GroupCoordinatorService.partitionFor`, `TransactionStateManager.partitionFor`, `Utils.abs`.
Source: apache/kafka (commit 1eb7644349); `java.lang.String.hashCode`.
Left out, and why that is sound: the topic's name; `__consumer_offsets` and `__transaction_state` do the same.
"""

DEFAULT_PARTITIONS = 50
"""`offsets.topic.num.partitions` and `transaction.state.log.num.partitions`, unless a cluster sets them otherwise."""

LOWEST = -(2**31)
"""The lowest 32-bit integer, which has no positive counterpart."""


def java_hash_code(text: str) -> int:
    """Java's hash code of a string: over its UTF-16 code units, as a signed 32-bit integer."""
    units = text.encode("utf-16-be", "surrogatepass")
    found = 0
    for place in range(0, len(units), 2):
        found = (31 * found + int.from_bytes(units[place : place + 2], "big")) % 2**32
    return found - 2**32 if found >= 2**31 else found


def partition_of_key(key: str, partition_count: int = DEFAULT_PARTITIONS) -> int:
    """The partition of a group id or a transactional id. The lowest hash code counts as 0."""
    code = java_hash_code(key)
    return (0 if code == LOWEST else abs(code)) % partition_count
