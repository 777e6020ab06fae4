"""The states and settings of consumers that read and commit, and reserved values.

Part of Kafka modelled: the configuration `auto.offset.reset`, the errors of OffsetFetch and OffsetCommit.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: errors that a client treats alike.
"""

from enum import IntEnum

NO_CONSUMER = -1
"""No consumer: nobody owns the partition, or is to own it."""


class ConsumerState(IntEnum):
    """Whether a consumer runs."""

    RUNNING = 0
    STOPPED = 1
    """The application has stopped because the consumer raised an error."""
    CRASHED = 2


class CommitTime(IntEnum):
    """When an application commits a record's offset."""

    AFTER_PROCESSING = 0
    """At least once: a record may be processed again."""
    BEFORE_PROCESSING = 1
    """At most once: a record may be lost."""


class OffsetFetchFailure(IntEnum):
    """What a consumer does if the coordinator cannot say which offset is committed."""

    ASKS_AGAIN = 0
    TAKES_IT_FOR_NONE = 1
    """As if no offset were committed: the consumer begins where `auto.offset.reset` says."""
    RAISES_IT = 2
    """The application gets an exception, and stops."""


class AutoOffsetReset(IntEnum):
    """Where a consumer begins if no offset is committed (`auto.offset.reset`)."""

    EARLIEST = 0
    LATEST = 1
    NONE = 2
    """The application gets an exception, and seeks."""
