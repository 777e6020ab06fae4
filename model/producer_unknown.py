"""Is a producer's first batch stored first, although a leader refuses it for the moment and then sees the second one?

Bounds: two batches in flight to an empty partition, and one refusal: that alone let the second batch pass over the
    first, which could then never be stored (KAFKA-15591).
Expected: HOLDS
"""

from checker.model import Model
from impl.producer.rules import ProducerRules
from impl.producer.sender import producer_gets_id
from impl.producing import State
from model.producer_drawing import PARTITIONS
from model.producer_environment import append_is_refused, start_empty
from model.producers import BOUNDS, LEMMAS, RETRIES, SAFETY
from spec.producer import acknowledged_batch

MODEL = Model(
    name="producer_unknown",
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
