"""How brokers and their environment change the logs and requests of an idempotent producer, step by step.

Part of Kafka judged: `impl/producer` and `model/producer/environment.py`, by their records only.
Source: KIP-98, KIP-360, KIP-890; apache/kafka `UnifiedLog`, `ProducerStateManager`, `ReplicaManager`.
Left out, and why that is sound: which sequences and epochs brokers accept; `spec/producer/properties.py` judges that.
"""

from kafkacheck.checker.schema import Bag
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_PRODUCER_ID, Marker, ProduceError
from kafkacheck.impl.log.records import Batch, PartitionLog, PartitionReplica
from kafkacheck.impl.producer.constants import RequestStage
from kafkacheck.impl.producer.partition_records import LateRequest
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.system import State
from kafkacheck.spec.producer.properties import is_stored
from kafkacheck.spec.producer.steps import is_newly_answered


def is_asked(state: State, partition_id: int, replica_id: int, batch_id: int) -> bool:
    """Whether a request with the batch is under way to the broker for the partition."""
    connection = state.connections[partition_id]
    for request in connection.requests:
        if request.stage == RequestStage.REQUESTED and request.batch.id == batch_id and connection.broker == replica_id:
            return True
    return any(
        late.batch.id == batch_id and late.broker == replica_id and late.partition == partition_id
        for late in state.late_requests
    )


def is_leaders_next(replica: PartitionReplica, leader: PartitionLog, offset: int) -> bool:
    """Whether a follower's log begins no earlier than the leader's, and both have the same batch at `offset`."""
    if offset < leader.start_offset or offset >= leader.end_offset or replica.log.start_offset < leader.start_offset:
        return False
    batch = replica.log.records[offset]
    return batch.id == leader.records[offset].id and batch.marker == leader.records[offset].marker


def appends_have_a_reason(before: State, after: State) -> bool:
    """A replica that believes that it leads appends requested batches and markers; others copy their leader's log.

    Lost if it fails: replicas differ, and one has a batch that no other will ever have.
    Source: ReplicaManager.appendRecords (NOT_LEADER_OR_FOLLOWER), ReplicaFetcherThread.processPartitionData.
    """
    for partition_id, partition in enumerate(before.partitions):
        for replica_id, was in enumerate(partition.replicas):
            now = after.partitions[partition_id].replicas[replica_id]
            offset = was.log.end_offset
            if now.log.end_offset > offset and now.log.start_offset <= offset:
                batch = now.log.records[offset]
                if was.is_leading:
                    if batch.marker == Marker.NONE and not is_asked(before, partition_id, replica_id, batch.id):
                        return False
                elif not is_leaders_next(now, partition.replicas[partition.leader].log, offset):
                    return False
    return True


def followers_have_their_leaders_log(state: State) -> bool:
    """A follower's log ends no later than its leader's, and has the same batches.

    Lost if it fails: the replica becomes leader one day, and consumers read records that no other replica has.
    Source: ReplicaFetcherThread.truncate; KIP-101.
    """
    for partition in state.partitions:
        leader = partition.replicas[partition.leader].log
        for replica in partition.replicas:
            if not replica.is_leading:
                if replica.log.end_offset > leader.end_offset:
                    return False
                for offset in range(max(replica.log.start_offset, leader.start_offset), replica.log.end_offset):
                    if replica.log.records[offset].id != leader.records[offset].id:
                        return False
    return True


def high_watermark_awaits_deposed_leaders(before: State, after: State) -> bool:
    """The high watermark rises only if no replica but the leader believes that it leads.

    Lost if it fails: a copy counts although a deposed leader will truncate it, because it is from another leader epoch.
    Source: `Partition.maybeIncrementLeaderHW`, `Replica.resetReplicaState`.
    """
    for partition_id in range(len(before.partitions)):
        partition = after.partitions[partition_id]
        if partition.high_watermark > before.partitions[partition_id].high_watermark:
            for replica_id in range(len(partition.replicas)):
                if partition.replicas[replica_id].is_leading and replica_id != partition.leader:
                    return False
    return True


def truncations_keep_what_is_shared(before: State, after: State) -> bool:
    """A deposed leader that becomes a follower truncates only the part of its log that diverges from its leader's.

    Lost if it fails: a copy of a batch that may be acknowledged; it is fetched again if some replica still has it.
    Source: ReplicaFetcherThread.truncate; KIP-101.
    """
    for partition_id, partition in enumerate(before.partitions):
        leader = partition.replicas[partition.leader].log
        for replica_id, was in enumerate(partition.replicas):
            now = after.partitions[partition_id].replicas[replica_id]
            offset = now.log.end_offset
            if was.is_leading and not now.is_leading and offset < was.log.end_offset and offset < leader.end_offset:
                if was.log.records[offset].id == leader.records[offset].id:
                    return False
    return True


def logs_begin_before_they_end(state: State) -> bool:
    """No log begins above its end.

    Lost if it fails: the replica stores later batches at offsets that its leader has deleted, and its log is damaged.
    Source: UnifiedLog.truncateFullyAndStartAt, maybeIncrementLogStartOffset.
    """
    return all(
        replica.log.start_offset <= replica.log.end_offset
        for partition in state.partitions
        for replica in partition.replicas
    )


def leaders_answer(before: State, after: State) -> bool:
    """Only the leader acknowledges a request, and only a replica that does not lead denies one.

    Lost if it fails: a deposed leader acknowledges a batch that it truncates; a leader denies one that it has stored.
    Source: `DelayedProduce`, `Partition.checkEnoughReplicasReachOffset`; NOT_LEADER_OR_FOLLOWER.
    """
    for partition_id, connection in enumerate(before.connections):
        partition = after.partitions[partition_id]
        for place in range(len(connection.requests)):
            request = after.connections[partition_id].requests[place]
            if is_newly_answered(connection.requests[place], request):
                if request.error == ProduceError.NONE and connection.broker != partition.leader:
                    return False
                is_denied = request.error == ProduceError.NOT_LEADER_OR_FOLLOWER
                if is_denied and partition.replicas[connection.broker].is_leading:
                    return False
    return True


def requests_wait_for_leaders(state: State) -> bool:
    """A request waits for replicas only at a broker that believes that it leads, and only one per connection waits.

    Lost if it fails: the request is never answered; the broker handles the next request first, and order is lost.
    Source: `DelayedProduce`, Partition.makeFollower; `KafkaChannel.mute`.
    """
    for partition_id, connection in enumerate(state.connections):
        found = 0
        for place in range(len(connection.requests)):
            if connection.requests[place].stage == RequestStage.WAITING:
                found += 1
        if found > 1 or (found == 1 and not state.partitions[partition_id].replicas[connection.broker].is_leading):
            return False
    return True


def refusals_name_no_offset(state: State) -> bool:
    """A response with an error has no offset.

    Lost if it fails: a client believes that the batch is stored.
    Source: `ProduceResponse.INVALID_OFFSET`.
    """
    return all(
        request.offset == NO_OFFSET
        for connection in state.connections
        for request in connection.requests
        if request.stage == RequestStage.ANSWERED and request.error != ProduceError.NONE
    )


def first_sequences_need_no_producer_state(before: State, after: State) -> bool:
    """No broker answers UNKNOWN_PRODUCER_ID to a batch with the first sequence.

    Lost if it fails: a producer that starts over, as it was told to, is refused again and again.
    Source: `ProducerAppendInfo.checkSequence`; KIP-360.
    """
    for partition_id, connection in enumerate(before.connections):
        for place in range(len(connection.requests)):
            request = after.connections[partition_id].requests[place]
            if is_newly_answered(connection.requests[place], request):
                if request.error == ProduceError.UNKNOWN_PRODUCER_ID and request.batch.base_sequence == 0:
                    return False
    return True


def old_epochs_are_refused_at_once(before: State, after: State, rules: ProducerRules) -> bool:
    """A leader refuses an old epoch of a transactional producer before it verifies anything.

    Lost if it fails: a fenced producer gets a retriable error, and goes on trying; or its next transaction joins a
    verification that nothing ends.
    Source: `UnifiedLog.maybeStartTransactionVerification`, `ProducerStateManager`; KAFKA-18042.
    """
    if not rules.log.verification or not rules.log.old_epoch_is_refused_early:
        return True
    for partition_id, connection in enumerate(before.connections):
        replica = before.partitions[partition_id].replicas[connection.broker]
        log = after.partitions[partition_id].replicas[connection.broker].log
        for place in range(len(connection.requests)):
            request = after.connections[partition_id].requests[place]
            batch = request.batch
            if replica.is_leading and is_newly_answered(connection.requests[place], request):
                if batch.is_transactional == 1:
                    is_old = batch.producer_epoch < replica.log.producers[batch.producer_id].producer_epoch
                    is_verified = log.last_verification_guard != replica.log.last_verification_guard
                    if is_old and (is_verified or request.error != ProduceError.INVALID_PRODUCER_EPOCH):
                        return False
    return True


def refused_verifications_are_remembered(before: State, after: State) -> bool:
    """A leader that could not verify a transaction's first batch remembers its sequence.

    Lost if it fails: the next batch can be verified and is stored first, and the first batch never is.
    Source: `VerificationStateEntry`; KAFKA-14920.
    """
    for partition_id, connection in enumerate(before.connections):
        log = after.partitions[partition_id].replicas[connection.broker].log
        for place in range(len(connection.requests)):
            request = after.connections[partition_id].requests[place]
            is_refused = request.error == ProduceError.NOT_ENOUGH_REPLICAS and request.batch.is_transactional == 1
            if is_refused and is_newly_answered(connection.requests[place], request):
                if log.producers[request.batch.producer_id].current_transaction_first_offset == NO_OFFSET:
                    verification = log.verifications[request.batch.producer_id]
                    if verification.guard == 0 or verification.lowest_sequence > request.batch.base_sequence:
                        return False
    return True


def verifications_await_the_lowest_sequence(before: State, after: State) -> bool:
    """While a transaction is being verified in one epoch, the lowest awaited sequence does not rise.

    Lost if it fails: a later batch is stored first, and the first batch never is.
    Source: `VerificationStateEntry.maybeUpdateLowestSequenceAndEpoch`; KAFKA-14920.
    """
    for partition_id, partition in enumerate(before.partitions):
        for replica_id in range(len(partition.replicas)):
            was = partition.replicas[replica_id].log
            now = after.partitions[partition_id].replicas[replica_id].log
            for producer_id in range(len(was.verifications)):
                verification = now.verifications[producer_id]
                if verification.guard != 0 and verification.guard == was.verifications[producer_id].guard:
                    if verification.producer_epoch == was.verifications[producer_id].producer_epoch:
                        if verification.lowest_sequence > was.verifications[producer_id].lowest_sequence:
                            return False
    return True


def transactions_begin_verified_and_once(before: State, after: State) -> bool:
    """A transaction begins in a partition only with a verification, and begins again only after it has ended.

    Lost if it fails: nobody ends a transaction; or the last stable offset passes its first batches.
    Source: `VerificationGuard`, `ProducerAppendInfo.updateCurrentTxnFirstOffset`; KIP-890.
    """
    for partition_id, partition in enumerate(before.partitions):
        for replica_id in range(len(partition.replicas)):
            was = partition.replicas[replica_id].log
            now = after.partitions[partition_id].replicas[replica_id].log
            for producer_id in range(len(was.producers)):
                began = was.producers[producer_id].current_transaction_first_offset
                begins = now.producers[producer_id].current_transaction_first_offset
                if began == NO_OFFSET and begins != NO_OFFSET:
                    is_new = now.last_verification_guard > was.last_verification_guard
                    if was.verifications[producer_id].guard == 0 and not is_new:
                        return False
                if began != NO_OFFSET and begins != NO_OFFSET and began != begins:
                    return False
    return True


def is_crash(before: State, after: State) -> bool:
    """Whether a broker's process or machine has failed in this step."""
    return before.budget.crashes != after.budget.crashes or before.budget.power_losses != after.budget.power_losses


def copies_of(late: LateRequest, late_requests: Bag[LateRequest]) -> int:
    """How many late requests equal this one."""
    return sum(1 for other in late_requests if other == late)


def late_requests_are_handled(before: State, after: State) -> bool:
    """A request that its producer gave up stays until it is handled; then a leader appends its batch if that is next.

    Lost if it fails: the worst late requests are left out, and no retry is tested against them.
    Source: SocketServer: requests that were read are handled although their connection is closed.
    """
    for late in before.late_requests:
        if copies_of(late, after.late_requests) < copies_of(late, before.late_requests):
            if len(after.late_requests) >= len(before.late_requests):
                return False
            was = before.partitions[late.partition].replicas[late.broker]
            is_taken = was.is_leading and before.producer.batches[late.batch.id].is_invalid == 0
            has_room = was.log.end_offset < len(was.log.records)
            if is_taken and has_room and not is_crash(before, after) and is_next(was.log, late.batch):
                if not is_stored(after.partitions[late.partition].replicas[late.broker].log, late.batch.id):
                    return False
    return True


def is_next(log: PartitionLog, batch: Batch) -> bool:
    """Whether the log's last batch has the same producer and epoch, and the batch directly follows it."""
    if log.end_offset == log.start_offset:
        return False
    last = log.records[log.end_offset - 1]
    if last.producer_id == NO_PRODUCER_ID or last.producer_id != batch.producer_id or last.marker != Marker.NONE:
        return False
    if last.producer_epoch != batch.producer_epoch:
        return False
    return batch.base_sequence == (last.base_sequence + last.record_count) % (log.max_sequence + 1)
