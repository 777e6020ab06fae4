"""Enumerations of transactions, with Kafka's names.

Part of Kafka modelled: `TransactionState` of the coordinator, `TransactionManager.State` of the producer, the requests
between them, and the errors by which they differ in what follows.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: errors after which a client sends the same request again: here it stays under way.
"""

from enum import IntEnum

NO_TRANSACTION = -1
"""The producer is in no transaction."""

NO_PARTITION = -1
"""The request names no partition."""


NO_INPUT = -1
"""The client does not know where to read on; or the request, transaction or producer has no offset of the input."""


class Delivery(IntEnum):
    """In which order an application that reads processes an input and commits its offset."""

    COMMIT_FIRST = 0
    """The offset first: at most once."""

    PROCESS_FIRST = 1
    """The input first: at least once."""


class TransactionState(IntEnum):
    """What the coordinator has of a transactional id (`TransactionState`)."""

    NONE = -1
    """Nothing: the id is unknown, or there is no transition (`pendingState` is empty)."""

    EMPTY = 0
    """No transaction is under way."""

    ONGOING = 1
    """A transaction has partitions, and is not decided."""

    PREPARE_COMMIT = 2
    """It is decided: commit. The markers are being written."""

    PREPARE_ABORT = 3
    """It is decided: abort. The markers are being written."""

    COMPLETE_COMMIT = 4
    """Every marker is written."""

    COMPLETE_ABORT = 5
    """Every marker is written."""

    DEAD = 6
    """The id is being removed, because nobody used it for long."""

    PREPARE_EPOCH_FENCE = 7
    """The epoch is being raised, because the coordinator itself aborts. Only ever a pending state. Nothing
    else is done meanwhile, and `coordinator.fence_and_abort` goes through it within one step, into PREPARE_ABORT."""


class RequestKind(IntEnum):
    """What a producer asks its transaction coordinator."""

    NONE = 0
    """Nothing: the slot is free."""

    INIT_PRODUCER_ID = 1
    """`InitProducerId`."""

    ADD_PARTITIONS_TO_TXN = 2
    """`AddPartitionsToTxn`; and `AddOffsetsToTxn`, which adds the partition that holds the group's offsets."""

    END_TXN = 3
    """`EndTxn`."""


class Answer(IntEnum):
    """What a coordinator does with a request."""

    WAIT = 0
    """Nothing yet: the client is told to ask again (CONCURRENT_TRANSACTIONS, COORDINATOR_NOT_AVAILABLE)."""

    APPENDING = 1
    """It has begun an append to the transaction log, and answers when that is committed."""

    FENCING = 2
    """It has begun to abort the transaction that it found under way, and the client is to ask again."""

    NONE = 3
    """It answers that all is well."""

    PRODUCER_FENCED = 4
    """It refuses: the epoch is not the current one."""

    INVALID_TXN_STATE = 5
    """It refuses: the transaction is not in a state in which this can be done."""

    INVALID_PRODUCER_ID_MAPPING = 6
    """It refuses: the transactional id has another producer id, or none."""

    TRANSACTION_ABORTABLE = 7
    """It refuses: the partition is not in the transaction; the client must abort."""


class ProducerState(IntEnum):
    """What a producer's client is doing (`TransactionManager.State`)."""

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
    """How far a client is with going over from transaction version 1 to 2 or back, where not all have the same one."""

    NONE = 0
    """Its version is that of the rules, and stays so."""

    DUE = 1
    """The same, and when its transaction ends it learns that the cluster has version 2."""

    BUMPING = 2
    """It has version 2, and must ask for the next epoch before its next transaction."""

    DONE = 3
    """It has version 2."""

    BACK_DUE = 4
    """It has version 2, and when its transaction ends it learns that the cluster has version 1 again."""


class ProduceStage(IntEnum):
    """How far a produce request in its slot is."""

    IDLE = 0
    """The slot is free."""

    REQUESTED = 1
    """The request is on its way to the partition's leader."""

    VERIFYING = 2
    """The leader has asked the coordinator whether the partition is in the transaction."""

    VERIFIED = 3
    """The coordinator's consent is on its way to the leader."""
