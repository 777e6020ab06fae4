"""Is it safe for a leader to compute the limit of a read first, and to read a moment later?

Bounds: two replicas, two records and one move, after which the record that should not have been read is gone.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import brokers, clients, environment, family
from kafkacheck.spec.cluster.clients import consumed_records_survive, reads_at_the_end, reads_end_at_limit

MODEL = family.CONSUMER_CLUSTER.model(
    bounds={
        "log_size": 2,
        "max_records": 2,
        "max_leader_epoch": 1,
        "max_metadata_offset": 1,
        "max_broker_epoch": 0,
        "moves": 1,
    },
    rules=ClusterRules(consumer_validates_position=False),
    actions=[
        *family.REPLICATION,
        brokers.broker_replays_metadata,
        environment.leadership_is_moved,
        clients.consumer_learns_leader,
        clients.leader_limits_read,
        clients.leader_ends_read,
    ],
    always=[consumed_records_survive, *family.SAFETY, *family.CONSUMER, reads_end_at_limit],
    sometimes=[*family.EXAMPLES, reads_at_the_end],
)
