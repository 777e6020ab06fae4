"""Is it safe for a leader to find a follower caught up first, and to check its broker epoch a moment later?

Bounds: as cluster.disks.restarts; in this variant a fetch can come between the two checks.
Expected: HOLDS
"""

from kafkacheck.model.cluster import controller, environment, family, replication
from kafkacheck.spec.cluster import isr, properties

MODEL = family.CLUSTER.model(
    initial=environment.start_alone,
    bounds={"max_metadata_offset": 5, "max_broker_epoch": 2, "crashes": 1, "disk_losses": 1},
    actions=[
        *family.REPLICATION,
        *family.KRAFT,
        replication.leader_finds_caught_up,
        replication.leader_proposes_caught_up,
        controller.controller_alters_partition,
        replication.leader_learns_of_change,
        environment.process_crashes,
        environment.disk_is_replaced,
    ],
    always=[*family.SAFETY, isr.caught_up_followers_may_join],
    sometimes=[properties.acknowledged_record],
)
