"""Do records that a consumer has read survive the election of an eligible leader replica?

With min.insync.replicas=2 a record may be on the only member of the ISR; it is not committed before a second member has
it. The other replica is no longer in sync but stays eligible. Then the controller takes the member for dead while it
runs.

Bounds: two replicas and one record; one session expires; two elections.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.clients import consumer_learns_leader, consumer_reads
from kafkacheck.model.cluster.controller import controller_unfences_broker
from kafkacheck.model.cluster.drawing import CLUSTER_AND_CONSUMER_LANES
from kafkacheck.model.cluster.environment import session_expires
from kafkacheck.model.cluster.family import ELIGIBLE, ELIGIBLE_CLUSTER, ISR_CHANGES, REPLICATION
from kafkacheck.spec.cluster.clients import consumed_records_survive
from kafkacheck.spec.cluster.properties import acknowledged_records_survive, logs_match_by_epoch

MODEL = ELIGIBLE_CLUSTER.model(
    bounds={"max_broker_epoch": 0, "expirations": 1},
    actions=[
        *REPLICATION,
        *ISR_CHANGES,
        broker_replays_metadata,
        controller_unfences_broker,
        consumer_learns_leader,
        consumer_reads,
        session_expires,
    ],
    always=[consumed_records_survive, acknowledged_records_survive, logs_match_by_epoch, *ELIGIBLE],
    drawing=CLUSTER_AND_CONSUMER_LANES,
)
