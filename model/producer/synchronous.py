"""If the application waits for acknowledgements, are all batches that it counts as sent stored when a producer dies?

Bounds: three batches; the producer's process ends once, and the next one begins with a new producer id.
Expected: HOLDS
"""

from kafkacheck.impl.producer.constants import Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import connection_breaks, producer_dies, start_empty
from kafkacheck.model.producer.family import DEATHS, EXAMPLES, PRODUCER, RETRIES_OF_BUFFERED, SAFETY
from kafkacheck.model.producer.system import application_hands_over, producer_drains, producer_gets_id
from kafkacheck.spec.producer.clients import first_batch_is_sent_again, later_batch_is_acknowledged
from kafkacheck.spec.producer.properties import sends_that_returned_are_safe

MODEL = PRODUCER.model(
    initial=start_empty,
    bounds={"producer_ids": 2, "disconnections": 1, "producer_deaths": 1},
    rules=ProducerRules(sending=Sending.SYNCHRONOUS),
    actions=[
        producer_gets_id,
        application_hands_over,
        producer_drains,
        *RETRIES_OF_BUFFERED,
        connection_breaks,
        producer_dies,
    ],
    always=[sends_that_returned_are_safe, *SAFETY, *DEATHS],
    sometimes=[*EXAMPLES, first_batch_is_sent_again, later_batch_is_acknowledged],
)
