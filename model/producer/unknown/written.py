"""What if a leader refuses a producer's first batch for the moment, and takes the second, as it knows no producer?

That a log without any batch takes only sequence 0 (KAFKA-15591) is of no help where others have written: there the
leader may have known the producer once. Kafka has no rule for it yet (KAFKA-14359).

Bounds: two batches in flight to a partition with a batch of somebody else, and one refusal.
Expected: VIOLATED no_batch_is_passed_over
"""

from kafkacheck.impl.producer.sender import producer_gets_id
from kafkacheck.model.producer.environment import append_is_refused, start_written
from kafkacheck.model.producer.system import PRODUCER, RETRIES, SAFETY
from kafkacheck.spec.producer.properties import acknowledged_batch

MODEL = PRODUCER.model(
    initial=start_written,
    bounds={"batches": 2, "refusals": 1},
    actions=[producer_gets_id, *RETRIES, append_is_refused],
    always=SAFETY,
    sometimes=[acknowledged_batch],
)
