"""Is each batch stored once if one is refused for good while the producer does not know if the last one is stored?

The producer then begins a new epoch and gives every batch in flight a new sequence, so that no broker recognises a
batch that it has. So Kafka's rule (`TransactionManager.handleFailedBatch`) stores a batch twice here (KAFKA-14034). The
rule proposed there, `refused_batch_awaits_others`, prevents this; no version of Kafka has it.

Bounds: three batches, the first acknowledged and another one invalid; one answer is lost, and one append is refused
    temporarily. The steps of broker and producer are weakly fair.
Expected: VIOLATED each_batch_is_stored_once
"""

from kafkacheck.checker.model import each
from kafkacheck.model.producer import environment, system
from kafkacheck.model.producer.family import PRODUCER, RETRIES, SAFETY
from kafkacheck.spec.producer import steps

MODEL = PRODUCER.model(
    bounds={"disconnections": 1, "refusals": 1, "invalid_batches": 1},
    actions=[
        *RETRIES,
        system.producer_bumps_epoch,
        system.producer_resolves_sequences,
        environment.connection_breaks,
        environment.append_is_refused,
        environment.batch_is_invalid,
    ],
    always=SAFETY,
    leads_to=[(steps.batch_under_way, steps.nothing_under_way)],
    weakly_fair=[
        each(system.leader_handles_produce, "partition_id"),
        each(system.producer_takes_answer, "partition_id"),
        each(system.producer_sends_again, "partition_id"),
        each(system.producer_resolves_sequences, "partition_id"),
        system.producer_bumps_epoch,
    ],
)
