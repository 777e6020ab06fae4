"""Do eligible leader replicas keep an acknowledged record when the last member of the ISR loses power?

With min.insync.replicas=2 two brokers have an acknowledged record. The controller takes one of them for dead, and the
other loses its unflushed records.

Bounds: two replicas and one record; one expired session and one power loss, in either order; three leader epochs for
    elections.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import power_fails, session_expires
from kafkacheck.model.cluster.family import BROKERS, CLUSTER, CONTROLLER, ELIGIBLE, ISR_CHANGES, KRAFT, REPLICATION
from kafkacheck.spec.cluster import properties, steps

MODEL = CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 6, "power_losses": 1, "expirations": 1},
    rules=ClusterRules(eligible_leader_replicas=True, min_insync_replicas=2),
    actions=[*REPLICATION, *ISR_CHANGES, *KRAFT, power_fails, session_expires],
    always=[
        properties.acknowledged_records_survive,
        properties.logs_match_by_epoch,
        properties.one_leader_in_epoch,
        properties.high_watermark_is_within_log,
        steps.high_watermark_does_not_fall,
        *BROKERS,
        *CONTROLLER,
        *ELIGIBLE,
    ],
)
