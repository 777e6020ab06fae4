"""Is each batch stored once if one is refused for good while it is unknown whether the one before it is stored?

The producer then begins a new epoch and gives every batch in flight a new sequence, so that no broker recognises a
batch that it has. So Kafka's rule (`TransactionManager.handleFailedBatch`) stores a batch twice here (KAFKA-14034). The
rule proposed there, `refused_batch_awaits_others`, prevents this; no version of Kafka has it.

Bounds: three batches, the first acknowledged and another one invalid; one answer is lost, and one append is refused
    temporarily. The steps of broker and producer are weakly fair.
Expected: VIOLATED each_batch_is_stored_once
"""

from kafkacheck.checker.model import each
from kafkacheck.model.producer.environment import append_is_refused, batch_is_invalid, connection_breaks
from kafkacheck.model.producer.family import PRODUCER, RETRIES, SAFETY
from kafkacheck.model.producer.system import (
    leader_handles_produce,
    producer_bumps_epoch,
    producer_resolves_sequences,
    producer_sends_again,
    producer_takes_answer,
)
from kafkacheck.spec.producer.steps import batch_under_way, nothing_under_way

MODEL = PRODUCER.model(
    bounds={"disconnections": 1, "refusals": 1, "invalid_batches": 1},
    actions=[
        *RETRIES,
        producer_bumps_epoch,
        producer_resolves_sequences,
        connection_breaks,
        append_is_refused,
        batch_is_invalid,
    ],
    always=SAFETY,
    leads_to=[(batch_under_way, nothing_under_way)],
    weakly_fair=[
        each(leader_handles_produce, "partition_id"),
        each(producer_takes_answer, "partition_id"),
        each(producer_sends_again, "partition_id"),
        each(producer_resolves_sequences, "partition_id"),
        producer_bumps_epoch,
    ],
)
