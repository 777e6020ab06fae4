"""Appending to a log: the broker validates a batch and updates its producer state.

Part of Kafka modelled: `UnifiedLog` (`analyzeAndValidateProducerState`, `append`), `ProducerAppendInfo`.
Source: apache/kafka (commit 1eb7644349); KIP-98, KIP-360, KIP-890, KAFKA-6003, KAFKA-14920, KAFKA-18202,
KAFKA-19690.
Left out, and why that is sound: several batches of one producer in one append, which Kafka's clients never send.

A leader calls `duplicate_offset` first (for `CLIENT`), then `append_error`, and only if that returns `NONE`
`append_batch` or `append_marker`. A follower and a replay also call `append_error`, with `REPLICATION`.
"""

from kafkacheck.checker.schema import clear, copy
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, NO_SEQUENCE, Marker, Origin, ProduceError
from kafkacheck.impl.log.producer_state import (
    begin_epoch,
    duplicate_offset,
    has_open_transaction,
    is_known,
    last_sequence,
    remember_batch,
)
from kafkacheck.impl.log.records import Batch, PartitionLog, ProducerStateEntry
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.log.sequences import is_in_sequence
from kafkacheck.impl.log.verification import NO_GUARD, needs_verification


def awaits_sequence(log: PartitionLog, rules: LogRules, entry: ProducerStateEntry, batch: Batch) -> bool:
    """Whether a verification under way lets the batch's sequence pass, whatever the verification's epoch is."""
    verification = log.verifications[batch.producer_id]
    if verification.guard == NO_GUARD:
        return True
    if rules.new_state_begins_at_zero and verification.supports_epoch_bump == 1:
        if batch.base_sequence != 0 and last_sequence(entry) == NO_SEQUENCE:
            return False
    return not rules.lowest_sequence_is_awaited or batch.base_sequence <= verification.lowest_sequence


def sequence_error(log: PartitionLog, rules: LogRules, entry: ProducerStateEntry, batch: Batch) -> ProduceError:
    """The error for the sequence of a producer's batch, `NONE` if it is right (`checkSequence`)."""
    if not awaits_sequence(log, rules, entry, batch):
        return ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER
    if not is_known(entry):
        if batch.base_sequence != 0 and not rules.unknown_producer_may_go_on:
            return ProduceError.UNKNOWN_PRODUCER_ID
        if batch.base_sequence != 0 and rules.empty_log_awaits_first_sequence and log.end_offset == 0:
            return ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER
        return ProduceError.NONE
    if batch.producer_epoch != entry.producer_epoch:
        if batch.base_sequence != 0:
            return ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER
        return ProduceError.NONE
    if not is_in_sequence(rules, last_sequence(entry), batch.base_sequence, log.max_sequence):
        return ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER
    return ProduceError.NONE


def validates_sequence(rules: LogRules, origin: Origin) -> bool:
    """Whether sequences are checked: in clients' batches; before KAFKA-6003 also in batches that a follower fetched."""
    return origin == Origin.CLIENT or (origin == Origin.REPLICATION and not rules.replication_is_trusted)


def is_verified(rules: LogRules, origin: Origin) -> bool:
    """Whether a transaction's first batch from this origin must be verified with the coordinator."""
    return rules.verification and (origin != Origin.COORDINATOR or rules.offset_commit_is_verified)


def append_error(log: PartitionLog, rules: LogRules, batch: Batch, guard: int, origin: Origin) -> ProduceError:
    """The error that forbids to append a data batch, or `NONE`; the caller has excluded a duplicate.

    `guard`: the guard of the verification that the request has passed; `NO_GUARD` if it has passed none.
    """
    if batch.producer_id == NO_PRODUCER_ID:
        return ProduceError.NONE
    entry = log.producers[batch.producer_id]
    if origin != Origin.REPLICATION:
        if rules.old_epoch_is_named_first and batch.producer_epoch < entry.producer_epoch:
            return ProduceError.INVALID_PRODUCER_EPOCH
        if is_verified(rules, origin) and needs_verification(log, rules, batch):
            if guard == NO_GUARD or guard != log.verifications[batch.producer_id].guard:
                return ProduceError.INVALID_TXN_STATE
        if batch.producer_epoch < entry.producer_epoch:
            return ProduceError.INVALID_PRODUCER_EPOCH
    if validates_sequence(rules, origin):
        error = sequence_error(log, rules, entry, batch)
        if error != ProduceError.NONE:
            return error
    if batch.is_transactional == 0 and has_open_transaction(log, batch.producer_id):
        return ProduceError.INVALID_TXN_STATE
    return ProduceError.NONE


def learn_of_batch(log: PartitionLog, rules: LogRules, batch: Batch, offset: int) -> None:
    """Update the producer state for a data batch that is stored at `offset`."""
    if batch.producer_id == NO_PRODUCER_ID:
        return
    entry = log.producers[batch.producer_id]
    if batch.base_sequence == NO_SEQUENCE:
        begin_epoch(entry, batch.producer_epoch)
    else:
        remember_batch(entry, rules, batch, offset, log.max_sequence)
    if batch.is_transactional == 1:
        if entry.current_transaction_first_offset == NO_OFFSET:
            entry.current_transaction_first_offset = offset
        clear(log.verifications[batch.producer_id])


def learn_of_marker(log: PartitionLog, rules: LogRules, marker: Batch) -> None:
    """Update the producer state for a marker: the transaction has ended, and older epochs are fenced.

    In version 2 a marker has the epoch of the next transaction, whose verification may be under way by then.
    """
    verification = log.verifications[marker.producer_id]
    is_of_next = verification.supports_epoch_bump == 1 and verification.producer_epoch == marker.producer_epoch
    entry = log.producers[marker.producer_id]
    begin_epoch(entry, marker.producer_epoch)
    entry.coordinator_epoch = marker.coordinator_epoch
    entry.current_transaction_first_offset = NO_OFFSET
    if not is_of_next or not rules.transaction_is_of_epoch:
        clear(verification)


def learn_of(log: PartitionLog, rules: LogRules, offset: int) -> None:
    """Update the producer state for the batch or marker that is stored at `offset`."""
    batch = log.records[offset]
    if batch.marker == Marker.NONE:
        learn_of_batch(log, rules, batch, offset)
    else:
        learn_of_marker(log, rules, batch)


def append_batch(log: PartitionLog, rules: LogRules, batch: Batch) -> None:
    """Store a batch or marker at the end of a log that is not full, and update the producer state."""
    copy(log.records[log.end_offset], batch)
    log.end_offset += 1
    learn_of(log, rules, log.end_offset - 1)


def append_record_of(
    log: PartitionLog, rules: LogRules, batch_id: int, producer_id: int, sequence: int, is_transactional: int
) -> bool:
    """Append a client's batch of one record in epoch 0, if the log has room and the batch is valid and no duplicate.

    The slot at the log's end serves as the request, and is blank again if the batch is refused.
    """
    if is_full(log):
        return False
    batch = log.records[log.end_offset]
    clear(batch)
    batch.id = batch_id
    batch.producer_id = producer_id
    batch.producer_epoch = 0
    batch.base_sequence = sequence
    batch.is_transactional = is_transactional
    is_stored = duplicate_offset(log, batch) != NO_OFFSET
    if is_stored or append_error(log, rules, batch, NO_GUARD, Origin.CLIENT) != ProduceError.NONE:
        clear(batch)
        return False
    log.end_offset += 1
    learn_of(log, rules, log.end_offset - 1)
    return True


def marker_error(log: PartitionLog, producer_id: int, producer_epoch: int, coordinator_epoch: int) -> ProduceError:
    """The error that forbids to append a coordinator's marker (`appendEndTxnMarker`), or `NONE`."""
    entry = log.producers[producer_id]
    if producer_epoch < entry.producer_epoch:
        return ProduceError.INVALID_PRODUCER_EPOCH
    if coordinator_epoch < entry.coordinator_epoch:
        return ProduceError.TRANSACTION_COORDINATOR_FENCED
    return ProduceError.NONE


def append_marker(
    log: PartitionLog, rules: LogRules, producer_id: int, producer_epoch: int, coordinator_epoch: int, marker: Marker
) -> None:
    """Store a marker at the end of a log that is not full, and update the producer state."""
    stored = log.records[log.end_offset]
    stored.producer_id = producer_id
    stored.producer_epoch = producer_epoch
    stored.is_transactional = 1
    stored.marker = marker
    stored.coordinator_epoch = coordinator_epoch
    log.end_offset += 1
    learn_of_marker(log, rules, stored)
