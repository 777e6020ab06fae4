"""Is each batch stored once and in order, although answers are lost, requests come late, and appends are refused?

Bounds: four batches, of which the first is acknowledged, and two in flight: one whose answer is lost can have others
    behind it. Two connections break, one append is refused for the moment, and one batch expires.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.sender import producer_bumps_epoch, producer_resolves_sequences
from kafkacheck.impl.producing import State
from kafkacheck.model.producer.drawing import PARTITIONS
from kafkacheck.model.producer.environment import (
    append_is_refused,
    batch_expires,
    connection_breaks,
    request_is_left_behind,
    start_known,
)
from kafkacheck.model.producer.system import BOUNDS, EXAMPLES, LATE_RETRIES, LEMMAS, SAFETY
from kafkacheck.spec.producer.properties import two_batches_in_flight

MODEL = Model(
    state=State,
    initial=start_known,
    bounds={**BOUNDS, "batches": 4, "log_size": 5, "disconnections": 2, "refusals": 1, "batch_expirations": 1},
    rules=ProducerRules(),
    actions=[
        *LATE_RETRIES,
        producer_bumps_epoch,
        producer_resolves_sequences,
        connection_breaks,
        request_is_left_behind,
        append_is_refused,
        batch_expires,
    ],
    always=SAFETY,
    sometimes=[*EXAMPLES, two_batches_in_flight],
    lemmas=LEMMAS,
    drawing=PARTITIONS,
)
