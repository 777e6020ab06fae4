"""Do acknowledged records survive when brokers replay an ordered metadata log, each at its own pace?

Followers truncate when a fetch finds that the logs differ (KIP-595); the ISR changes by AlterPartition with partition
epoch, broker epochs and a pending change (KIP-497, KIP-841, KIP-903). A broker crashes and restarts, another is taken
for dead while it runs, and a leader is moved.

Bounds: two replicas and one record are enough for what goes wrong around a single record; the bugs in which logs differ
    take two records in one slot. One disturbance of each kind.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.cluster import State
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.drawing import CLUSTER
from kafkacheck.model.cluster.environment import leadership_is_moved, process_crashes, session_expires, start_in_sync
from kafkacheck.model.cluster.system import BOUNDS, EXAMPLES, ISR_CHANGES, KRAFT, LEMMAS, MEASURES, REPLICATION, SAFETY

MODEL = Model(
    state=State,
    initial=start_in_sync,
    bounds={**BOUNDS, "crashes": 1, "expirations": 1, "moves": 1},
    rules=ClusterRules(),
    actions=[*REPLICATION, *ISR_CHANGES, *KRAFT, process_crashes, session_expires, leadership_is_moved],
    always=SAFETY,
    sometimes=EXAMPLES,
    lemmas=LEMMAS,
    measures=MEASURES,
    drawing=CLUSTER,
)
