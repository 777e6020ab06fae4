"""Does a consumer without a lease give up a follower that refuses it, even if nobody else has noticed?

As cluster.read_replica, but without the lease, which would hide a failure: `metadata.max.age.ms` may be arbitrarily
long. No process need find that a follower is down, and no metadata need reach the consumer.

Bounds: two replicas and one record; one power loss, after which the follower comes back with fewer records than the
    consumer has read; no move, because a new leader epoch ends every read from the follower.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import clients, environment, family
from kafkacheck.model.cluster.read_replica.base import READ_REPLICA, READ_REPLICA_PROPERTIES
from kafkacheck.spec.cluster import isr, properties, read_replica

MODEL = family.CONSUMER_CLUSTER.model(
    bounds={"max_metadata_offset": 3, "read_replicas": 1, "power_losses": 1},
    rules=ClusterRules(read_replica_is_leased=False, commits_are_noted=True),
    actions=[*family.REPLICATION, *family.KRAFT, environment.power_fails, *family.CONSUMER_READS, *READ_REPLICA],
    always=[*READ_REPLICA_PROPERTIES, *family.BROKERS, *family.CONTROLLER, *family.CONSUMER],
    sometimes=[properties.acknowledged_record, isr.committed_without_all, read_replica.reads_from_follower],
    leads_to=[(read_replica.read_replica_refuses, read_replica.read_replica_is_given_up)],
    weakly_fair=[clients.consumer_is_refused],
)
