"""Does a broker stay eligible after a clean stop, but not if it only flushed before it lost power?

With eligible leader replicas a broker that registers after a clean stop may still be elected, because its clean stop
flushed everything.

Bounds: two replicas and one record; one shutdown and one power loss, in either order.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_flushes, broker_stops
from kafkacheck.model.cluster.environment import power_fails, shutdown_is_asked
from kafkacheck.model.cluster.family import ELIGIBLE, ELIGIBLE_CLUSTER, KRAFT_ERA, LOGS_AGREE
from kafkacheck.spec.cluster import properties

MODEL = ELIGIBLE_CLUSTER.model(
    bounds={
        "max_leader_epoch": 3,
        "max_metadata_offset": 5,
        "max_broker_epoch": 2,
        "power_losses": 1,
        "expirations": 1,
    },
    actions=[*KRAFT_ERA, broker_flushes, broker_stops, power_fails, shutdown_is_asked],
    always=[properties.acknowledged_records_survive, *LOGS_AGREE, *ELIGIBLE],
)
