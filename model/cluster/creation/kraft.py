"""Does a partition of the KRaft era make only legal state changes?

The controller creates it together with a leader, so it is never new. Brokers replay its creation at their own pace, and
crash.

Bounds: two replicas and one record; two crashes, so that no broker may be left.
Expected: HOLDS
"""

from kafkacheck.model.cluster.controller import controller_creates_partition
from kafkacheck.model.cluster.environment import process_crashes, start_without_partition
from kafkacheck.model.cluster.family import CLUSTER, ISR_CHANGES, KRAFT, REPLICATION, SAFETY
from kafkacheck.spec.cluster.elections import offline_partition
from kafkacheck.spec.cluster.properties import acknowledged_record

MODEL = CLUSTER.model(
    initial=start_without_partition,
    bounds={"max_metadata_offset": 5, "max_broker_epoch": 2, "crashes": 2},
    actions=[*REPLICATION, *ISR_CHANGES, *KRAFT, controller_creates_partition, process_crashes],
    always=SAFETY,
    sometimes=[acknowledged_record, offline_partition],
)
