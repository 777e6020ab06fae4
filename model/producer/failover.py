"""Is each batch stored once and in order, although leaders change and a deposed leader does not know it yet?

Bounds: two replicas and four batches. The first batch is acknowledged: otherwise a leader without producer state may
    accept any other batch first (`producer.unknown.written`). Two fail-overs let a deposed leader come back with
    records that only it has; a broker crashes; two connections break.
Expected: HOLDS
"""

from kafkacheck.model.producer.drawing import REPLICAS
from kafkacheck.model.producer.environment import (
    broker_crashes,
    connection_breaks,
    leadership_moves,
    request_is_left_behind,
)
from kafkacheck.model.producer.family import EXAMPLES, LATE_RETRIES, PRODUCER, SAFETY
from kafkacheck.model.producer.system import follower_fetches
from kafkacheck.spec.producer.clients import request_to_next_leader
from kafkacheck.spec.producer.properties import two_batches_in_flight

MODEL = PRODUCER.model(
    bounds={"batches": 4, "replicas": 2, "disconnections": 2, "failovers": 2, "crashes": 1},
    actions=[
        *LATE_RETRIES,
        follower_fetches,
        connection_breaks,
        request_is_left_behind,
        leadership_moves,
        broker_crashes,
    ],
    always=SAFETY,
    sometimes=[*EXAMPLES, two_batches_in_flight, request_to_next_leader],
    drawing=REPLICAS,
)
