"""Is a producer's first batch stored first if a leader of an empty partition refuses it once?

It is not, by the rules of the newest release, Kafka 4.4 (KAFKA-15591): the leader takes any sequence from a producer
that it does not know. Kafka 4.5 mends it.

Bounds: those of `producer.unknown`, which has the fix.
Expected: VIOLATED no_batch_is_passed_over
"""

from kafkacheck.model.producer import environment
from kafkacheck.model.producer.family import PRODUCER, SAFETY
from kafkacheck.model.producer.unknown.base import ACTIONS, BOUNDS
from kafkacheck.spec.producer import properties

MODEL = PRODUCER.model(
    initial=environment.start_empty,
    bounds=BOUNDS,
    actions=ACTIONS,
    always=SAFETY,
    sometimes=[properties.acknowledged_batch],
)
