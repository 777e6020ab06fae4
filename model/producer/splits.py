"""Is every record stored once and in order if the producer must split a batch that is too large?

Bounds: a batch of two records that must be split, an acknowledged one before it and one after it, two in flight; a
    connection breaks and an append is refused. No batch expires, so that no new epoch is needed. The steps of broker
    and producer are weakly fair.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.producer.environment import append_is_refused, batch_is_oversized, connection_breaks
from kafkacheck.model.producer.family import EXAMPLES, PRODUCER, RETRIES_OF_BUFFERED, SAFETY
from kafkacheck.model.producer.system import (
    application_hands_over,
    leader_handles_produce,
    producer_drains,
    producer_sends_again,
    producer_takes_answer,
)
from kafkacheck.spec.producer.clients import (
    applications_wait_for_all,
    halves_go_on_counting,
    only_second_halves_wait,
    split_batch,
)
from kafkacheck.spec.producer.steps import batch_under_way, nothing_under_way

MODEL = PRODUCER.model(
    bounds={
        "batches": 4,
        "records_in_batch": 2,
        "max_sequence": 8,
        "oversized_batches": 1,
        "disconnections": 1,
        "refusals": 1,
    },
    actions=[
        application_hands_over,
        producer_drains,
        *RETRIES_OF_BUFFERED,
        batch_is_oversized,
        connection_breaks,
        append_is_refused,
    ],
    always=[applications_wait_for_all, halves_go_on_counting, only_second_halves_wait, *SAFETY],
    sometimes=[*EXAMPLES, split_batch],
    leads_to=[(batch_under_way, nothing_under_way)],
    weakly_fair=[
        each(leader_handles_produce, "partition_id"),
        each(producer_takes_answer, "partition_id"),
        each(producer_sends_again, "partition_id"),
    ],
)
