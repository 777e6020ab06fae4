"""The reserved values, group types and errors of committed offsets.

Part of Kafka modelled: `Group.GroupType`, `Errors`, `OffsetFetchResponse.INVALID_OFFSET`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: streams and share groups, which keep offsets by the same functions or elsewhere; errors
to which a client reacts in the same way as to an error listed here.
"""

from enum import IntEnum

NOT_WRITTEN = -1
"""The write has no record of this key."""

NO_COMMIT = 0
"""Nothing is committed; a tombstone has this value. Kafka has -1 for an answer without an offset."""

NO_MEMBER_EPOCH = -1
"""A request of a client that is no member of a group: an admin client, or a consumer that assigns itself partitions."""

NO_TIME = -1
"""The time is not known."""


class OffsetGroupType(IntEnum):
    """The kinds of groups that have offsets."""

    NONE = 0
    """There is no group."""

    SIMPLE = 1
    """A group without a protocol, which began with a commit: it only stores offsets."""

    CLASSIC = 2
    """A group of the classic protocol."""

    CONSUMER = 3
    """A group of the new protocol (KIP-848)."""


class OffsetError(IntEnum):
    """How a request ended."""

    NONE = 0
    """It was accepted."""

    GROUP_ID_NOT_FOUND = 1
    """There is no such group, and the request names an epoch."""

    UNKNOWN_MEMBER_ID = 2
    """The request names no member of the group."""

    ILLEGAL_GENERATION = 3
    """The member has another generation; or another epoch, and the commit is in a transaction."""

    STALE_MEMBER_EPOCH = 4
    """The member has another epoch."""

    UNSTABLE_OFFSET_COMMIT = 5
    """A transaction that is open may change the offset."""
