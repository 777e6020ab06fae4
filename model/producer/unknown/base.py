"""Is a producer's first batch stored first, although a leader refuses it once and then receives the second one?

Bounds: two batches in flight to an empty partition, and one refusal. By the old rule the refusal alone let the second
    batch overtake the first, which could then never be stored (KAFKA-15591).
Expected: HOLDS, with the fix of Kafka 4.5. `producer.unknown.empty` is without it.
"""

from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer import environment, family, system
from kafkacheck.spec.producer import properties

ACTIONS = (system.producer_gets_id, *family.RETRIES, environment.append_is_refused)
BOUNDS = {"batches": 2, "refusals": 1}

MODEL = family.PRODUCER.model(
    initial=environment.start_empty,
    rules=ProducerRules(log=LogRules(empty_log_awaits_first_sequence=True)),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.acknowledged_batch],
    lemmas=family.LEMMAS,
)
