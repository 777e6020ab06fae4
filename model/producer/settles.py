"""Does the application learn the outcome of each batch in the end, once disturbances stop?

Bounds: five batches to two partitions, the first to each acknowledged; one connection breaks, and one batch expires.
    The expired batch causes the only new epoch, while the other partition goes on. Each step of producer and broker is
    weakly fair, for each partition.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.producer import environment, system
from kafkacheck.model.producer.family import PRODUCER, RETRIES, SAFETY
from kafkacheck.spec.producer import steps

MODEL = PRODUCER.model(
    bounds={"batches": 5, "partitions": 2, "disconnections": 1, "batch_expirations": 1},
    actions=[
        *RETRIES,
        system.producer_bumps_epoch,
        system.producer_resolves_sequences,
        environment.connection_breaks,
        environment.batch_expires,
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
