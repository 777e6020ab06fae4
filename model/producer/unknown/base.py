"""Is a producer's first batch stored first, although a leader refuses it once and then receives the second one?

Bounds: two batches in flight to an empty partition, and one refusal: that alone let the second batch overtake the
    first, which could then never be stored (KAFKA-15591).
Expected: HOLDS
"""

from kafkacheck.model.producer import environment, family, system
from kafkacheck.spec.producer import properties

MODEL = family.PRODUCER.model(
    initial=environment.start_empty,
    bounds={"batches": 2, "refusals": 1},
    actions=[system.producer_gets_id, *family.RETRIES, environment.append_is_refused],
    always=family.SAFETY,
    sometimes=[properties.acknowledged_batch],
    lemmas=family.LEMMAS,
)
