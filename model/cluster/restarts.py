"""Can a follower that comes back with an empty disk slip into the ISR by what its former self had?

Bounds: two replicas, the follower outside the ISR; it loses its disk once, and the leader crashes once so that the
    follower is elected if it can be.
Expected: HOLDS
"""

from kafkacheck.model.cluster.environment import disk_is_replaced, process_crashes, start_alone
from kafkacheck.model.cluster.system import CLUSTER, ISR_CHANGES, KRAFT, REPLICATION, SAFETY
from kafkacheck.spec.cluster.properties import acknowledged_record

MODEL = CLUSTER.model(
    initial=start_alone,
    bounds={"max_metadata_offset": 5, "max_broker_epoch": 2, "crashes": 1, "disk_losses": 1},
    actions=[*REPLICATION, *ISR_CHANGES, *KRAFT, process_crashes, disk_is_replaced],
    always=SAFETY,
    sometimes=[acknowledged_record],
)
