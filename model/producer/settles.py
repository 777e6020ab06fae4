"""Does the application learn the outcome of each batch in the end, once disturbances stop?

Bounds: five batches to two partitions, the first to each acknowledged; one connection breaks, and one batch expires.
    That calls for the only new epoch, while the other partition goes on. Each step of producer and broker is weakly
    fair, for each partition.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.producer.environment import batch_expires, connection_breaks
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
    bounds={"batches": 5, "partitions": 2, "disconnections": 1, "batch_expirations": 1},
    actions=[*RETRIES, producer_bumps_epoch, producer_resolves_sequences, connection_breaks, batch_expires],
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
