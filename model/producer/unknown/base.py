"""Is a producer's first batch stored first, although a leader refuses it once and then receives the second one?

Bounds: two batches in flight to an empty partition, and one refusal: that alone let the second batch overtake the
    first, which could then never be stored (KAFKA-15591).
Expected: HOLDS
"""

from kafkacheck.model.producer.environment import append_is_refused, start_empty
from kafkacheck.model.producer.family import LEMMAS, PRODUCER, RETRIES, SAFETY
from kafkacheck.model.producer.system import producer_gets_id
from kafkacheck.spec.producer.properties import acknowledged_batch

MODEL = PRODUCER.model(
    initial=start_empty,
    bounds={"batches": 2, "refusals": 1},
    actions=[producer_gets_id, *RETRIES, append_is_refused],
    always=SAFETY,
    sometimes=[acknowledged_batch],
    lemmas=LEMMAS,
)
