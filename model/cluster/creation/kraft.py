"""Does a partition of the KRaft era make only legal state changes?

The controller creates it together with a leader, so it is never new. Brokers replay its creation at their own pace, and
crash.

Bounds: two replicas and one record; two crashes, so that both brokers can be down.
Expected: HOLDS
"""

from kafkacheck.model.cluster import controller, environment
from kafkacheck.model.cluster.family import CLUSTER, KRAFT_ERA, SAFETY
from kafkacheck.spec.cluster import elections, properties

MODEL = CLUSTER.model(
    initial=environment.start_without_partition,
    bounds={"max_metadata_offset": 5, "max_broker_epoch": 2, "crashes": 2},
    actions=[*KRAFT_ERA, controller.controller_creates_partition, environment.process_crashes],
    always=SAFETY,
    sometimes=[properties.acknowledged_record, elections.offline_partition],
)
