"""Does an acknowledged record survive if a broker loses power and starts again before it is fenced (KRaft, KIP-966)?

Bounds: as cluster.unfenced_restart, with eligible leader replicas, and one power loss and one session that ends
    instead of the crash.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_starts_unfenced
from kafkacheck.model.cluster.environment import power_fails, session_expires
from kafkacheck.model.cluster.family import ELIGIBLE, ELIGIBLE_CLUSTER, KRAFT_ERA, LOGS_AGREE
from kafkacheck.spec.cluster import properties
from kafkacheck.spec.cluster.elections import leader_is_active

MODEL = ELIGIBLE_CLUSTER.model(
    bounds={"max_leader_epoch": 2, "max_metadata_offset": 3, "power_losses": 1, "expirations": 1},
    actions=[*KRAFT_ERA, broker_starts_unfenced, power_fails, session_expires],
    always=[properties.acknowledged_records_survive, leader_is_active, *LOGS_AGREE, *ELIGIBLE],
    sometimes=[properties.acknowledged_record],
)
