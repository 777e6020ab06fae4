"""Can a follower that comes back with an empty disk join the ISR because of the log that it had before?

Bounds: two replicas; the follower is outside the ISR and loses its disk once; the leader crashes once, so that the
    follower is elected if possible.
Expected: HOLDS
"""

from kafkacheck.model.cluster.environment import disk_is_replaced, process_crashes, start_alone
from kafkacheck.model.cluster.family import CLUSTER, KRAFT_ERA, SAFETY
from kafkacheck.spec.cluster.properties import acknowledged_record

MODEL = CLUSTER.model(
    initial=start_alone,
    bounds={"max_metadata_offset": 5, "max_broker_epoch": 2, "crashes": 1, "disk_losses": 1},
    actions=[*KRAFT_ERA, process_crashes, disk_is_replaced],
    always=SAFETY,
    sometimes=[acknowledged_record],
)
