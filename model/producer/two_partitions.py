"""Are a producer's batches to one partition unaffected by events in another one?

Bounds: five batches to two partitions, the first to each acknowledged; a connection breaks, an append is refused, a
    batch expires, and a topic is missing from the metadata for a while.
Expected: HOLDS
"""

from kafkacheck.model.producer.environment import (
    append_is_refused,
    batch_expires,
    connection_breaks,
    metadata_lacks_topic,
    request_is_left_behind,
)
from kafkacheck.model.producer.family import LATE_RETRIES, LEMMAS, PRODUCER, SAFETY
from kafkacheck.model.producer.system import producer_bumps_epoch, producer_resolves_sequences
from kafkacheck.spec.producer.steps import due_batches_are_not_refused

MODEL = PRODUCER.model(
    bounds={"batches": 5, "partitions": 2, "disconnections": 1, "refusals": 1, "batch_expirations": 1, "blips": 1},
    actions=[
        *LATE_RETRIES,
        producer_bumps_epoch,
        producer_resolves_sequences,
        connection_breaks,
        request_is_left_behind,
        append_is_refused,
        batch_expires,
        metadata_lacks_topic,
    ],
    always=[*SAFETY, due_batches_are_not_refused],
    lemmas=LEMMAS,
)
