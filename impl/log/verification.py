"""The verification of a transaction before its first batch is appended to a partition.

Part of Kafka modelled: `UnifiedLog.maybeStartTransactionVerification`, `VerificationStateEntry`, `VerificationGuard`.
Source: apache/kafka (commit 1eb7644349); KIP-890, KAFKA-14402, KAFKA-14884, KAFKA-14920.
Left out, and why that is sound: the entry's expiry by time, because any later batch gets a new guard then.
"""

from kafkacheck.impl.log.producer_state import has_open_transaction
from kafkacheck.impl.log.records import Batch, PartitionLog, VerificationStateEntry
from kafkacheck.impl.log.rules import LogRules

NO_GUARD = 0
"""No verification is under way, or the request carries none."""

FIRST_GUARD = 1
"""The guard of the first verification."""


def needs_verification(log: PartitionLog, batch: Batch) -> bool:
    """Whether the batch is transactional and its producer has no open transaction in this partition."""
    return batch.is_transactional == 1 and not has_open_transaction(log, batch.producer_id)


def note_verified_batch(verification: VerificationStateEntry, batch: Batch) -> None:
    """Keep the lowest sequence of the highest epoch."""
    if batch.producer_epoch > verification.producer_epoch:
        verification.producer_epoch = batch.producer_epoch
        verification.lowest_sequence = batch.base_sequence
    elif batch.producer_epoch == verification.producer_epoch:
        verification.lowest_sequence = min(verification.lowest_sequence, batch.base_sequence)


def start_verification(log: PartitionLog, rules: LogRules, batch: Batch) -> int:
    """The guard with which the batch's transaction must be verified; `NO_GUARD` if that is not needed.

    The batch joins a verification under way; otherwise it gets a new guard. The bound on guards must not be used up.
    """
    if not needs_verification(log, batch):
        return NO_GUARD
    verification = log.verifications[batch.producer_id]
    if verification.guard == NO_GUARD:
        log.last_verification_guard = log.last_verification_guard + 1 if rules.guard_is_unique else FIRST_GUARD
        verification.guard = log.last_verification_guard
        verification.producer_epoch = batch.producer_epoch
        verification.lowest_sequence = batch.base_sequence
    else:
        note_verified_batch(verification, batch)
    return verification.guard
