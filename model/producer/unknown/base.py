"""Is a producer's first batch stored first, although a leader refuses it for the moment and then sees the second one?

Bounds: two batches in flight to an empty partition, and one refusal: that alone let the second batch pass over the
    first, which could then never be stored (KAFKA-15591).
Expected: HOLDS
"""

from checker.model import Model
from impl.producer.rules import ProducerRules
from impl.producer.sender import producer_gets_id
from impl.producing import State
from model.producer.drawing import PARTITIONS
from model.producer.environment import append_is_refused, start_empty
from model.producer.system import BOUNDS, LEMMAS, RETRIES, SAFETY
from spec.producer.properties import acknowledged_batch

MODEL = Model(
    state=State,
    initial=start_empty,
    bounds={**BOUNDS, "batches": 2, "refusals": 1},
    rules=ProducerRules(),
    actions=[producer_gets_id, *RETRIES, append_is_refused],
    always=SAFETY,
    sometimes=[acknowledged_batch],
    lemmas=LEMMAS,
    drawing=PARTITIONS,
)
