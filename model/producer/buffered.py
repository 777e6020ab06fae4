"""Which batches are lost when a producer dies, if the application counts a batch as sent once it hands it over?

All batches in the buffer or in flight are lost, and the application does not learn of it.

Bounds: three batches; one connection breaks; the producer's process ends once, and the next one begins with a new
    producer id.
Expected: VIOLATED sends_that_returned_are_safe
"""

from kafkacheck.impl.producer.constants import Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer import environment, family, system
from kafkacheck.spec.producer import properties

MODEL = family.PRODUCER.model(
    initial=environment.start_empty,
    bounds={"producer_ids": 2, "disconnections": 1, "producer_deaths": 1},
    rules=ProducerRules(sending=Sending.BUFFERED),
    actions=[
        system.producer_gets_id,
        system.application_hands_over,
        system.producer_drains,
        *family.RETRIES_OF_BUFFERED,
        environment.connection_breaks,
        environment.producer_dies,
    ],
    always=[properties.sends_that_returned_are_safe, *family.SAFETY, *family.DEATHS],
)
