"""Does a producer without idempotence keep its batches in order, with one in flight to each partition?

Bounds: four batches, the first acknowledged, and room for two in flight; two connections break, and two appends are
    refused temporarily. A batch may be stored twice. Requests that a broker handles after their connection broke are
    left out: without idempotence they break the order with batches sent since.
Expected: HOLDS
"""

from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import append_is_refused, connection_breaks
from kafkacheck.model.producer.family import PRODUCER, RETRIES, SAFETY
from kafkacheck.spec.producer.properties import each_batch_is_stored_once, sequences_follow_each_other

OF_IDEMPOTENCE = (each_batch_is_stored_once, sequences_follow_each_other)
"""The properties that a broker cannot keep if it does not check sequences."""

MODEL = PRODUCER.model(
    bounds={"batches": 4, "log_size": 6, "disconnections": 2, "refusals": 2},
    rules=ProducerRules(log=LogRules(idempotence=False), partition_is_muted=True),
    actions=[*RETRIES, connection_breaks, append_is_refused],
    always=[each for each in SAFETY if each not in OF_IDEMPOTENCE],
)
