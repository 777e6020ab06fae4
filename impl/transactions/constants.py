"""Enumerations of transactions, with Kafka's names.

Part of Kafka modelled: `TransactionState` of the coordinator, `TransactionManager.State` of the producer, the requests
between them, and the errors that make a difference to later steps.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: errors after which a client repeats the same request: here it stays under way.
"""

from enum import IntEnum

NO_TRANSACTION = -1
"""The producer is in no transaction."""

NO_PARTITION = -1
"""The request names no partition."""


NO_INPUT = -1
"""The client does not know its position; or the request, transaction or producer has no input offset."""


class Delivery(IntEnum):
    """The order in which a consuming application processes an input and commits its offset."""

    COMMIT_FIRST = 0
    """The offset first: at most once."""

    PROCESS_FIRST = 1
    """The input first: at least once."""


class TransactionState(IntEnum):
    """The coordinator's state of a transactional id (`TransactionState`)."""

    NONE = -1
    """The id is unknown, or no transition is pending (`pendingState` is empty)."""

    EMPTY = 0
    """No transaction is under way."""

    ONGOING = 1
    """A transaction has partitions, and is not decided."""

    PREPARE_COMMIT = 2
    """The decision is to commit. The markers are being written."""

    PREPARE_ABORT = 3
    """The decision is to abort. The markers are being written."""

    COMPLETE_COMMIT = 4
    """Every marker is written."""

    COMPLETE_ABORT = 5
    """Every marker is written."""

    DEAD = 6
    """The id is being removed, because it was not used for a long time."""

    PREPARE_EPOCH_FENCE = 7
    """The epoch is being raised, because the coordinator itself aborts. This is only ever a pending state. Nothing else
    happens meanwhile: `fence_and_abort` passes through it within one step, into PREPARE_ABORT."""


class RequestKind(IntEnum):
    """The kind of a producer's request to its transaction coordinator."""

    NONE = 0
    """No request: the slot is free."""

    INIT_PRODUCER_ID = 1
    """`InitProducerId`."""

    ADD_PARTITIONS_TO_TXN = 2
    """`AddPartitionsToTxn`; and `AddOffsetsToTxn`, which adds the partition that holds the group's offsets."""

    END_TXN = 3
    """`EndTxn`."""


class Answer(IntEnum):
    """The reaction of a coordinator or of a partition's leader to a request."""

    WAIT = 0
    """Nothing yet: the client must ask again (CONCURRENT_TRANSACTIONS, COORDINATOR_NOT_AVAILABLE)."""

    APPENDING = 1
    """It has begun an append to the transaction log, and answers when the append is committed."""

    FENCING = 2
    """It has begun to abort the ongoing transaction, and the client must ask again."""

    NONE = 3
    """It answers without an error."""

    PRODUCER_FENCED = 4
    """It refuses: the epoch is not the current one."""

    INVALID_TXN_STATE = 5
    """It refuses: the transaction's state does not allow the request."""

    INVALID_PRODUCER_ID_MAPPING = 6
    """It refuses: the transactional id has another producer id, or none."""

    TRANSACTION_ABORTABLE = 7
    """It refuses: the partition is not in the transaction; the client must abort."""

    NOT_LEADER_OR_FOLLOWER = 8
    """It refuses: the partition does not exist."""

    UNKNOWN_TOPIC_ID = 9
    """It refuses: the topic does not exist, and another topic now has its name."""

    VERIFYING = 10
    """It has asked the coordinator about the transaction, and answers later."""


class ProducerState(IntEnum):
    """The state of a producer's client (`TransactionManager.State`)."""

    UNINITIALIZED = 0
    """It has no producer id."""

    INITIALIZING = 1
    """It has asked for a producer id or a new epoch."""

    READY = 2
    """It is in no transaction."""

    IN_TRANSACTION = 3
    """It is in a transaction."""

    COMMITTING = 4
    """It has asked to commit."""

    ABORTING = 5
    """It has asked to abort."""

    ABORTABLE_ERROR = 6
    """Something failed, and it must abort."""

    FATAL_ERROR = 7
    """It may do nothing more: it was fenced, or its process has died."""


class Upgrade(IntEnum):
    """A client's progress from transaction version 1 to 2 or back, in models with mixed versions."""

    NONE = 0
    """It has the version of the rules, and keeps it."""

    DUE = 1
    """It has the version of the rules. When its transaction ends, it learns that the cluster has version 2."""

    BUMPING = 2
    """It has version 2, and must ask for the next epoch before its next transaction."""

    DONE = 3
    """It has version 2."""

    BACK_DUE = 4
    """It has version 2. When its transaction ends, it learns that the cluster has version 1 again."""


class ProduceStage(IntEnum):
    """The progress of a produce request in its slot."""

    IDLE = 0
    """The slot is free."""

    REQUESTED = 1
    """The request is on its way to the partition's leader."""

    VERIFYING = 2
    """The leader has asked the coordinator whether the partition is in the transaction."""

    VERIFIED = 3
    """The coordinator's consent is on its way to the leader."""
