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


class Propagation(IntEnum):
    """How brokers learn what the controller decided."""

    LEADER_AND_ISR = 0
    """By requests to each broker, which can be late, lost or overtaken (ZooKeeper era)."""

    METADATA_LOG = 1
    """By an ordered log, which each broker replays at its own pace (KRaft era)."""


class PartitionState(IntEnum):
    """What a partition is to the controller (`PartitionState` of `kafka.controller`)."""

    NON_EXISTENT = 0
    """It was never created, or its topic is deleted."""

    NEW = 1
    """It has an assignment, and neither leader nor ISR yet."""

    ONLINE = 2
    """It has a leader that is active."""

    OFFLINE = 3
    """It had a leader, and has none that is active."""


class Acks(IntEnum):
    """When a producer's record counts as acknowledged (`acks`)."""

    NONE = 0
    """Never: nobody answers (`acks=0`)."""

    LEADER = 1
    """As soon as the leader has appended it (`acks=1`)."""

    ALL = 2
    """As soon as it lies below the leader's high watermark and enough replicas are in sync (`acks=all`)."""


class LagRule(IntEnum):
    """By what a leader finds that a follower lags; older rule first."""

    MAX_MESSAGES = 0
    """By how many messages it is behind, or how long it has not fetched (`replica.lag.max.messages`, before 0.9)."""

    MAX_TIME = 1
    """By how long it has not been caught up (`replica.lag.time.max.ms` alone, Kafka 0.9)."""


class BrokerState(IntEnum):
    """What a broker does, as its own process sees it (`org.apache.kafka.metadata.BrokerState`)."""

    NOT_RUNNING = 0
    """There is no process."""

    STARTING = 1
    """It is registered, and replays the metadata log; its heartbeats ask to stay fenced."""

    RECOVERY = 2
    """It has caught up with the metadata log, and its heartbeats ask to be unfenced."""

    RUNNING = 3
    """It has been unfenced."""

    PENDING_CONTROLLED_SHUTDOWN = 4
    """It is to stop, and its heartbeats ask for that."""


class BrokerControlState(IntEnum):
    """What a broker is to the controller (`org.apache.kafka.controller.BrokerControlState`)."""

    FENCED = 0
    """It takes no part."""

    UNFENCED = 1
    """It is active: it may lead and be in an ISR."""

    CONTROLLED_SHUTDOWN = 2
    """It has given its leaderships away, and may not stop yet."""

    SHUTDOWN_NOW = 3
    """It may stop, and is fenced. Only an answer says so."""


class Stage(IntEnum):
    """How far a request in its slot is."""

    IDLE = 0
    """The slot is free."""

    REQUESTED = 1
    """The request is on its way."""

    ANSWERED = 2
    """The answer is on its way."""


class Question(IntEnum):
    """What a follower's request to its leader is."""

    FETCH = 0
    """`Fetch`."""

    EPOCH_END = 1
    """`OffsetsForLeaderEpoch`."""


class FetchError(IntEnum):
    """The error in an answer that a follower acts on; after any other it just asks again."""

    NONE = 0
    """There is none."""

    OFFSET_OUT_OF_RANGE = 1
    """The log that answers has no such offset."""


class AlterPartitionError(IntEnum):
    """What the controller's answer to an ISR change makes the leader do."""

    NONE = 0
    """The change is made: commit it."""

    INELIGIBLE_REPLICA = 1
    """Refused for a member that may not be in the ISR: go back to the committed ISR."""

    FENCED = 2
    """Refused for an old epoch or another topic: wait for newer metadata (FENCED_LEADER_EPOCH, INVALID_UPDATE_VERSION,
    STALE_BROKER_EPOCH, UNKNOWN_TOPIC_ID, and INVALID_REQUEST of a sender that does not lead)."""
