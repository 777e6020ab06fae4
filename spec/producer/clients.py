"""How a producer acts step by step: its id and epoch, when it takes new ones, and which responses it obeys.

Part of Kafka judged: `impl/producer/sender.py`, `retries.py` and `bookkeeping.py`, by their records only.
Source: KIP-98, KIP-360; apache/kafka `TransactionManager`, `Sender`, `RecordAccumulator`.
Left out, and why that is sound: how brokers handle requests; `spec/producer/brokers.py` judges that.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, NO_SEQUENCE, ProduceError
from kafkacheck.impl.producer.constants import BatchStatus, ProducerState, RequestStage, Sending
from kafkacheck.impl.producer.partition_records import ProduceRequest
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.system import State


def is_meant(status: BatchStatus) -> bool:
    """Whether a batch with that status was sent, and its producer awaits the outcome."""
    return status == BatchStatus.IN_FLIGHT or status == BatchStatus.RETRYING


def only_transactional_producers_have_transactions(state: State, bounds: Bounds) -> bool:
    """Only a transactional producer has transactions; it sends only in a transaction, and only in its one epoch.

    Lost if it fails: a batch outside a transaction cannot be aborted; an epoch that the coordinator did not assign
    fences the transaction's own markers.
    Source: `TransactionManager.isTransactional`, `canBumpEpoch`; KIP-98.
    """
    producer = state.producer
    if bounds.transactional == 1:
        return producer.state != ProducerState.READY and not producer.is_bump_required
    return producer.state != ProducerState.IN_TRANSACTION and producer.state != ProducerState.ABORTABLE_ERROR


def producers_keep_their_id(before: State, after: State, bounds: Bounds) -> bool:
    """A producer takes another producer id only if it must begin a new epoch and has used up its epochs.

    Lost if it fails: brokers do not recognise batches that are sent again under another id, and store them twice.
    Source: `TransactionManager.bumpIdempotentEpochAndResetIdIfNeeded`; KIP-360.
    """
    was = before.producer
    now = after.producer
    if was.producer_id == NO_PRODUCER_ID or now.producer_id == NO_PRODUCER_ID or was.producer_id == now.producer_id:
        return True
    return was.is_bump_required and was.producer_epoch == bounds.max_producer_epoch


def is_last_acknowledged(state: State, partition_id: int) -> bool:
    """Whether the last batch that was sent to the partition is acknowledged."""
    is_acknowledged = False
    for batch in state.producer.batches:
        if batch.partition == partition_id and batch.base_sequence != NO_SEQUENCE:
            is_acknowledged = batch.status == BatchStatus.ACKNOWLEDGED
    return is_acknowledged


def expired_batches_without_gap_call_for_no_epoch(before: State, after: State) -> bool:
    """Expired batches need no new epoch if the last batch sent to their partition is acknowledged.

    Lost if it fails: one of 32767 epochs; in the new epoch, duplicates of the partition's batches are not recognised.
    Source: `TransactionManager.maybeResolveSequences`.
    """
    if before.producer.is_bump_required or not after.producer.is_bump_required:
        return True
    for partition_id in range(len(before.producer.counters)):
        if before.producer.counters[partition_id].unresolved_sequence != NO_SEQUENCE:
            if after.producer.counters[partition_id].unresolved_sequence == NO_SEQUENCE:
                return not is_last_acknowledged(before, partition_id)
    return True


def rewritten_batches_call_for_no_epoch(before: State, after: State) -> bool:
    """A batch that already has a new sequence, and must be sent again, needs no further epoch.

    Lost if it fails: the producer begins one epoch after another, without end.
    Source: `ProducerBatch.sequenceHasBeenReset`, `TransactionManager.canRetry`.
    """
    if before.producer.is_bump_required or not after.producer.is_bump_required:
        return True
    return all(
        before.producer.counters[batch.partition].unresolved_sequence != NO_SEQUENCE
        for batch_id, batch in enumerate(before.producer.batches)
        if batch.status == BatchStatus.IN_FLIGHT
        and after.producer.batches[batch_id].status == BatchStatus.RETRYING
        and batch.is_sequence_reset
    )


def is_final(status: BatchStatus) -> bool:
    """Whether the application was told the batch's outcome, or that the outcome is unknown."""
    if status == BatchStatus.ACKNOWLEDGED or status == BatchStatus.FAILED:
        return True
    return status == BatchStatus.EXPIRED


def outcomes_are_told_once(before: State, after: State) -> bool:
    """An outcome that the application was told never changes, even if another response comes later.

    Lost if it fails: the application repeats a batch that it gave up, and both are stored; or an outcome was false.
    Source: `ProducerBatch.tryFinalState`.
    """
    for batch_id in range(len(before.producer.batches)):
        status = before.producer.batches[batch_id].status
        if is_final(status) and after.producer.batches[batch_id].status != status:
            return False
    return True


def only_dead_producers_lose_batches(before: State, after: State) -> bool:
    """A batch that the application has handed over is lost only if the producer's process ends.

    Lost if it fails: the application waits for ever for the batch's outcome.
    Source: `Sender.reenqueueBatch`, `RecordAccumulator.insertInSequenceOrder`; KAFKA-13794.
    """
    return all(
        after.producer.state == ProducerState.UNINITIALIZED
        for old_batch, batch in zip(before.producer.batches, after.producer.batches)
        if old_batch.status != BatchStatus.LOST and batch.status == BatchStatus.LOST
    )


def abandoned_requests_have_expired(state: State) -> bool:
    """A request is abandoned only if its batch has expired.

    Lost if it fails: a batch is never settled, and later batches wait for it.
    Source: `Sender.getExpiredInflightBatches`.
    """
    return all(
        state.producer.batches[request.batch.id].status == BatchStatus.EXPIRED
        for connection in state.connections
        for request in connection.requests
        if request.is_abandoned == 1 and request.stage != RequestStage.NONE
    )


def late_answers_are_counted(before: State, after: State) -> bool:
    """If a response says that an expired batch is stored, the producer counts its sequence as acknowledged.

    Lost if it fails: an epoch begins without a gap, and duplicates of the partition's batches are not recognised.
    Source: `TransactionManager.handleCompletedBatch`, `TxnPartitionMap.maybeUpdateLastAckedSequence`.
    """
    if before.budget.disconnections != after.budget.disconnections:
        return True
    for partition_id in range(len(before.connections)):
        request = before.connections[partition_id].requests[0]
        is_late = request.stage == RequestStage.ANSWERED and request.is_abandoned == 1
        is_taken = after.connections[partition_id].requests[0].batch.id != request.batch.id
        if is_late and is_taken and request.error == ProduceError.NONE:
            if after.producer.counters[partition_id].last_acknowledged_sequence < request.batch.base_sequence:
                return False
    return True


def has_earlier_under_way(state: State, batch_id: int) -> bool:
    """Whether an earlier batch of the same partition is not settled."""
    return any(
        is_meant(state.producer.batches[earlier].status)
        for earlier in range(batch_id)
        if state.producer.batches[earlier].partition == state.producer.batches[batch_id].partition
    )


def is_passing(state: State, request: ProduceRequest, bounds: Bounds) -> bool:
    """Whether an error is retriable: the batch may succeed when it is sent again."""
    if request.error == ProduceError.NOT_LEADER_OR_FOLLOWER or request.error == ProduceError.NOT_ENOUGH_REPLICAS:
        return True
    is_transactional = bounds.transactional == 1
    if request.error == ProduceError.UNKNOWN_PRODUCER_ID:
        return not is_transactional
    if request.error == ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER:
        return not is_transactional or has_earlier_under_way(state, request.batch.id)
    return False


def only_final_errors_fail_batches(before: State, after: State, bounds: Bounds) -> bool:
    """No batch fails because of a retriable error, or because of an error that an earlier batch explains.

    Lost if it fails: the application hears that a record is refused, although the broker would have accepted it.
    Source: `TransactionManager.canRetry`; KIP-360, KAFKA-5793.
    """
    for partition_id in range(len(before.connections)):
        request = before.connections[partition_id].requests[0]
        if request.stage == RequestStage.ANSWERED and is_passing(before, request, bounds):
            if before.producer.batches[request.batch.id].status == BatchStatus.IN_FLIGHT:
                if after.producer.batches[request.batch.id].status == BatchStatus.FAILED:
                    return False
    return True


def has_gap_for_good(state: State, batch_id: int) -> bool:
    """Whether the broker lacks a batch before this one, no such batch is under way, and none behind it is stored."""
    batches = state.producer.batches
    batch = batches[batch_id]
    unresolved = state.producer.counters[batch.partition].unresolved_sequence
    if has_earlier_under_way(state, batch_id) or batch.is_sequence_reset:
        return False
    for later in range(batch_id + 1, len(batches)):
        if batches[later].partition == batch.partition and batches[later].status == BatchStatus.ACKNOWLEDGED:
            return False
    return unresolved == NO_SEQUENCE or unresolved == batch.base_sequence


def gaps_for_good_call_for_epoch(before: State, after: State, bounds: Bounds) -> bool:
    """An idempotent producer begins a new epoch if a batch is out of order and no earlier one can come any more.

    Lost if it fails: the producer sends the batch again and again until it expires, and the broker never accepts it.
    Source: `TransactionManager.canRetry`, `requestIdempotentEpochBumpForPartition`; KIP-360.
    """
    if bounds.transactional == 1 or before.budget != after.budget:
        return True
    for partition_id in range(len(before.connections)):
        request = before.connections[partition_id].requests[0]
        is_out_of_order = request.error == ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER
        if request.stage == RequestStage.ANSWERED and is_out_of_order and has_gap_for_good(before, request.batch.id):
            if before.producer.batches[request.batch.id].status == BatchStatus.IN_FLIGHT:
                if after.producer.batches[request.batch.id].status == BatchStatus.RETRYING:
                    return after.producer.is_bump_required
    return True


def one_send_at_a_time(state: State, rules: ProducerRules) -> bool:
    """An application that waits for each acknowledgement has at most one batch with its producer.

    Lost if it fails: if the producer's process ends, more is lost than the application knows.
    Source: `KafkaProducer.send(...).get()`; `producer.type=sync`.
    """
    found = 0
    for batch_id in range(len(state.producer.batches)):
        status = state.producer.batches[batch_id].status
        if is_meant(status) or status == BatchStatus.BUFFERED:
            found += 1
    return rules.sending != Sending.SYNCHRONOUS or found <= 1


def is_with_producer(status: BatchStatus) -> bool:
    """Whether the producer has the batch, and has not told the application its outcome."""
    return is_meant(status) or status == BatchStatus.BUFFERED


def applications_wait_for_all(before: State, after: State, rules: ProducerRules) -> bool:
    """An application that waits for all its batches goes on only when its producer has none left.

    Lost if it fails: the application believes that a batch is stored, and the batch is lost if the producer's process
    ends.
    Source: `KafkaProducer.flush`; KAFKA-19479.
    """
    if rules.sending != Sending.SYNCHRONOUS or before.producer.next_batch == after.producer.next_batch:
        return True
    return all(not is_with_producer(batch.status) for batch in before.producer.batches)


def halves_go_on_counting(before: State, after: State) -> bool:
    """Only a batch that is too large is split; its halves share its sequences in order, and neither is given up.

    Lost if it fails: a half looks like a duplicate of the other half, or of a later batch, and is never stored; or no
    broker accepts later batches.
    Source: `ProducerBatch.split`; KIP-126, KIP-98.
    """
    for batch_id in range(len(before.producer.batches) - 1):
        batch = before.producer.batches[batch_id]
        first = after.producer.batches[batch_id]
        second = after.producer.batches[batch_id + 1]
        if is_with_producer(batch.status) and first.record_count < batch.record_count:
            if before.connections[batch.partition].requests[0].error != ProduceError.MESSAGE_TOO_LARGE:
                return False
            if first.status != BatchStatus.RETRYING or second.status != BatchStatus.RETRYING:
                return False
            if first.base_sequence != batch.base_sequence or second.producer_epoch != first.producer_epoch:
                return False
            follows = second.base_sequence == first.base_sequence + 1
            if not follows and (first.base_sequence != before.producer.max_sequence or second.base_sequence != 0):
                return False
    return True


def only_second_halves_wait(state: State) -> bool:
    """A batch that was handed over is unsent only if it is the second half of a batch that is not split yet.

    Lost if it fails: a batch has no place in the order, and nobody ever sends it.
    Source: `RecordAccumulator.append`.
    """
    for batch_id in range(state.producer.next_batch):
        if state.producer.batches[batch_id].status == BatchStatus.UNSENT:
            first = state.producer.batches[max(batch_id - 1, 0)]
            if batch_id == 0 or first.is_oversized == 0 or first.record_count == 1:
                return False
    return True


def dead_producers_keep_nothing(before: State, after: State) -> bool:
    """When a producer's process ends, it loses all batches in its buffer or under way.

    Lost if it fails: behaviours in which the application never learns the outcome of a batch that it has handed over.
    Source: `RecordAccumulator`, which is in memory only.
    """
    if after.budget.producer_deaths == before.budget.producer_deaths:
        return True
    for batch_id in range(len(after.producer.batches)):
        status = after.producer.batches[batch_id].status
        if is_meant(status) or status == BatchStatus.BUFFERED:
            return False
    return True


def connections_keep_their_broker(before: State, after: State) -> bool:
    """All requests under way on a connection go to one broker, which changes only after the last of them.

    Lost if it fails: batches reach two leaders at once, and their order is lost.
    Source: `NetworkClient`, `InFlightRequests`.
    """
    for was, now in zip(before.connections, after.connections):
        if was.requests[0].stage != RequestStage.NONE and now.requests[0].stage != RequestStage.NONE:
            if was.broker != now.broker:
                return False
    return True


def first_batch_is_sent_again(state: State) -> bool:
    """The very first batch waits to be sent again. Without an example no broker sees a retry as the first request."""
    return state.producer.batches[0].status == BatchStatus.RETRYING


def later_batch_is_acknowledged(state: State) -> bool:
    """A batch after the first one is acknowledged. Without an example no batch was sent after another one."""
    return any(
        state.producer.batches[batch_id].offset != NO_OFFSET for batch_id in range(1, len(state.producer.batches))
    )


def second_producer_id(state: State) -> bool:
    """A producer has taken a second id. Without an example epochs are never used up, or no producer follows another."""
    return state.producer.producer_id > 0


def request_to_next_leader(state: State) -> bool:
    """A request is under way to a leader other than the first one."""
    return any(
        connection.broker == state.partitions[partition_id].leader
        for partition_id, connection in enumerate(state.connections)
        if connection.requests[0].stage != RequestStage.NONE and connection.broker > 0
    )


def split_batch(state: State) -> bool:
    """The second half of a batch that was split is acknowledged. Without an example nothing is split."""
    for batch_id in range(1, len(state.producer.batches)):
        first = state.producer.batches[batch_id - 1]
        second = state.producer.batches[batch_id]
        if first.is_oversized == 1 and second.is_oversized == 1 and second.status == BatchStatus.ACKNOWLEDGED:
            return True
    return False
