"""Does a fetch do harm that its follower has given up, and that its leader reads and counts after newer ones?

A connection breaks, and the follower asks anew; its old fetch is still with the leader. Between reading a fetch and
counting it, Kafka's leader holds no lock: records, restarts, another leader epoch may come in between.

Bounds: two replicas and one record; one broken connection, one disk replaced, after which the follower lacks a record
    that its old fetch had proved, and one move that begins another leader epoch.
Expected: HOLDS
"""

from kafkacheck.impl.broker.fetch import leader_counts_old_fetch, leader_reads_old_fetch
from kafkacheck.model.cluster.environment import disk_is_replaced, fetch_connection_breaks, leadership_is_moved
from kafkacheck.model.cluster.system import CLUSTER, ISR_CHANGES, KRAFT, REPLICATION, SAFETY
from kafkacheck.spec.cluster.steps import (
    known_broker_epochs_do_not_fall,
    read_fetches_count,
    read_fetches_fit,
    stale_old_fetches_have_no_effect,
)

MODEL = CLUSTER.model(
    bounds={"old_fetches": 1, "max_metadata_offset": 4, "losses": 1, "disk_losses": 1, "moves": 1},
    actions=[
        *REPLICATION,
        *ISR_CHANGES,
        *KRAFT,
        leader_reads_old_fetch,
        leader_counts_old_fetch,
        fetch_connection_breaks,
        disk_is_replaced,
        leadership_is_moved,
    ],
    always=[
        *SAFETY,
        stale_old_fetches_have_no_effect,
        read_fetches_fit,
        read_fetches_count,
        known_broker_epochs_do_not_fall,
    ],
)
