"""The states, errors and reserved values of the classic protocol.

Part of Kafka modelled: `ClassicGroupState`, `Errors`, the states of `AbstractCoordinator`, and the reserved values of
`JoinGroupRequest`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: every member that no rule of this reference reads, because a value that is never
compared cannot change a behaviour.
"""

from enum import IntEnum

NO_MEMBER_ID = -1
"""The consumer has no member id yet; Kafka has the empty string."""

NO_INSTANCE = -1
"""The consumer is a dynamic member: it has no `group.instance.id`."""

NO_GENERATION = -1
"""The consumer is in no generation of its group."""


class GroupState(IntEnum):
    """The state of a group."""

    EMPTY = 0
    """It has no members."""

    PREPARING_REBALANCE = 1
    """It waits until its members have joined."""

    COMPLETING_REBALANCE = 2
    """It has a new generation, and waits for the assignment of its leader."""

    STABLE = 3
    """Its members have their assignments."""


class ConsumerState(IntEnum):
    """The state of a consumer, as the consumer itself knows it."""

    UNJOINED = 0
    """It is in no group, and will join."""

    PREPARING_REBALANCE = 1
    """It has asked to join."""

    COMPLETING_REBALANCE = 2
    """It has joined, and asks for its assignment."""

    STABLE = 3
    """It has its assignment."""

    LEAVING = 4
    """It has released its partitions, and has not told the coordinator."""

    CLOSED = 5
    """It has left, its process has ended, or another consumer has its instance id."""


class RequestKind(IntEnum):
    """Which request is under way."""

    JOIN = 0
    SYNC = 1
    HEARTBEAT = 2
    LEAVE = 3


class Stage(IntEnum):
    """How far a request is."""

    IDLE = 0
    """None is under way."""

    REQUESTED = 1
    """The request is on its way to the coordinator."""

    PARKED = 2
    """The coordinator has it, and answers when the other members have joined, or the leader has sent assignments."""

    ANSWERED = 3
    """The response is on its way to the consumer."""


class GroupError(IntEnum):
    """The error of a response."""

    NONE = 0
    """There is none."""

    MEMBER_ID_REQUIRED = 1
    """The consumer is to join again, with the member id in the response."""

    UNKNOWN_MEMBER_ID = 2
    """The group has no such member."""

    ILLEGAL_GENERATION = 3
    """The group has another generation."""

    REBALANCE_IN_PROGRESS = 4
    """The consumer is to join again."""

    FENCED_INSTANCE_ID = 5
    """Another consumer has joined with the same instance id."""
