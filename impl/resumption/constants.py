"""The states of a consumer's position.

Part of Kafka modelled: `SubscriptionState.FetchStates`.
Source: apache/kafka (commit 1eb7644349); KIP-320.
Left out, and why that is sound: pauses, which only delay a fetch.
"""

from enum import IntEnum


class FetchState(IntEnum):
    """Whether a consumer has a position, and may fetch from it."""

    INITIALIZING = 0
    """It must ask for the committed offset."""
    FETCHING = 1
    AWAIT_VALIDATION = 2
    """It must ask the leader where the epoch of its position ends."""
    AWAIT_RESET = 3
    """It must begin where `auto.offset.reset` says."""
    AWAIT_APPLICATION = 4
    """The application has an exception and must seek: LogTruncationException, OffsetOutOfRangeException or
    NoOffsetForPartitionException."""
