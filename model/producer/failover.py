"""Is each batch stored once and in order, although leaders change and a deposed leader does not know it yet?

Bounds: two replicas and four batches. The first batch is acknowledged: otherwise a leader without producer state may
    accept any other batch first (`producer.unknown.written`). Two fail-overs let a deposed leader come back with
    records that only it has; a broker crashes; two connections break.
Expected: HOLDS
"""

from kafkacheck.model.producer import environment, family, system
from kafkacheck.model.producer.drawing import REPLICAS
from kafkacheck.spec.producer import clients, properties

MODEL = family.PRODUCER.model(
    bounds={"batches": 4, "replicas": 2, "disconnections": 2, "failovers": 2, "crashes": 1},
    actions=[
        *family.LATE_RETRIES,
        system.follower_fetches,
        environment.connection_breaks,
        environment.request_is_left_behind,
        environment.leadership_moves,
        environment.broker_crashes,
    ],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, properties.two_batches_in_flight, clients.request_to_next_leader],
    drawing=REPLICAS,
)
