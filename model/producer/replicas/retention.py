"""Is each batch stored once and in order, although a broker forgets a producer together with its last batches?

Bounds: four batches, the first acknowledged, and two in flight; the log's start moves past every stored batch, and one
    connection breaks. The broker follows the rules before KIP-360.
Expected: HOLDS
"""

from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import connection_breaks, records_are_deleted, request_is_left_behind
from kafkacheck.model.producer.family import EXAMPLES, LATE_RETRIES, PRODUCER, SAFETY
from kafkacheck.model.producer.system import producer_bumps_epoch
from kafkacheck.spec.producer.properties import two_batches_in_flight

MODEL = PRODUCER.model(
    bounds={"batches": 4, "log_size": 5, "max_log_start": 3, "disconnections": 1, "deletions": 1},
    rules=ProducerRules(log=LogRules(unknown_producer_may_go_on=False, state_outlives_records=False)),
    actions=[*LATE_RETRIES, producer_bumps_epoch, connection_breaks, request_is_left_behind, records_are_deleted],
    always=SAFETY,
    sometimes=[*EXAMPLES, two_batches_in_flight],
)
