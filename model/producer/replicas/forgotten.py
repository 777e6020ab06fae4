"""What else holds if a broker forgets a producer together with its last batches, as before Kafka 2.4 (KAFKA-7190)?

A retry is then stored again, behind the batch that was deleted. So `each_batch_is_stored_once` and
`batches_are_read_in_order` do not hold here, and are not asked. The broker follows the rules before KIP-360: it answers
UNKNOWN_PRODUCER_ID, and the producer begins a new epoch.

Bounds: as producer.replicas.retention.
Expected: HOLDS
"""

from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.family import EXAMPLES, PRODUCER, SAFETY
from kafkacheck.model.producer.replicas.retention import ACTIONS, BOUNDS
from kafkacheck.model.producer.system import producer_bumps_epoch
from kafkacheck.spec.producer.properties import (
    batches_are_read_in_order,
    each_batch_is_stored_once,
    two_batches_in_flight,
)

MODEL = PRODUCER.model(
    bounds=BOUNDS,
    rules=ProducerRules(log=LogRules(unknown_producer_may_go_on=False, state_outlives_records=False)),
    actions=[*ACTIONS, producer_bumps_epoch],
    always=[each for each in SAFETY if each not in {each_batch_is_stored_once, batches_are_read_in_order}],
    sometimes=[*EXAMPLES, two_batches_in_flight],
)
