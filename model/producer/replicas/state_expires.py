"""Is a batch stored once, although the broker forgets its producer while the batch waits to be sent again?

It is not, and Kafka does not promise it: brokers detect duplicates for `producer.id.expiration.ms`, a day.

Bounds: one batch after the acknowledged one; one answer is lost, and the broker forgets the producer once.
Expected: VIOLATED each_batch_is_stored_once
"""

from kafkacheck.model.producer import environment, family
from kafkacheck.spec.producer import disturbances

MODEL = family.PRODUCER.model(
    bounds={"batches": 2, "disconnections": 1, "state_expirations": 1},
    actions=[*family.RETRIES, environment.connection_breaks, environment.producer_state_expires],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, disturbances.unknown_producer_goes_on],
)
