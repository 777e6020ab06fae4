"""The verification of a transaction before its first batch is appended to a partition.

Part of Kafka modelled: `UnifiedLog.maybeStartTransactionVerification`, `VerificationStateEntry`, `VerificationGuard`.
Source: apache/kafka (commit 1eb7644349); KIP-890, KAFKA-14402, KAFKA-14884, KAFKA-14920, KAFKA-18042.
Left out, and why that is sound: the entry's expiry by time, because any later batch gets a new guard then.
"""

from kafkacheck.impl.log.constants import ProduceError
from kafkacheck.impl.log.producer_state import is_in_open_transaction
from kafkacheck.impl.log.records import Batch, PartitionLog, VerificationStateEntry
from kafkacheck.impl.log.rules import LogRules

NO_GUARD = 0
"""No verification is under way, or the request carries none."""

FIRST_GUARD = 1
"""The guard of the first verification."""


def needs_verification(log: PartitionLog, rules: LogRules, batch: Batch) -> bool:
    """Whether the batch is transactional and belongs to no open transaction in this partition."""
    return batch.is_transactional == 1 and not is_in_open_transaction(log, rules, batch)


def verification_error(log: PartitionLog, rules: LogRules, batch: Batch) -> ProduceError:
    """The error that forbids to verify the batch's transaction, or `NONE`."""
    if rules.old_epoch_is_refused_early and batch.producer_epoch < log.producers[batch.producer_id].producer_epoch:
        return ProduceError.INVALID_PRODUCER_EPOCH
    return ProduceError.NONE


def note_verified_batch(
    verification: VerificationStateEntry, rules: LogRules, batch: Batch, supports_epoch_bump: int
) -> None:
    """Keep the lowest sequence of the highest epoch, and its version if `verification_has_version_of_epoch`."""
    if batch.producer_epoch > verification.producer_epoch:
        verification.producer_epoch = batch.producer_epoch
        verification.lowest_sequence = batch.base_sequence
        if rules.verification_has_version_of_epoch:
            verification.supports_epoch_bump = supports_epoch_bump
    elif batch.producer_epoch == verification.producer_epoch:
        verification.lowest_sequence = min(verification.lowest_sequence, batch.base_sequence)


def start_verification(log: PartitionLog, rules: LogRules, batch: Batch, supports_epoch_bump: int) -> int:
    """The guard with which the batch's transaction must be verified; `NO_GUARD` if that is not needed.

    The batch joins a verification under way; otherwise it gets a new guard. The bound on guards must not be used
    up, and the caller has excluded an error.
    """
    if not needs_verification(log, rules, batch):
        return NO_GUARD
    verification = log.verifications[batch.producer_id]
    if verification.guard == NO_GUARD:
        log.last_verification_guard = log.last_verification_guard + 1 if rules.guard_is_unique else FIRST_GUARD
        verification.guard = log.last_verification_guard
        verification.producer_epoch = batch.producer_epoch
        verification.lowest_sequence = batch.base_sequence
        verification.supports_epoch_bump = supports_epoch_bump
    else:
        note_verified_batch(verification, rules, batch, supports_epoch_bump)
    return verification.guard
