"""Does a consumer that may read from any follower still see one log of committed records (KIP-392)?

A follower serves records below its own high watermark to consumers in its own leader epoch. The consumer switches from
broker to broker, and validates its position at each new leader.

Bounds: two replicas and two records for one slot; one move, after which the new leader's high watermark lags; one
    broker that is taken for dead, so that the other one commits alone.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import brokers, clients, environment, family
from kafkacheck.spec.cluster import refinement
from kafkacheck.spec.cluster.clients import consumed_records_survive

MODEL = family.CONSUMER_CLUSTER.model(
    bounds={"max_records": 2, "max_metadata_offset": 2, "max_broker_epoch": 0, "expirations": 1, "moves": 1},
    rules=ClusterRules(commits_are_noted=True),
    actions=[
        *family.REPLICATION,
        brokers.broker_replays_metadata,
        environment.leadership_is_moved,
        environment.session_expires,
        *family.CONSUMER_READS,
        clients.consumer_reads_from_follower,
    ],
    always=[
        refinement.consumed_records_are_committed,
        refinement.brokers_serve_committed_log,
        refinement.committed_log_only_grows,
        consumed_records_survive,
        *family.BROKERS,
        *family.CONTROLLER,
        *family.CONSUMER,
    ],
)
