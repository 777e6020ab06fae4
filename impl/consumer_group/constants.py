"""The states, errors and reserved values of the consumer group protocol.

Part of Kafka modelled: `MemberState` of the group coordinator and of the client, `Errors`, and the reserved epochs of
`ConsumerGroupHeartbeatRequest`.
Source: apache/kafka (commit 1eb7644349); KIP-848.
Left out, and why that is sound: every member that no rule of this reference reads, because a value that is never
compared cannot change a behaviour.
"""

from enum import IntEnum

JOIN_GROUP_MEMBER_EPOCH = 0
"""A member sends this epoch to join the group."""

LEAVE_GROUP_MEMBER_EPOCH = -1
"""A member sends this epoch to leave the group. Kafka has -2 for a static member that leaves for a while; here that is
this one with a flag."""

NO_INSTANCE = -1
"""A dynamic member, which has no `group.instance.id`."""

NO_PARTITION_EPOCH = -1
"""No member owns the partition."""

NO_RECONCILIATION = -1
"""The consumer applies no assignment at present."""


class MemberState(IntEnum):
    """How far a member is with its assignment, as the coordinator knows it."""

    NOT_A_MEMBER = 0
    """It never joined, or it left or was fenced."""

    STABLE = 1
    """It has its target assignment, or waits for a newer one."""

    UNREVOKED_PARTITIONS = 2
    """It has to give up partitions, and has not said that it did."""

    UNRELEASED_PARTITIONS = 3
    """It is to have partitions that other members still own."""


class ConsumerState(IntEnum):
    """The state of a consumer's membership, as the consumer itself knows it."""

    UNSUBSCRIBED = 0
    """It is in no group."""

    JOINING = 1
    """It asks to join."""

    RECONCILING = 2
    """It has a new target assignment, and commits, revokes and assigns."""

    ACKNOWLEDGING = 3
    """It has applied an assignment, and has not told the coordinator."""

    STABLE = 4
    """The coordinator knows the assignment that it has applied."""

    PREPARE_LEAVING = 5
    """It leaves, and releases its partitions first."""

    LEAVING = 6
    """It has released its partitions, and has not told the coordinator."""

    CRASHED = 7
    """Its process has ended."""

    FATAL = 8
    """It was told of an error after which a consumer does not go on, and takes part in no group any more."""

    STALE = 9
    """It has left because its application polls too seldom. It joins anew when the application polls."""


class HeartbeatStage(IntEnum):
    """How far a heartbeat is."""

    IDLE = 0
    """None is under way."""

    REQUESTED = 1
    """The request is on its way to the coordinator."""

    APPENDED = 2
    """The coordinator has appended records for it, and answers once they are committed."""

    ANSWERED = 3
    """The response is on its way to the consumer."""


class HeartbeatError(IntEnum):
    """The error of a heartbeat's response."""

    NONE = 0
    """There is none."""

    FENCED_MEMBER_EPOCH = 1
    """The member has another epoch."""

    UNKNOWN_MEMBER_ID = 2
    """The group has no such member."""

    UNRELEASED_INSTANCE_ID = 3
    """A member that has not left has the instance id with which another joins."""

    FENCED_INSTANCE_ID = 4
    """Another member has the instance id by now."""

    GROUP_ID_NOT_FOUND = 5
    """There is no such group of the new protocol: it is a classic one by now."""

    UNKNOWN_SERVER_ERROR = 6
    """The coordinator has failed."""

    INVALID_REQUEST = 7
    """The heartbeat does not name what it must."""


class GroupType(IntEnum):
    """The kind of a group, which its coordinator changes while consumers go from one protocol to the other."""

    CLASSIC = 0
    """All members use the classic protocol."""

    CONSUMER = 1
    """Some member uses the new protocol (KIP-848)."""
