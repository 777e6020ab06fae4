"""What is lost with a producer that dies, if the application takes for sent what it has handed over?

All that is in the buffer or under way, of which the application hears nothing.

Bounds: three batches; the producer's process ends once, and the next one begins with an id of its own.
Expected: VIOLATED sends_that_returned_are_safe
"""

from kafkacheck.impl.producer.constants import Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.sender import application_hands_over, producer_drains, producer_gets_id
from kafkacheck.model.producer.environment import connection_breaks, producer_dies, start_empty
from kafkacheck.model.producer.system import DEATHS, PRODUCER, RETRIES_OF_BUFFERED, SAFETY
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
