"""Is a producer's first batch stored first if a leader of a partition with other data refuses it once?

It is not. From Kafka 4.5 on a log without any batch accepts only sequence 0 (KAFKA-15591), but the leader of a log with
other data may have known the producer once, and accepts the second batch. Kafka has no rule for this yet (KAFKA-14359).

Bounds: two batches in flight to a partition with a batch of another producer, and one refusal.
Expected: VIOLATED no_batch_is_passed_over
"""

from kafkacheck.model.producer import environment, system
from kafkacheck.model.producer.family import PRODUCER, RETRIES, SAFETY
from kafkacheck.spec.producer import properties

MODEL = PRODUCER.model(
    initial=environment.start_written,
    bounds={"batches": 2, "refusals": 1},
    actions=[system.producer_gets_id, *RETRIES, environment.append_is_refused],
    always=SAFETY,
    sometimes=[properties.acknowledged_batch],
)
