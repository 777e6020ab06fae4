"""Is it safe for a leader to find a follower caught up first, and to check its broker epoch a moment later?

Bounds: as cluster.disks.restarts; in this variant a fetch can come between the two checks.
Expected: HOLDS
"""

from kafkacheck.model.cluster import replication
from kafkacheck.model.cluster.controller import controller_alters_partition
from kafkacheck.model.cluster.environment import disk_is_replaced, process_crashes, start_alone
from kafkacheck.model.cluster.family import CLUSTER, KRAFT, REPLICATION, SAFETY
from kafkacheck.spec.cluster.isr import caught_up_followers_may_join
from kafkacheck.spec.cluster.properties import acknowledged_record

MODEL = CLUSTER.model(
    initial=start_alone,
    bounds={"max_metadata_offset": 5, "max_broker_epoch": 2, "crashes": 1, "disk_losses": 1},
    actions=[
        *REPLICATION,
        *KRAFT,
        replication.leader_finds_caught_up,
        replication.leader_proposes_caught_up,
        controller_alters_partition,
        replication.leader_learns_of_change,
        process_crashes,
        disk_is_replaced,
    ],
    always=[*SAFETY, caught_up_followers_may_join],
    sometimes=[acknowledged_record],
)
