"""Are a producer's batches to one partition unaffected by events in another one?

Bounds: five batches to two partitions, the first to each acknowledged; a connection breaks, an append is refused, a
    batch expires, and a topic is missing from the metadata for a while.
Expected: HOLDS
"""

from kafkacheck.model.producer import environment, family, system
from kafkacheck.spec.producer import steps

MODEL = family.PRODUCER.model(
    bounds={"batches": 5, "partitions": 2, "disconnections": 1, "refusals": 1, "batch_expirations": 1, "blips": 1},
    actions=[
        *family.LATE_RETRIES,
        system.producer_bumps_epoch,
        system.producer_resolves_sequences,
        environment.connection_breaks,
        environment.request_is_left_behind,
        environment.append_is_refused,
        environment.batch_expires,
        environment.metadata_lacks_topic,
    ],
    always=[*family.SAFETY, steps.due_batches_are_not_refused],
    lemmas=family.LEMMAS,
)
