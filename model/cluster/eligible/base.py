"""Do eligible leader replicas keep an acknowledged record when the last member of the ISR loses power?

With min.insync.replicas=2 two brokers have an acknowledged record. The controller takes one of them for dead, and the
other loses its unflushed records.

Bounds: two replicas and one record; one expired session and one power loss, in either order; three leader epochs for
    elections.
Expected: HOLDS
"""

from kafkacheck.model.cluster.environment import power_fails, session_expires
from kafkacheck.model.cluster.family import ELIGIBLE, ELIGIBLE_CLUSTER, KRAFT_ERA, LOGS_AGREE
from kafkacheck.spec.cluster import properties, steps

MODEL = ELIGIBLE_CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 6, "power_losses": 1, "expirations": 1},
    actions=[*KRAFT_ERA, power_fails, session_expires],
    always=[properties.acknowledged_records_survive, steps.high_watermark_does_not_fall, *LOGS_AGREE, *ELIGIBLE],
)
