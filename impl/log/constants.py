"""Sentinels and enumerations of a log's batches, with Kafka's names.

Part of Kafka modelled: the reserved values of `RecordBatch`, the origins of an append, control records, and the errors
of an append.
Source: apache/kafka `RecordBatch`, `AppendOrigin`, `ControlRecordType`, `Errors` (commit 1eb7644349).
Left out, and why that is sound: errors to which a client reacts in the same way as to an error listed here.
"""

from enum import IntEnum

NO_BATCH = -1
"""This slot of a log is empty, or its content was not sent by a producer."""

NO_PRODUCER_ID = -1
"""The batch's producer is not idempotent, or the producer has no id yet."""

NO_PRODUCER_EPOCH = -1
"""No epoch of the producer is known; lower than every epoch."""

NO_SEQUENCE = -1
"""The batch has no sequence, or no sequence is known; the next sequence is 0."""


class Origin(IntEnum):
    """The origin of an append, which decides how far it is validated (`AppendOrigin`)."""

    CLIENT = 0
    """From a producer: everything is validated."""

    COORDINATOR = 1
    """From the group or transaction coordinator on the same broker: epoch, verification and open transactions count."""

    REPLICATION = 2
    """From the leader, or from a replay of the log: by today's rule nothing is validated, because the leader did it."""


class Marker(IntEnum):
    """The type of a control batch (`ControlRecordType`)."""

    NONE = 0
    """Data, not a control batch."""

    COMMIT = 1
    """The producer's transaction is committed."""

    ABORT = 2
    """The producer's transaction is aborted."""


class ProduceError(IntEnum):
    """The error of an append."""

    NONE = 0
    """No error: this request or an earlier one has stored the batch."""

    NOT_LEADER_OR_FOLLOWER = 1
    """The broker does not lead, or no longer; a batch that it had appended may survive or not."""

    OUT_OF_ORDER_SEQUENCE_NUMBER = 2
    """The sequence is not the next one; nothing is appended."""

    UNKNOWN_PRODUCER_ID = 3
    """The broker does not know the producer, and the sequence is not 0; nothing is appended (before KIP-360)."""

    INVALID_PRODUCER_EPOCH = 4
    """The producer's epoch is older than one that the broker knows; nothing is appended."""

    INVALID_RECORD = 5
    """The topic refuses the records for good; nothing is appended."""

    INVALID_TXN_STATE = 6
    """The transaction is not verified, or one is open that does not include this batch; nothing is appended."""

    NOT_ENOUGH_REPLICAS = 7
    """The transaction could not be verified just now; nothing is appended."""

    TRANSACTION_COORDINATOR_FENCED = 8
    """The marker has an older coordinator epoch than one that the partition knows; nothing is appended."""

    MESSAGE_TOO_LARGE = 9
    """The batch is too large for the topic; nothing is appended. A batch with several records is split."""
