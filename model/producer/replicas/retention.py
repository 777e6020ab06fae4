"""Is each batch stored once and in order, although the records are deleted that a broker knows a producer by?

A consumer may have read a batch before it is deleted. So a retry that is stored again is a duplicate for the consumer,
even if the log has the batch only once at any time (KAFKA-7190).

Bounds: four batches, the first acknowledged, and two in flight; the log's start moves past every stored batch, and one
    connection breaks.
Expected: HOLDS
"""

from kafkacheck.model.producer.environment import connection_breaks, records_are_deleted, request_is_left_behind
from kafkacheck.model.producer.family import EXAMPLES, LATE_RETRIES, PRODUCER, SAFETY
from kafkacheck.spec.producer.properties import deleted_batch, two_batches_in_flight

BOUNDS = {"batches": 4, "log_size": 5, "max_log_start": 3, "disconnections": 1, "deletions": 1}
ACTIONS = (*LATE_RETRIES, connection_breaks, request_is_left_behind, records_are_deleted)

MODEL = PRODUCER.model(
    bounds=BOUNDS, actions=ACTIONS, always=SAFETY, sometimes=[*EXAMPLES, two_batches_in_flight, deleted_batch]
)
