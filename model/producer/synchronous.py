"""If the application waits for acknowledgements, are all batches that it counts as sent stored when a producer dies?

Bounds: three batches; one connection breaks; the producer's process ends once, and the next one begins with a new
    producer id.
Expected: HOLDS
"""

from kafkacheck.impl.producer.constants import Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer import environment, family, system
from kafkacheck.spec.producer import clients, properties

MODEL = family.PRODUCER.model(
    initial=environment.start_empty,
    bounds={"producer_ids": 2, "disconnections": 1, "producer_deaths": 1},
    rules=ProducerRules(sending=Sending.SYNCHRONOUS),
    actions=[
        system.producer_gets_id,
        system.application_hands_over,
        system.producer_drains,
        *family.RETRIES_OF_BUFFERED,
        environment.connection_breaks,
        environment.producer_dies,
    ],
    always=[properties.sends_that_returned_are_safe, *family.SAFETY, *family.DEATHS],
    sometimes=[*family.EXAMPLES, clients.first_batch_is_sent_again, clients.later_batch_is_acknowledged],
)
