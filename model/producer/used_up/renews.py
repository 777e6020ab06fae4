"""Is it enough that batches in flight get new sequences only with the new producer id?

This is the mended rule of finding F13 of `tests/kafka/findings`. No release has it.

Bounds: those of `producer.used_up`, in which the newest release stores a batch twice.
Expected: HOLDS
"""

from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.family import PRODUCER
from kafkacheck.model.producer.used_up.base import ACTIONS, ALWAYS, BOUNDS

MODEL = PRODUCER.model(
    rules=ProducerRules(rewritten_batches_have_producer_id=True), bounds=BOUNDS, actions=ACTIONS, always=ALWAYS
)
