"""Is each batch stored once and in order, although answers are lost, requests come late and appends are refused?

Bounds: four batches, the first acknowledged, and two in flight, so that others can follow a batch whose answer is lost.
    Two connections break, one append is refused temporarily, and one batch expires.
Expected: HOLDS
"""

from kafkacheck.model.producer import environment, family, system
from kafkacheck.spec.producer import properties

MODEL = family.PRODUCER.model(
    bounds={"batches": 4, "log_size": 5, "disconnections": 2, "refusals": 1, "batch_expirations": 1},
    actions=[
        *family.LATE_RETRIES,
        system.producer_bumps_epoch,
        system.producer_resolves_sequences,
        environment.connection_breaks,
        environment.request_is_left_behind,
        environment.append_is_refused,
        environment.batch_expires,
    ],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, properties.two_batches_in_flight],
    lemmas=family.LEMMAS,
)
