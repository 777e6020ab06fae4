"""Does only the leader, which alone knows the followers in sync, send a consumer to a follower?

As cluster.read_replica, with a follower whose fetches the former leader has received.

Bounds: three replicas, no record, and one move, after which the former leader follows; one follower at a time has a
request under way. The two other models cover the records that are read.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, clients, environment, family, replication
from kafkacheck.spec.cluster import read_replica

MODEL = family.CONSUMER_CLUSTER.model(
    bounds={
        "replicas": 3,
        "max_leader_epoch": 1,
        "max_metadata_offset": 1,
        "max_broker_epoch": 0,
        "read_replicas": 1,
        "moves": 1,
    },
    actions=[
        replication.follower_sends_fetch,
        replication.leader_answers_fetch,
        replication.follower_uses_fetch,
        brokers.broker_replays_metadata,
        environment.leadership_is_moved,
        clients.consumer_learns_leader,
        clients.leader_names_read_replica,
        clients.consumer_is_refused,
        clients.consumer_ends_lease,
    ],
    always=[
        read_replica.read_replicas_are_in_sync,
        read_replica.read_replica_ends_with_epoch,
        *family.BROKERS,
        *family.CONTROLLER,
        *family.CONSUMER,
    ],
    sometimes=[read_replica.waits_for_first_record],
)
