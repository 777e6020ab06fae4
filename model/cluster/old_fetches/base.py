"""Does an old fetch do harm if its connection broke and the leader reads and counts it after newer fetches?

A connection breaks, and the follower fetches again; the leader still has the old fetch. Kafka's leader holds no lock
between reading a fetch and counting it: records, restarts or another leader epoch may come in between.

Bounds: two replicas and one record; one broken connection; one replaced disk, after which the follower lacks a record
    that its old fetch had proved; one move, which begins another leader epoch.
Expected: HOLDS, with the fix, which no release has: a fetch that was read in another leader epoch is not counted.
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import environment, family, replication
from kafkacheck.spec.cluster import replay, steps

MODEL = family.CLUSTER.model(
    rules=ClusterRules(counted_fetch_is_of_epoch=True, known_change_keeps_proposal=True),
    bounds={"old_fetches": 1, "max_metadata_offset": 4, "losses": 1, "disk_losses": 1, "moves": 1},
    actions=[
        *family.KRAFT_ERA,
        replication.leader_reads_old_fetch,
        replication.leader_counts_old_fetch,
        environment.fetch_connection_breaks,
        environment.disk_is_replaced,
        environment.leadership_is_moved,
    ],
    always=[
        *family.SAFETY,
        steps.stale_old_fetches_have_no_effect,
        steps.read_fetches_fit,
        steps.read_fetches_count,
        steps.known_broker_epochs_do_not_fall,
        replay.fetches_of_former_starts_are_dropped,
        replay.only_leaders_know_followers,
    ],
)
