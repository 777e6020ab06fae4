"""Is every batch stored once, and in its own partition, if batches expire while their requests are under way?

Bounds: five batches to two partitions, the first to each acknowledged; one batch expires in flight, and its connection
    may break.
Expected: HOLDS
"""

from kafkacheck.model.producer.environment import batch_expires_in_flight, connection_breaks, request_is_left_behind
from kafkacheck.model.producer.family import LATE_RETRIES, PRODUCER, SAFETY
from kafkacheck.model.producer.system import producer_bumps_epoch, producer_resolves_sequences
from kafkacheck.spec.producer.clients import abandoned_requests_have_expired, late_answers_are_counted
from kafkacheck.spec.producer.properties import batches_lie_in_their_partition

MODEL = PRODUCER.model(
    bounds={"batches": 5, "partitions": 2, "disconnections": 1, "in_flight_expirations": 1},
    actions=[
        *LATE_RETRIES,
        producer_bumps_epoch,
        producer_resolves_sequences,
        batch_expires_in_flight,
        connection_breaks,
        request_is_left_behind,
    ],
    always=[batches_lie_in_their_partition, abandoned_requests_have_expired, late_answers_are_counted, *SAFETY],
)
