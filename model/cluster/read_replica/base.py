"""Does a consumer make progress if its leader sends it to a follower that may lag for ever (KIP-392)?

The leader names any follower in the ISR that has every record below the consumer's position. The consumer reads only
from that follower until the follower refuses it, its lease ends, or a new leader epoch begins. No follower need ever
fetch.

Liveness: committed records are eventually read. Only the consumer is fair. Its reads at the leader are weakly fair,
because the selector may always send the consumer away again; its reads at a follower are strongly fair, because the
consumer fetches many times while a lease lasts.

Bounds: two replicas and one record, which the leader commits alone if the follower is out of sync; one crash, by which
    the follower or the leader is lost for good, and one move. With one record, a consumer that must validate its
    position has read everything; a test with two records needs fair validation, too.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import brokers, clients, controller, environment, family
from kafkacheck.spec.cluster import read_replica, refinement
from kafkacheck.spec.cluster.clients import consumed_records_survive

READ_REPLICA = (
    clients.leader_names_read_replica,
    clients.consumer_reads_from_read_replica,
    clients.consumer_is_refused,
    clients.consumer_finds_replica_offline,
)

READ_REPLICA_PROPERTIES = (
    read_replica.read_replicas_are_in_sync,
    read_replica.read_replica_ends_with_epoch,
    read_replica.reads_come_from_read_replica,
    read_replica.read_replica_is_kept,
    refinement.consumed_records_are_committed,
    refinement.brokers_serve_committed_log,
    refinement.committed_log_only_grows,
    consumed_records_survive,
)

MODEL = family.CONSUMER_CLUSTER.model(
    bounds={
        "max_leader_epoch": 1,
        "max_metadata_offset": 2,
        "max_broker_epoch": 0,
        "read_replicas": 1,
        "crashes": 1,
        "moves": 1,
    },
    rules=ClusterRules(commits_are_noted=True, known_change_keeps_proposal=True),
    actions=[
        *family.REPLICATION,
        *family.ISR_CHANGES,
        brokers.broker_replays_metadata,
        environment.leadership_is_moved,
        environment.process_crashes,
        controller.controller_fences_broker,
        *family.CONSUMER_READS,
        *READ_REPLICA,
        clients.consumer_ends_lease,
    ],
    always=[*READ_REPLICA_PROPERTIES, *family.BROKERS, *family.CONTROLLER, *family.CONSUMER],
    sometimes=[
        *family.EXAMPLES,
        read_replica.reads_from_follower,
        read_replica.waits_at_follower,
        read_replica.waits_for_first_record,
    ],
    leads_to=[(read_replica.has_more_to_read, read_replica.has_read_on)],
    weakly_fair=[clients.consumer_validates_position, clients.consumer_reads, clients.consumer_ends_lease],
    strongly_fair=[clients.consumer_reads_from_read_replica],
)
