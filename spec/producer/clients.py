"""What a producer does step by step: which id and epoch it has, when it begins another one, which answers it obeys.

Part of Kafka judged: `impl/producer/sender.py`, `retries.py` and `bookkeeping.py`, by their records only.
Source: KIP-98, KIP-360; apache/kafka `TransactionManager`, `Sender`, `RecordAccumulator`.
Left out, and why that is sound: what brokers do with what is sent, of which `spec/producer/brokers.py` speaks.
"""

from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.producer.constants import (
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    BatchStatus,
    ProduceError,
    ProducerState,
    RequestStage,
    Sending,
)
from kafkacheck.impl.producer.partition_records import ProduceRequest
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producing import State


def is_meant(status: BatchStatus) -> bool:
    """Whether a batch of that status is sent, and its producer waits to hear what became of it."""
    return status == BatchStatus.IN_FLIGHT or status == BatchStatus.RETRYING


def only_transactional_producers_have_transactions(state: State) -> bool:
    """A producer that is not transactional is never in a transaction; one that is sends only in one, in its one epoch.

    Lost if it fails: what is sent in no transaction cannot be aborted; an epoch that the coordinator did not give
    fences the transaction's own markers.
    Source: `TransactionManager.isTransactional`, `canBumpEpoch`; KIP-98.
    Holds in: the models of the idempotent producer.
    Fails in: none; it guards the producer's bookkeeping.
    """
    producer = state.producer
    if producer.is_transactional == 1:
        return producer.state != ProducerState.READY and not producer.is_bump_required
    return producer.state != ProducerState.IN_TRANSACTION and producer.state != ProducerState.ABORTABLE_ERROR


def producers_keep_their_id(before: State, after: State) -> bool:
    """A producer that has an id takes another one only if it must begin an epoch and has used its epochs up.

    Lost if it fails: batches that are sent again under another id are not known again, and are stored twice.
    Source: `TransactionManager.bumpIdempotentEpochAndResetIdIfNeeded`; KIP-360.
    Holds in: the models of the idempotent producer.
    Fails in: none; it guards when an id is asked for.
    """
    was = before.producer
    now = after.producer
    if was.producer_id == NO_PRODUCER_ID or now.producer_id == NO_PRODUCER_ID or was.producer_id == now.producer_id:
        return True
    return was.is_bump_required and was.producer_epoch == was.max_producer_epoch


def is_last_acknowledged(state: State, partition_id: int) -> bool:
    """Whether the last batch that was sent to the partition is acknowledged."""
    is_acknowledged = False
    for batch in state.producer.batches:
        if batch.partition == partition_id and batch.base_sequence != NO_SEQUENCE:
            is_acknowledged = batch.status == BatchStatus.ACKNOWLEDGED
    return is_acknowledged


def expired_batches_without_gap_call_for_no_epoch(before: State, after: State) -> bool:
    """Where the last batch that was sent is acknowledged, those before it that expired call for no new epoch.

    Lost if it fails: an epoch; there are 32767, and with a new one the partition's batches lose their duplicates.
    Source: `TransactionManager.maybeResolveSequences`.
    Holds in: the models of the idempotent producer.
    Fails in: none; it guards how expired batches are resolved.
    """
    if before.producer.is_bump_required or not after.producer.is_bump_required:
        return True
    for partition_id in range(len(before.producer.counters)):
        if before.producer.counters[partition_id].unresolved_sequence != NO_SEQUENCE:
            if after.producer.counters[partition_id].unresolved_sequence == NO_SEQUENCE:
                return not is_last_acknowledged(before, partition_id)
    return True


def rewritten_batches_call_for_no_epoch(before: State, after: State) -> bool:
    """A batch that has got a new sequence already, and is to be sent again, calls for no further epoch.

    Lost if it fails: the producer begins one epoch after another, and comes to no end.
    Source: `ProducerBatch.sequenceHasBeenReset`, `TransactionManager.canRetry`.
    Holds in: the models of the idempotent producer.
    Fails in: none; it guards after which errors a new epoch begins.
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
    """Whether the application has been told what became of the batch, or that nobody knows."""
    if status == BatchStatus.ACKNOWLEDGED or status == BatchStatus.FAILED:
        return True
    return status == BatchStatus.EXPIRED


def outcomes_are_told_once(before: State, after: State) -> bool:
    """What the application has been told of a batch is never taken back, whatever answer comes later.

    Lost if it fails: the application sends again what it has given up, and it is stored as well; or acts on nothing.
    Source: `ProducerBatch.tryFinalState`.
    Holds in: the models of the idempotent producer.
    Fails in: none; it guards what is done with late answers.
    """
    for batch_id in range(len(before.producer.batches)):
        status = before.producer.batches[batch_id].status
        if is_final(status) and after.producer.batches[batch_id].status != status:
            return False
    return True


def only_dead_producers_lose_batches(before: State, after: State) -> bool:
    """A batch that the application has handed over is lost only with the producer's process.

    Lost if it fails: the application waits for ever to hear what became of the batch.
    Source: `Sender.reenqueueBatch`, `RecordAccumulator.insertInSequenceOrder`; KAFKA-13794.
    Holds in: the models of the idempotent producer.
    Fails in: the museum's entry on batches that are told by their sequence.
    """
    return all(
        after.producer.state == ProducerState.UNINITIALIZED
        for old_batch, batch in zip(before.producer.batches, after.producer.batches)
        if old_batch.status != BatchStatus.LOST and batch.status == BatchStatus.LOST
    )


def abandoned_requests_have_expired(state: State) -> bool:
    """Only a batch that has expired has a request whose answer nobody waits for.

    Lost if it fails: a batch is settled never, and those behind it wait for it.
    Source: `Sender.getExpiredInflightBatches`.
    Holds in: producer.in_flight.
    Fails in: where a batch that expires in flight gives its memory to another one.
    """
    return all(
        state.producer.batches[request.batch.id].status == BatchStatus.EXPIRED
        for connection in state.connections
        for request in connection.requests
        if request.is_abandoned == 1 and request.stage != RequestStage.NONE
    )


def late_answers_are_counted(before: State, after: State) -> bool:
    """Once the answer has been taken that a batch is stored which has expired, its sequence counts as acknowledged.

    Lost if it fails: an epoch begins for a gap that is none, and the partition's batches lose their duplicates.
    Source: `TransactionManager.handleCompletedBatch`, `TxnPartitionMap.maybeUpdateLastAckedSequence`.
    Holds in: producer.in_flight.
    Fails in: none; it guards what is done with late answers.
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


def is_passing(state: State, request: ProduceRequest) -> bool:
    """Whether an error says nothing that could not be otherwise when the batch is sent again."""
    if request.error == ProduceError.NOT_LEADER_OR_FOLLOWER or request.error == ProduceError.NOT_ENOUGH_REPLICAS:
        return True
    is_transactional = state.producer.is_transactional == 1
    if request.error == ProduceError.UNKNOWN_PRODUCER_ID:
        return not is_transactional
    if request.error == ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER:
        return not is_transactional or has_earlier_under_way(state, request.batch.id)
    return False


def only_final_errors_fail_batches(before: State, after: State) -> bool:
    """No batch is given up because of an error that passes, or of one that an earlier batch explains.

    Lost if it fails: the application is told that a record is refused which the broker would have taken.
    Source: `TransactionManager.canRetry`; KIP-360, KAFKA-5793.
    Holds in: the models of the idempotent producer.
    Fails in: none; it guards after which errors a batch is sent again.
    """
    for partition_id in range(len(before.connections)):
        request = before.connections[partition_id].requests[0]
        if request.stage == RequestStage.ANSWERED and is_passing(before, request):
            if before.producer.batches[request.batch.id].status == BatchStatus.IN_FLIGHT:
                if after.producer.batches[request.batch.id].status == BatchStatus.FAILED:
                    return False
    return True


def one_send_at_a_time(state: State, rules: ProducerRules) -> bool:
    """An application that waits for each acknowledgement has at most one batch with its producer.

    Lost if it fails: with the producer's process more is lost than the application knows.
    Source: `KafkaProducer.send(...).get()`; `producer.type=sync`.
    Holds in: producer.synchronous.
    Fails in: none; it guards when the application goes on.
    """
    found = 0
    for batch_id in range(len(state.producer.batches)):
        status = state.producer.batches[batch_id].status
        if is_meant(status) or status == BatchStatus.BUFFERED:
            found += 1
    return rules.sending != Sending.SYNCHRONOUS or found <= 1


def is_with_producer(status: BatchStatus) -> bool:
    """Whether the producer has the batch, and has told the application nothing of it."""
    return is_meant(status) or status == BatchStatus.BUFFERED


def applications_wait_for_all(before: State, after: State, rules: ProducerRules) -> bool:
    """An application that waits until all is sent goes on when nothing is with its producer any more.

    Lost if it fails: the application takes for stored what is not, and with the producer's process it is gone.
    Source: `KafkaProducer.flush`; KAFKA-19479.
    Holds in: producer.splits.
    Fails in: the museum's entry on batches that are split.
    """
    if rules.sending != Sending.SYNCHRONOUS or before.producer.next_batch == after.producer.next_batch:
        return True
    return all(not is_with_producer(batch.status) for batch in before.producer.batches)


def halves_go_on_counting(before: State, after: State) -> bool:
    """Where a batch is split, it was too large, and nothing of it is given up: its halves have its sequences one after
    the other.

    Lost if it fails: a half is taken for a duplicate of the other, or of what comes behind, and is never stored; or no
    broker takes what comes behind.
    Source: `ProducerBatch.split`; KIP-126, KIP-98.
    Holds in: producer.splits.
    Fails in: none; it guards how batches are split.
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
    """Of what the application has handed over only the second half of a batch that is not split yet is unsent.

    Lost if it fails: a batch has no place in the order, and nobody ever sends it.
    Source: `RecordAccumulator.append`.
    Holds in: producer.splits.
    Fails in: none; it guards the reference itself.
    """
    for batch_id in range(state.producer.next_batch):
        if state.producer.batches[batch_id].status == BatchStatus.UNSENT:
            first = state.producer.batches[max(batch_id - 1, 0)]
            if batch_id == 0 or first.is_oversized == 0 or first.record_count == 1:
                return False
    return True


def dead_producers_keep_nothing(before: State, after: State) -> bool:
    """With a producer's process all that it had in its buffer or under way is lost to it.

    Lost if it fails: behaviours in which the application never hears of a batch that it has handed over.
    Source: `RecordAccumulator`, which is in memory only.
    Holds in: the models of the idempotent producer in which producers die.
    Fails in: none; it guards the reference itself.
    """
    if after.budget.producer_deaths == before.budget.producer_deaths:
        return True
    for batch_id in range(len(after.producer.batches)):
        status = after.producer.batches[batch_id].status
        if is_meant(status) or status == BatchStatus.BUFFERED:
            return False
    return True


def connections_keep_their_broker(before: State, after: State) -> bool:
    """The requests that are under way on a connection go to one broker; only behind the last of them to another one.

    Lost if it fails: batches reach two leaders at once, and their order is lost.
    Source: `NetworkClient`, `InFlightRequests`.
    Holds in: the models of the idempotent producer.
    Fails in: none; it guards to whom a batch is sent.
    """
    for was, now in zip(before.connections, after.connections):
        if was.requests[0].stage != RequestStage.NONE and now.requests[0].stage != RequestStage.NONE:
            if was.broker != now.broker:
                return False
    return True


def first_batch_is_sent_again(state: State) -> bool:
    """The very first batch waits to be sent again. Without an example no broker is asked whom it does not know."""
    return state.producer.batches[0].status == BatchStatus.RETRYING


def later_batch_is_acknowledged(state: State) -> bool:
    """A batch behind the first one is acknowledged. Without an example nothing was sent behind another one."""
    return any(
        state.producer.batches[batch_id].offset != NO_OFFSET for batch_id in range(1, len(state.producer.batches))
    )


def second_producer_id(state: State) -> bool:
    """A producer has taken a second id. Without an example epochs are never used up, or no producer follows another."""
    return state.producer.producer_id > 0


def request_to_next_leader(state: State) -> bool:
    """A request is under way to a leader that was not the first one."""
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
