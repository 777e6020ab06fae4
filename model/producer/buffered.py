"""Which batches are lost when a producer dies, if the application counts a batch as sent once it hands it over?

All batches in the buffer or in flight are lost, and the application does not learn of it.

Bounds: three batches; the producer's process ends once, and the next one begins with a new producer id.
Expected: VIOLATED sends_that_returned_are_safe
"""

from kafkacheck.impl.producer.constants import Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import connection_breaks, producer_dies, start_empty
from kafkacheck.model.producer.family import DEATHS, PRODUCER, RETRIES_OF_BUFFERED, SAFETY
from kafkacheck.model.producer.system import application_hands_over, producer_drains, producer_gets_id
from kafkacheck.spec.producer.properties import sends_that_returned_are_safe

MODEL = PRODUCER.model(
    initial=start_empty,
    bounds={"producer_ids": 2, "disconnections": 1, "producer_deaths": 1},
    rules=ProducerRules(sending=Sending.BUFFERED),
    actions=[
        producer_gets_id,
        application_hands_over,
        producer_drains,
        *RETRIES_OF_BUFFERED,
        connection_breaks,
        producer_dies,
    ],
    always=[sends_that_returned_are_safe, *SAFETY, *DEATHS],
)
