"""Does a producer go on after the highest sequence, and after the highest epoch?

Bounds: batches of one or two records, one in flight, and sequences up to 4, just enough for a broker that remembers one
    batch; batches straddle the highest sequence. Two connections break and two batches expire, so that the producer
    uses up its epochs and takes the next producer id. A batch with a new sequence then has that producer id. No release
    has this rule: `producer.used_up` shows the harm, and the lemmas are not inductive without the rule.
Expected: HOLDS
"""

from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import batch_expires, connection_breaks
from kafkacheck.model.producer.family import EXAMPLES, LEMMAS, PRODUCER, RETRIES, SAFETY
from kafkacheck.model.producer.system import producer_bumps_epoch, producer_resolves_sequences
from kafkacheck.spec.producer.clients import second_producer_id
from kafkacheck.spec.producer.steps import due_batches_are_not_refused

MODEL = PRODUCER.model(
    bounds={
        "batches": 5,
        "records_in_batch": 2,
        "log_size": 5,
        "max_in_flight": 1,
        "cached_batches": 1,
        "producer_ids": 2,
        "disconnections": 2,
        "batch_expirations": 2,
    },
    rules=ProducerRules(rewritten_batches_have_producer_id=True),
    actions=[*RETRIES, producer_bumps_epoch, producer_resolves_sequences, connection_breaks, batch_expires],
    always=[*SAFETY, due_batches_are_not_refused],
    sometimes=[*EXAMPLES, second_producer_id],
    lemmas=LEMMAS,
)
