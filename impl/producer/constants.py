"""Sentinels and enumerations of producers, with Kafka's names.

Part of Kafka modelled: the reserved values of `RecordBatch`, the origins of an append, control records, and the errors
that a broker answers a producer or a coordinator.
Source: apache/kafka `RecordBatch`, `AppendOrigin`, `ControlRecordType`, `Errors` (commit 1eb7644349).
Left out, and why that is sound: errors after which a client does the same as after one that is here.
"""

from enum import IntEnum

NO_BATCH = -1
"""Nothing is stored in this slot of a log, or what is stored was not sent by a producer."""

NO_PRODUCER_ID = -1
"""The batch's producer is not idempotent, or the producer has no id yet."""

NO_PRODUCER_EPOCH = -1
"""Nothing is known of the producer: lower than every epoch."""

NO_SEQUENCE = -1
"""The batch has no sequence, or none is known: its successor is 0."""


class Sending(IntEnum):
    """When the application's call of `send` returns for good."""

    SYNCHRONOUS = 0
    """When the batch is acknowledged (`send(...).get()`; `producer.type=sync`)."""

    BUFFERED = 1
    """As soon as the batch is in the producer's buffer (`send(...)` and no more; `producer.type=async`)."""


class ProducerState(IntEnum):
    """The state of a producer (`TransactionManager.State`)."""

    UNINITIALIZED = 0
    """It has no producer id yet."""

    READY = 1
    """It may send; a transactional one may begin a transaction."""

    IN_TRANSACTION = 2
    """It may send in its transaction."""

    ABORTABLE_ERROR = 3
    """Its transaction can only be aborted."""


class BatchStatus(IntEnum):
    """What the producer knows of a batch."""

    UNSENT = 0
    """The application has not handed it over."""

    BUFFERED = 1
    """It is in the buffer and was never sent: it has no sequence."""

    IN_FLIGHT = 2
    """It is sent, and neither answered nor given up."""

    RETRYING = 3
    """It was sent, and waits to be sent again with the sequence that it has."""

    ACKNOWLEDGED = 4
    """The broker has it, and so the application was told."""

    FAILED = 5
    """The broker has refused it for good, and so the application was told."""

    EXPIRED = 6
    """Its time is up before it was known whether the broker has it, and so the application was told."""

    LOST = 7
    """The producer's process ended before it was settled."""


class RequestStage(IntEnum):
    """How far a produce request is."""

    NONE = 0
    """The slot is free."""

    REQUESTED = 1
    """It is on its way, or the broker has not looked at it."""

    WAITING = 2
    """It is appended, and waits for the other replicas (`DelayedProduce`)."""

    ANSWERED = 3
    """The answer is on its way."""


class Origin(IntEnum):
    """Where an append comes from, which decides what is validated (`AppendOrigin`)."""

    CLIENT = 0
    """From a producer: everything is."""

    COORDINATOR = 1
    """From the group or transaction coordinator on the same broker: the epoch and the verification are."""

    REPLICATION = 2
    """From the leader, or from the log itself when it is replayed: nothing is; the leader has validated."""


class Marker(IntEnum):
    """What a control batch says (`ControlRecordType`)."""

    NONE = 0
    """It is no control batch, but data."""

    COMMIT = 1
    """The producer's transaction is committed."""

    ABORT = 2
    """The producer's transaction is aborted."""


class ProduceError(IntEnum):
    """The error of an append."""

    NONE = 0
    """There is none: the batch is stored, by this request or an earlier one."""

    NOT_LEADER_OR_FOLLOWER = 1
    """The broker does not lead, or no longer; what it had appended may survive or not."""

    OUT_OF_ORDER_SEQUENCE_NUMBER = 2
    """The sequence is not the next one; nothing is appended."""

    UNKNOWN_PRODUCER_ID = 3
    """The broker remembers nothing of the producer, and the sequence is not 0; nothing is appended (before KIP-360)."""

    INVALID_PRODUCER_EPOCH = 4
    """The producer's epoch is older than one that the broker knows; nothing is appended."""

    INVALID_RECORD = 5
    """The records are not what the topic takes, for good; nothing is appended."""

    INVALID_TXN_STATE = 6
    """The transaction is not verified, or one is open of which this batch is not; nothing is appended."""

    NOT_ENOUGH_REPLICAS = 7
    """The transaction could not be verified just now; nothing is appended."""

    TRANSACTION_COORDINATOR_FENCED = 8
    """The marker is of an older coordinator epoch than one that the partition knows; nothing is appended."""

    MESSAGE_TOO_LARGE = 9
    """The batch is larger than the topic takes; nothing is appended. If it has several records it is split."""
