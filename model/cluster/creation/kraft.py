"""Does a partition of the KRaft era go through its states as it may?

It is created with a leader at once, so that it is never new. Brokers replay that it exists at their own pace, and
crash.

Bounds: two replicas and one record; two crashes, so that nobody may be left.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.cluster import State
from kafkacheck.impl.controller.topics import controller_creates_partition
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.drawing import CLUSTER
from kafkacheck.model.cluster.environment import process_crashes, start_without_partition
from kafkacheck.model.cluster.system import BOUNDS, ISR_CHANGES, KRAFT, MEASURES, REPLICATION, SAFETY
from kafkacheck.spec.cluster.elections import offline_partition
from kafkacheck.spec.cluster.properties import acknowledged_record

MODEL = Model(
    state=State,
    initial=start_without_partition,
    bounds={**BOUNDS, "max_metadata_offset": 5, "max_broker_epoch": 2, "crashes": 2},
    rules=ClusterRules(),
    actions=[*REPLICATION, *ISR_CHANGES, *KRAFT, controller_creates_partition, process_crashes],
    always=SAFETY,
    sometimes=[acknowledged_record, offline_partition],
    measures=MEASURES,
    drawing=CLUSTER,
)
