"""Why brokers accept only the next sequence: invariants that prove it for all states.

Every action of the models that list a lemma preserves it. The action may begin in any well-typed state in which all
lemmas hold, reachable or not. The search confirms that each lemma holds in every reachable state (`check --lemmas`).

Part of Kafka judged: an idempotent producer and partitions of one replica each, by their records only.
Source: this project's, after KIP-98.
Left out, and why that is sound: followers, transactions and the recovery of a log; `spec/PROOFS.md` lists all that is
not proved. An omission in one lemma cannot make another one true.
"""

from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, Marker
from kafkacheck.impl.log.records import Batch, PartitionLog
from kafkacheck.impl.producer.client_records import ProducerBatch
from kafkacheck.impl.producer.constants import BatchStatus, ProducerState, RequestStage
from kafkacheck.model.producer.system import State


def has_sequence(batch: ProducerBatch) -> bool:
    """Whether the producer has given the batch an id, an epoch and a sequence."""
    if batch.producer_id == NO_PRODUCER_ID or batch.producer_epoch == NO_PRODUCER_EPOCH:
        return False
    return batch.base_sequence != NO_SEQUENCE


def is_data(batch: Batch) -> bool:
    """Whether the batch is data of an idempotent producer, and not a marker."""
    if batch.id == NO_BATCH or batch.marker != Marker.NONE or batch.base_sequence == NO_SEQUENCE:
        return False
    return batch.producer_id != NO_PRODUCER_ID and batch.producer_epoch != NO_PRODUCER_EPOCH


def requests_carry_data(state: State) -> bool:
    """Every request carries data of an idempotent producer, and the producer knows each batch on its connections.

    Why: a producer sends a batch only with the id, epoch and sequence that it has assigned to the batch.
    Source: KIP-98; `TransactionManager`.
    """
    for connection in state.connections:
        for request in connection.requests:
            if request.stage != RequestStage.NONE:
                if not is_data(request.batch) or not has_sequence(state.producer.batches[request.batch.id]):
                    return False
    return all(is_data(late.batch) for late in state.late_requests)


def has_begun(state: State) -> bool:
    """Whether the producer has sent a batch, or must begin another epoch."""
    for partition_id, connection in enumerate(state.connections):
        if state.producer.counters[partition_id].unresolved_sequence != NO_SEQUENCE:
            return True
        for place in range(len(connection.requests)):
            if connection.requests[place].stage != RequestStage.NONE:
                return True
    for batch_id in range(len(state.producer.batches)):
        status = state.producer.batches[batch_id].status
        if status == BatchStatus.IN_FLIGHT or status == BatchStatus.RETRYING:
            return True
    return state.producer.is_bump_required


def senders_have_ids(state: State) -> bool:
    """A producer has an id and an epoch before it sends anything, and so has every batch that it sends.

    Why: it sends nothing before the coordinator has given it an id.
    Source: KIP-98; `TransactionManager`, the state UNINITIALIZED.
    """
    producer = state.producer
    if producer.state == ProducerState.UNINITIALIZED:
        if has_begun(state):
            return False
    elif producer.producer_id == NO_PRODUCER_ID or producer.producer_epoch == NO_PRODUCER_EPOCH:
        return False
    return all(
        has_sequence(batch)
        for batch in producer.batches
        if batch.status == BatchStatus.IN_FLIGHT or batch.status == BatchStatus.RETRYING
    )


def remembers_newest_epoch(log: PartitionLog) -> bool:
    """Whether each producer's entry has the epoch of its newest batch, which is the highest one in the log."""
    for offset in range(log.start_offset, log.end_offset):
        batch = log.records[offset]
        if batch.producer_epoch > log.producers[batch.producer_id].producer_epoch:
            return False
    for entry in log.producers:
        newest = entry.batches[0].offset
        if newest != NO_OFFSET and newest >= log.start_offset and newest < log.end_offset:
            if log.records[newest].producer_epoch != entry.producer_epoch:
                return False
    return True


def well_formed_partition_logs(state: State) -> bool:
    """A log has data from its start to its end and none elsewhere, and remembers the newest epoch of each producer.

    Why: the producer state follows every append.
    Source: `UnifiedLog`, `ProducerStateManager`; KIP-98.
    """
    for partition_id in range(len(state.partitions)):
        replicas = state.partitions[partition_id].replicas
        for replica_id in range(len(replicas)):
            log = replicas[replica_id].log
            if log.start_offset > log.end_offset:
                return False
            for offset in range(len(log.records)):
                is_stored = offset >= log.start_offset and offset < log.end_offset
                if is_stored and not is_data(log.records[offset]):
                    return False
                if not is_stored and log.records[offset].id != NO_BATCH:
                    return False
            if not remembers_newest_epoch(log):
                return False
    return True
