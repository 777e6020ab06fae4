"""Is it enough that an expired batch calls for a new epoch only when no earlier batch is under way?

This is the mended rule of finding F4 of `tests/kafka/findings`. No release has it.

Bounds: those of `producer.expired`, in which the newest release stores a batch twice.
Expected: HOLDS
"""

from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.expired.base import ACTIONS, ALWAYS, BOUNDS
from kafkacheck.model.producer.family import PRODUCER

MODEL = PRODUCER.model(
    rules=ProducerRules(gap_awaits_earlier_batches=True), bounds=BOUNDS, actions=ACTIONS, always=ALWAYS
)
