"""Sentinels and enumerations, with Kafka's names.

Part of Kafka modelled: the reserved values of ids, epochs and offsets. Kafka writes -1 for each of them (`NO_LEADER` of
`LeaderAndIsr`, `NO_PARTITION_LEADER_EPOCH` of `RecordBatch`, `UNDEFINED_EPOCH_OFFSET` of
`OffsetsForLeaderEpochResponse`), and so does this file; and the protocol generations as switches.
Source: apache/kafka, core and clients.
Left out: every sentinel that no rule of this reference reads; a value that nothing compares cannot change a behaviour.
"""

from enum import IntEnum

NO_LEADER = -1
"""The partition has no leader, or a replica has heard of none."""

NO_EPOCH = -1
"""No leader epoch yet: older than every epoch."""

NO_RECORD = -1
"""Nothing is stored in this slot of a log."""

NO_OFFSET = -1
"""The answer of an epoch lookup that knows no end offset."""


class TruncationRule(IntEnum):
    """Where a replica cuts its log when it turns to a new leader epoch; oldest rule first."""

    HIGH_WATERMARK = 0
    """At its own high watermark (before Kafka 0.11)."""

    KIP_101 = 1
    """Where the leader says that the follower's latest epoch ends (Kafka 0.11)."""

    KIP_279 = 2
    """Behind the last record that follower and leader share (Kafka 2.0)."""

    ON_FETCH = 3
    """Nowhere yet: it fetches at once and cuts when the leader finds that the logs differ (first draft of KIP-320)."""


class FetchFencing(IntEnum):
    """What a leader compares before it counts a follower's fetch; weakest rule first."""

    NONE = 0
    """Only that the follower fetches from this leader."""

    LAST_FETCHED_EPOCH = 1
    """That the follower's last record carries the epoch of the leader's record there (first draft of KIP-320)."""

    CURRENT_LEADER_EPOCH = 2
    """That the follower is in the leader's own epoch (KIP-320, Kafka 2.1)."""
