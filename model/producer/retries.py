"""Is each batch stored once and in order, although answers are lost, requests come late and appends are refused?

Bounds: four batches, the first acknowledged, and two in flight, so that others can follow a batch whose answer is lost.
    Two connections break, one append is refused temporarily, and one batch expires.
Expected: HOLDS
"""

from kafkacheck.model.producer.environment import (
    append_is_refused,
    batch_expires,
    connection_breaks,
    request_is_left_behind,
)
from kafkacheck.model.producer.family import EXAMPLES, LATE_RETRIES, LEMMAS, PRODUCER, SAFETY
from kafkacheck.model.producer.system import producer_bumps_epoch, producer_resolves_sequences
from kafkacheck.spec.producer.properties import two_batches_in_flight

MODEL = PRODUCER.model(
    bounds={"batches": 4, "log_size": 5, "disconnections": 2, "refusals": 1, "batch_expirations": 1},
    actions=[
        *LATE_RETRIES,
        producer_bumps_epoch,
        producer_resolves_sequences,
        connection_breaks,
        request_is_left_behind,
        append_is_refused,
        batch_expires,
    ],
    always=SAFETY,
    sometimes=[*EXAMPLES, two_batches_in_flight],
    lemmas=LEMMAS,
)
