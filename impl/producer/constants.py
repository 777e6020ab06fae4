"""Enumerations of producers, with Kafka's names.

Part of Kafka modelled: the states of a producer, of its batches and of its requests.
Source: apache/kafka `TransactionManager`, `Sender`, `DelayedProduce` (commit 1eb7644349).
Left out, and why that is sound: states in which a producer behaves in the same way as in a state listed here.
"""

from enum import IntEnum


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
    """The producer's knowledge of a batch."""

    UNSENT = 0
    """The application has not handed it over."""

    BUFFERED = 1
    """It is in the buffer and was never sent: it has no sequence."""

    IN_FLIGHT = 2
    """It is sent, and neither answered nor given up."""

    RETRYING = 3
    """It was sent, and waits to be sent again with the same sequence."""

    ACKNOWLEDGED = 4
    """The broker has it, and the application knows that."""

    FAILED = 5
    """The broker has refused it for good, and the application knows that."""

    EXPIRED = 6
    """It timed out with unknown outcome, and the application knows that."""

    LOST = 7
    """The producer's process ended before the batch was settled."""


class RequestStage(IntEnum):
    """How far a produce request is."""

    NONE = 0
    """The slot is free."""

    REQUESTED = 1
    """It is under way, or the broker has not handled it yet."""

    WAITING = 2
    """Its batch is appended, and it waits for the other replicas (`DelayedProduce`)."""

    ANSWERED = 3
    """The response is under way."""
