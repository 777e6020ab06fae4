"""Is every record stored once and in order if the producer must split a batch that is too large?

Bounds: a batch of two records that must be split, an acknowledged one before it and one after it, two in flight; a
    connection breaks and an append is refused. No batch expires, so that no new epoch is needed. The steps of broker
    and producer are weakly fair.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.producer import environment, family, system
from kafkacheck.spec.producer import clients, steps

MODEL = family.PRODUCER.model(
    bounds={
        "batches": 4,
        "records_in_batch": 2,
        "max_sequence": 8,
        "oversized_batches": 1,
        "disconnections": 1,
        "refusals": 1,
    },
    actions=[
        system.application_hands_over,
        system.producer_drains,
        *family.RETRIES_OF_BUFFERED,
        environment.batch_is_oversized,
        environment.connection_breaks,
        environment.append_is_refused,
    ],
    always=[
        clients.applications_wait_for_all,
        clients.halves_go_on_counting,
        clients.only_second_halves_wait,
        *family.SAFETY,
    ],
    sometimes=[*family.EXAMPLES, clients.split_batch],
    leads_to=[(steps.batch_under_way, steps.nothing_under_way)],
    weakly_fair=[
        each(system.leader_handles_produce, "partition_id"),
        each(system.producer_takes_answer, "partition_id"),
        each(system.producer_sends_again, "partition_id"),
    ],
)
