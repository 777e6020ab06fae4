"""Does a transaction's first batch keep its place, although the coordinator cannot confirm it at first?

Bounds: three batches of one transaction to an empty partition, two in flight; one verification fails, one connection
    breaks, and the coordinator aborts once, which fences the producer. A fenced batch may still be stored, in the
    aborted transaction.
Expected: HOLDS
"""

from kafkacheck.model.producer.environment import append_is_refused, connection_breaks, coordinator_aborts, start_empty
from kafkacheck.model.producer.family import EXAMPLES, PRODUCER, RETRIES, SAFETY, TRANSACTIONAL
from kafkacheck.model.producer.system import producer_gets_id
from kafkacheck.spec.producer.disturbances import two_batches_in_transaction
from kafkacheck.spec.producer.properties import failed_batches_are_absent

MODEL = PRODUCER.model(
    initial=start_empty,
    bounds={"transactional": 1, "max_verification_guard": 3, "disconnections": 1, "refusals": 1, "aborts": 1},
    actions=[producer_gets_id, *RETRIES, connection_breaks, append_is_refused, coordinator_aborts],
    always=[*(each for each in SAFETY if each is not failed_batches_are_absent), *TRANSACTIONAL],
    sometimes=[*EXAMPLES, two_batches_in_transaction],
)
