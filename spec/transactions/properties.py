"""Properties that must hold of transactions in every state.

Part of Kafka judged: `impl/transactions`, `impl/coordinator` and `impl/client`, by their records only.
Source: KIP-98 (guarantees), KIP-890, KIP-447, and the issues named below.
Left out, and why that is sound: how an application uses the outcomes that it learns.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_BATCH, Marker
from kafkacheck.impl.transactions.constants import ProducerState, RequestKind, TransactionState
from kafkacheck.impl.transactions.records import Partition
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions.steps import stable_offset


def fate_of(partition: Partition, offset: int) -> Marker:
    """How the transaction of the record at `offset` ended in this partition: its producer's next marker decides."""
    producer_id = partition.log.records[offset].producer_id
    fate = Marker.NONE
    for later in range(offset + 1, partition.log.end_offset):
        batch = partition.log.records[later]
        if fate == Marker.NONE and batch.producer_id == producer_id and batch.marker != Marker.NONE:
            fate = batch.marker
    return fate


def records_with_fate(state: State, transaction: int, fate: Marker) -> int:
    """How many records of the transaction have this fate."""
    return sum(
        1
        for partition in state.partitions
        for offset in range(partition.log.end_offset)
        if partition.log.records[offset].id == transaction and fate_of(partition, offset) == fate
    )


def transactions_are_atomic(state: State) -> bool:
    """No transaction has one record committed and another aborted.

    Lost to users: a read_committed reader sees half of a transaction, for good.
    Source: KIP-98: "all or none".
    """
    return all(
        records_with_fate(state, transaction, Marker.ABORT) <= 0
        for transaction in range(len(state.transactions))
        if records_with_fate(state, transaction, Marker.COMMIT) > 0
    )


def only_what_was_to_be_committed_is(state: State) -> bool:
    """A record is committed only if its application has asked to commit its transaction.

    Lost to users: a reader sees records that an application has aborted, or has not finished.
    Source: KIP-98; KAFKA-17754, KIP-890.
    """
    return all(
        records_with_fate(state, transaction, Marker.COMMIT) <= 0
        for transaction in range(len(state.transactions))
        if state.transactions[transaction].asked != Marker.COMMIT
    )


def applications_are_told_the_truth(state: State) -> bool:
    """A transaction reported as committed has no aborted record; one reported as aborted has no committed record.

    Lost to users: an application repeats committed records, or does not repeat lost ones.
    Source: KIP-98; REDPANDA-3616, KAFKA-17754.
    """
    for transaction in range(len(state.transactions)):
        told = state.transactions[transaction].told
        if told == Marker.COMMIT and records_with_fate(state, transaction, Marker.ABORT) > 0:
            return False
        if told == Marker.ABORT and records_with_fate(state, transaction, Marker.COMMIT) > 0:
            return False
    return True


def committed_transactions_are_whole(state: State) -> bool:
    """Every acknowledged record of a transaction reported as committed is stored.

    Lost to users: a record that was reported as committed is nowhere.
    Source: KIP-98.
    """
    return all(
        has_record(state.partitions[partition_id], transaction)
        for transaction, promise in enumerate(state.transactions)
        if promise.told == Marker.COMMIT
        for partition_id in promise.acknowledged
    )


def has_record(partition: Partition, transaction: int) -> bool:
    """Whether the transaction has a record in the partition."""
    return any(partition.log.records[offset].id == transaction for offset in range(partition.log.end_offset))


def records_are_stored_once(state: State) -> bool:
    """No transaction has two records in a partition to which its application has sent one.

    Lost to users: a repeated request is stored twice.
    Source: KIP-98 (idempotence).
    """
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for offset in range(log.end_offset):
            for other in range(offset):
                if log.records[offset].id != NO_BATCH and log.records[offset].id == log.records[other].id:
                    return False
    return True


def coordinator_epochs_do_not_fall(state: State) -> bool:
    """In a log no marker of a producer has an older coordinator epoch than an earlier marker.

    Lost if it fails: a coordinator that was replaced has decided a transaction.
    Source: KIP-98; KAFKA-9144.
    """
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for offset in range(log.end_offset):
            marker = log.records[offset]
            for earlier in range(offset):
                other = log.records[earlier]
                if marker.marker != Marker.NONE and other.marker != Marker.NONE:
                    if marker.producer_id == other.producer_id and marker.coordinator_epoch < other.coordinator_epoch:
                        return False
    return True


def producer_epochs_do_not_fall(state: State) -> bool:
    """In a log no batch or marker of a producer has an older producer epoch than an earlier one.

    Lost if it fails: records of a producer that was replaced are stored beside its successor's.
    Source: KIP-98 (zombie fencing).
    """
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for offset in range(log.end_offset):
            for earlier in range(offset):
                if log.records[offset].producer_id == log.records[earlier].producer_id:
                    if log.records[offset].producer_epoch < log.records[earlier].producer_epoch:
                        return False
    return True


def only_what_was_to_be_committed_is_delivered(state: State) -> bool:
    """A read_committed consumer is given a record only if the application has asked to commit its transaction.

    Lost to users: an aborted or unfinished transaction is read.
    Source: KIP-98 (`isolation.level`); KAFKA-9807, KAFKA-7866, KAFKA-13727.
    """
    for partition_id in range(len(state.partitions)):
        reader = state.readers[partition_id]
        log = state.partitions[partition_id].log
        for offset in range(log.end_offset):
            transaction = log.records[offset].id
            if offset in reader.delivered and transaction != NO_BATCH:
                if state.transactions[transaction].asked != Marker.COMMIT:
                    return False
    return True


def delivered_records_are_committed(state: State) -> bool:
    """Every record that a read_committed consumer was given is committed.

    Lost to users: an aborted record is read, or one that may still be aborted.
    Source: KIP-98 (`isolation.level`); KAFKA-9807, KAFKA-7866.
    """
    return all(
        fate_of(partition, offset) == Marker.COMMIT
        for partition_id, partition in enumerate(state.partitions)
        for offset in range(partition.log.end_offset)
        if offset in state.readers[partition_id].delivered
    )


def committed_records_are_delivered(state: State) -> bool:
    """A consumer was given every committed record below its position.

    Lost to users: a committed record is skipped.
    Source: KIP-98 (`isolation.level`).
    """
    return all(
        offset in state.readers[partition_id].delivered
        for partition_id, partition in enumerate(state.partitions)
        for offset in range(state.readers[partition_id].position)
        if partition.log.records[offset].id != NO_BATCH and fate_of(partition, offset) == Marker.COMMIT
    )


def readers_stop_at_undecided(state: State) -> bool:
    """No consumer's position is above the high watermark, or past the first record of an open transaction.

    Lost if it fails: the consumer has passed a record whose fate it does not know.
    Source: `UnifiedLog.fetchLastStableOffsetMetadata`; KAFKA-9807.
    """
    for partition_id in range(len(state.partitions)):
        position = state.readers[partition_id].position
        partition = state.partitions[partition_id]
        if position > partition.high_watermark:
            return False
        for producer_id in range(len(partition.log.producers)):
            first_offset = partition.log.producers[producer_id].current_transaction_first_offset
            if first_offset != NO_OFFSET and first_offset < position:
                return False
    return True


def reads_end_at_stable_offset(state: State) -> bool:
    """No consumer's position, and no limit of a read that has begun, is above the last stable offset.

    Lost if it fails: the consumer was given a record whose fate may change: the marker may be lost with its leader.
    Source: `UnifiedLog.fetchLastStableOffsetMetadata`, `ProducerStateManager.unreplicatedTxns`; KAFKA-9807.
    """
    for partition_id in range(len(state.partitions)):
        reader = state.readers[partition_id]
        stable = stable_offset(state.partitions[partition_id])
        if reader.position > stable:
            return False
        if reader.is_limited and (reader.limit == NO_OFFSET or reader.limit > stable):
            return False
    return True


def is_known_open(state: State, producer_id: int, partition_id: int) -> bool:
    """Whether a current coordinator will end a transaction of the producer in the partition."""
    for transactional_id in range(len(state.transactional_ids)):
        entry = state.transactional_ids[transactional_id].log.entry
        if entry.producer_id == producer_id and partition_id in entry.partitions:
            return True
    return False


def open_transactions_are_known(state: State) -> bool:
    """Every transaction that is open in a partition has that partition in the transaction log, too.

    Lost if it fails: nobody ends the transaction, and the last stable offset stands still for ever.
    Source: KIP-890 (hanging transactions).
    """
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for producer_id in range(len(log.producers)):
            if log.producers[producer_id].current_transaction_first_offset != NO_OFFSET:
                if not is_known_open(state, producer_id, partition_id):
                    return False
    return True


def has_output(state: State, transaction: int, fate: Marker) -> bool:
    """Whether a record of the transaction, other than an offset's, has this fate."""
    return any(
        partition.log.records[offset].id == transaction and fate_of(partition, offset) == fate
        for partition_id, partition in enumerate(state.partitions)
        if partition_id != state.offsets_partition
        for offset in range(partition.log.end_offset)
    )


def outputs_of(state: State, input_offset: int, fate: Marker) -> int:
    """How many transactions made from the input have an output with this fate."""
    return sum(
        1
        for transaction in range(len(state.transactions))
        if state.transactions[transaction].input_offset == input_offset and has_output(state, transaction, fate)
    )


def inputs_take_effect_once(state: State) -> bool:
    """No input has two committed outputs.

    Lost to users: a record is processed twice, although the application was built for exactly once.
    Source: KIP-98, KIP-447.
    """
    return all(outputs_of(state, input_offset, Marker.COMMIT) <= 1 for input_offset in range(len(state.processed) - 1))


def committed_inputs_take_effect(state: State) -> bool:
    """Every input below the committed offset has an output that is committed or still awaits its marker.

    Lost to users: a record is skipped, although the application was built for exactly once.
    Source: KIP-98.
    """
    return all(
        outputs_of(state, input_offset, Marker.COMMIT) + outputs_of(state, input_offset, Marker.NONE) != 0
        for input_offset in range(state.group.committed)
    )


def inputs_are_processed_at_most_once(state: State) -> bool:
    """No input is processed twice.

    Lost to users: an effect is repeated, although the application would rather lose one.
    Source: delivery semantics of consumers: the offset is committed before the input is processed.
    """
    return all(state.processed[input_offset] <= 1 for input_offset in range(len(state.processed)))


def committed_inputs_are_processed(state: State) -> bool:
    """Every input below the committed offset is processed.

    Lost to users: an effect is lost, although the application would rather repeat one.
    Source: delivery semantics of consumers: the offset is committed after the input is processed.
    """
    return all(state.processed[input_offset] != 0 for input_offset in range(state.group.committed))


def nothing_is_undecided(state: State) -> bool:
    """No partition has an open transaction, and no coordinator an unfinished one.

    Lost to users: a read_committed consumer waits for ever behind a transaction that does not end.
    """
    for transactional_id in range(len(state.transactional_ids)):
        entry = state.transactional_ids[transactional_id].log.entry
        if entry.state == TransactionState.ONGOING or entry.state == TransactionState.PREPARE_COMMIT:
            return False
        if entry.state == TransactionState.PREPARE_ABORT:
            return False
    return not something_is_open(state)


def something_is_open(state: State) -> bool:
    """Some partition has an open transaction, which holds back its last stable offset."""
    for partition_id in range(len(state.partitions)):
        log = state.partitions[partition_id].log
        for producer_id in range(len(log.producers)):
            if log.producers[producer_id].current_transaction_first_offset != NO_OFFSET:
                return True
    return False


def something_is_undecided(state: State) -> bool:
    """Some transaction is not finished."""
    return not nothing_is_undecided(state)


def committed_transaction(state: State) -> bool:
    """An application was told that its transaction is committed, and a record of the transaction is committed."""
    return any(
        records_with_fate(state, transaction, Marker.COMMIT) > 0
        for transaction in range(len(state.transactions))
        if state.transactions[transaction].told == Marker.COMMIT
    )


def aborted_transaction(state: State) -> bool:
    """A record of an aborted transaction is stored."""
    return any(
        records_with_fate(state, transaction, Marker.ABORT) > 0 for transaction in range(len(state.transactions))
    )


def fenced_client(state: State) -> bool:
    """A client was refused for good."""
    return any(client.state == ProducerState.FATAL_ERROR for client in state.clients)


def delivered_record(state: State) -> bool:
    """A read_committed consumer was given a record."""
    return any(reader.delivered != Ids() for reader in state.readers)


def every_input_is_done(state: State) -> bool:
    """Every input is processed once, and its offset committed."""
    return (
        all(state.processed[input_offset] == 1 for input_offset in range(len(state.processed) - 1))
        and state.group.committed == len(state.processed) - 1
    )


def partition_is_asked_for(state: State) -> bool:
    """A client asks the coordinator to add a partition, as only clients of transaction version 1 do.

    Without an example no client has gone back to that version.
    """
    return any(
        state.requests[client_id].kind == RequestKind.ADD_PARTITIONS_TO_TXN for client_id in range(len(state.clients))
    )
