"""Enumerations, with Kafka's names.

Part of Kafka modelled: the protocol generations as switches, the states of partitions and brokers, and the stages and
errors of requests.
Source: apache/kafka, core and clients.
Left out, and why that is sound: every member that no rule of this reference reads, because a value that is never
compared cannot change a behaviour.
"""

from enum import IntEnum


class TruncationRule(IntEnum):
    """Where a replica truncates its log in a new leader epoch; oldest rule first."""

    HIGH_WATERMARK = 0
    """At its own high watermark (before Kafka 0.11)."""

    KIP_101 = 1
    """Where the leader says that the follower's latest epoch ends (Kafka 0.11)."""

    KIP_279 = 2
    """After the last record that follower and leader share (Kafka 2.0)."""

    ON_FETCH = 3
    """Nowhere yet: it fetches, and truncates if the leader finds a divergence (first draft of KIP-320; Kafka 2.8)."""


class FetchFencing(IntEnum):
    """The check that a leader makes before it counts a follower's fetch; weakest rule first."""

    NONE = 0
    """Only that the follower fetches from this leader."""

    LAST_FETCHED_EPOCH = 1
    """That the follower's last record carries the epoch of the leader's record there (first draft of KIP-320)."""

    CURRENT_LEADER_EPOCH = 2
    """That the follower is in the leader's own epoch (KIP-320, Kafka 2.1)."""


class Propagation(IntEnum):
    """How brokers learn the controller's decisions."""

    LEADER_AND_ISR = 0
    """By requests to each broker, which can be late, lost or overtaken (ZooKeeper era)."""

    METADATA_LOG = 1
    """By an ordered log, which each broker replays at its own pace (KRaft era)."""


class PartitionState(IntEnum):
    """The state of a partition in the controller's view (`PartitionState` of `kafka.controller`)."""

    NON_EXISTENT = 0
    """It was never created, or its topic is deleted."""

    NEW = 1
    """It has an assignment, but neither leader nor ISR yet."""

    ONLINE = 2
    """It has an active leader."""

    OFFLINE = 3
    """It had a leader, and now has no active one."""


class Acks(IntEnum):
    """When a producer's record counts as acknowledged (`acks`)."""

    NONE = 0
    """Never: the leader sends no answer (`acks=0`)."""

    LEADER = 1
    """As soon as the leader has appended it (`acks=1`)."""

    ALL = 2
    """As soon as it lies below the leader's high watermark and enough replicas are in sync (`acks=all`)."""


class LagRule(IntEnum):
    """How a leader decides that a follower lags; older rule first."""

    MAX_MESSAGES = 0
    """By the number of messages it lacks, or the time since its last fetch (`replica.lag.max.messages`, before 0.9)."""

    MAX_TIME = 1
    """By the time since it was last caught up (`replica.lag.time.max.ms` alone, Kafka 0.9)."""


class BrokerState(IntEnum):
    """The state of a broker in the view of its own process (`org.apache.kafka.metadata.BrokerState`)."""

    NOT_RUNNING = 0
    """The broker has no process."""

    STARTING = 1
    """It is registered, and replays the metadata log; its heartbeats ask to stay fenced."""

    RECOVERY = 2
    """It has caught up with the metadata log, and its heartbeats ask to be unfenced."""

    RUNNING = 3
    """It has been unfenced."""

    PENDING_CONTROLLED_SHUTDOWN = 4
    """It must stop, and its heartbeats ask for that."""


class BrokerControlState(IntEnum):
    """The state of a broker in the controller's view (`org.apache.kafka.controller.BrokerControlState`)."""

    FENCED = 0
    """It takes no part."""

    UNFENCED = 1
    """It is active: it may lead and be in an ISR."""

    CONTROLLED_SHUTDOWN = 2
    """It has given its leaderships away, and may not stop yet."""

    SHUTDOWN_NOW = 3
    """It may stop, and is fenced. Only the answer to a heartbeat has this state."""


class Stage(IntEnum):
    """The progress of a request in its slot."""

    IDLE = 0
    """The slot is free."""

    REQUESTED = 1
    """The request is in flight."""

    ANSWERED = 2
    """The answer is in flight."""


class Question(IntEnum):
    """The kind of request that a follower sends to its leader."""

    FETCH = 0
    """`Fetch`."""

    EPOCH_END = 1
    """`OffsetsForLeaderEpoch`."""


class FetchError(IntEnum):
    """The errors on which a follower acts; after any other error it only asks again."""

    NONE = 0
    """No error."""

    OFFSET_OUT_OF_RANGE = 1
    """The log of the broker that answers has no such offset; by the rule of KAFKA-2143 that broker need not lead."""


class AlterPartitionError(IntEnum):
    """The error in the controller's answer to an ISR change, and the leader's reaction."""

    NONE = 0
    """The change is made: commit it."""

    INELIGIBLE_REPLICA = 1
    """Refused because a member may not be in the ISR: return to the committed ISR."""

    FENCED = 2
    """Refused for an old epoch or another topic; or made, and another broker leads now: wait for newer metadata
    (FENCED_LEADER_EPOCH, INVALID_UPDATE_VERSION, STALE_BROKER_EPOCH, UNKNOWN_TOPIC_ID, NEW_LEADER_ELECTED, and
    INVALID_REQUEST if the sender does not lead)."""
