"""Do eligible leader replicas keep an acknowledged record when the last member of the ISR loses power?

With min.insync.replicas=2 a record is acknowledged on two brokers. One of them is taken for dead, the other loses what
it never flushed.

Bounds: two replicas and one record; one session expires and one power loss, in either order; three leader epochs to
    elect in.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import power_fails, session_expires
from kafkacheck.model.cluster.system import BROKERS, CLUSTER, CONTROLLER, ELIGIBLE, ISR_CHANGES, KRAFT, REPLICATION
from kafkacheck.spec.cluster.properties import (
    acknowledged_records_survive,
    high_watermark_is_within_log,
    logs_match_by_epoch,
    one_leader_in_epoch,
)
from kafkacheck.spec.cluster.steps import high_watermark_does_not_fall

MODEL = CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 6, "power_losses": 1, "expirations": 1},
    rules=ClusterRules(eligible_leader_replicas=True, min_insync_replicas=2),
    actions=[*REPLICATION, *ISR_CHANGES, *KRAFT, power_fails, session_expires],
    always=[
        acknowledged_records_survive,
        logs_match_by_epoch,
        one_leader_in_epoch,
        high_watermark_is_within_log,
        high_watermark_does_not_fall,
        *BROKERS,
        *CONTROLLER,
        *ELIGIBLE,
    ],
)
