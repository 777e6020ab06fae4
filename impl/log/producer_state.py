"""A partition's state of one producer: finding duplicates, remembering and forgetting batches.

Part of Kafka modelled: `ProducerStateEntry` (`findDuplicateBatch`, `addBatch`, `maybeUpdateProducerEpoch`), and the
removal of entries in `ProducerStateManager`.
Source: apache/kafka (commit 1eb7644349); KIP-360, KAFKA-5494, KAFKA-7190, KAFKA-18575.
Left out, and why that is sound: the time of an entry's last batch: the environment chooses when
`producer.id.expiration.ms` is over.
"""

from kafkacheck.checker.schema import Array, clear, copy
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE
from kafkacheck.impl.log.records import Batch, PartitionLog, ProducerStateEntry
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.log.sequences import last_sequence_of


def is_known(entry: ProducerStateEntry) -> bool:
    """Whether the partition knows the producer."""
    return entry.producer_epoch != NO_PRODUCER_EPOCH


def has_open_transaction(log: PartitionLog, producer_id: int) -> bool:
    """Whether the producer has a transaction in this partition that no marker has ended."""
    return log.producers[producer_id].current_transaction_first_offset != NO_OFFSET


def is_in_open_transaction(log: PartitionLog, rules: LogRules, batch: Batch) -> bool:
    """Whether the batch belongs to an open transaction of its producer in this partition (`hasOngoingTransaction`)."""
    if not has_open_transaction(log, batch.producer_id):
        return False
    return not rules.transaction_is_of_epoch or batch.producer_epoch == log.producers[batch.producer_id].producer_epoch


def last_sequence(entry: ProducerStateEntry) -> int:
    """The last sequence stored in the producer's epoch; `NO_SEQUENCE` if there is none."""
    return entry.batches[0].last_sequence


def duplicate_offset(log: PartitionLog, batch: Batch) -> int:
    """The offset of the oldest known batch with the same epoch, first and last sequence; `NO_OFFSET` without one."""
    if batch.producer_id == NO_PRODUCER_ID:
        return NO_OFFSET
    entry = log.producers[batch.producer_id]
    if batch.producer_epoch != entry.producer_epoch or batch.base_sequence == NO_SEQUENCE:
        return NO_OFFSET
    last = last_sequence_of(batch.base_sequence, batch.record_count, log.max_sequence)
    found = NO_OFFSET
    for stored in entry.batches:
        if stored.offset != NO_OFFSET and stored.last_sequence == last and stored.record_count == batch.record_count:
            found = stored.offset
    return found


def begin_epoch(entry: ProducerStateEntry, producer_epoch: int) -> None:
    """Set the entry's epoch; if it changes, the batches of the former epoch are forgotten."""
    if entry.producer_epoch == producer_epoch:
        return
    entry.producer_epoch = producer_epoch
    for batch in entry.batches:
        clear(batch)


def remember_batch(entry: ProducerStateEntry, rules: LogRules, batch: Batch, offset: int, max_sequence: int) -> None:
    """Remember the batch stored at `offset`, and forget the oldest one if there are too many."""
    begin_epoch(entry, batch.producer_epoch)
    retained = min(rules.batches_to_retain, len(entry.batches))
    for distance in range(1, retained):
        copy(entry.batches[retained - distance], entry.batches[retained - distance - 1])
    newest = entry.batches[0]
    newest.last_sequence = last_sequence_of(batch.base_sequence, batch.record_count, max_sequence)
    newest.record_count = batch.record_count
    newest.offset = offset


def forget_older_batches(producers: Array[ProducerStateEntry]) -> None:
    """Let each producer's newest batch be the only one that is remembered, as in a snapshot file."""
    for entry in producers:
        for place in range(1, len(entry.batches)):
            clear(entry.batches[place])


def expire_producer(log: PartitionLog, producer_id: int) -> bool:
    """Forget an idle producer that is known and has no open transaction; return whether that was possible."""
    entry = log.producers[producer_id]
    if not is_known(entry) or has_open_transaction(log, producer_id):
        return False
    clear(entry)
    return True


def forget_producers_without_records(log: PartitionLog) -> None:
    """Forget each producer whose last batch is below the log's start, as Kafka did before KIP-360 (KAFKA-7190)."""
    for producer_id, entry in enumerate(log.producers):
        if entry.batches[0].offset < log.start_offset and not has_open_transaction(log, producer_id):
            clear(entry)
