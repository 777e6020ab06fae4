"""Do acknowledged records survive when brokers replay an ordered metadata log, each at its own pace?

Followers truncate when a fetch finds that the logs differ (KIP-595); AlterPartition requests change the ISR, with
partition epoch, broker epochs and a pending change (KIP-497, KIP-841, KIP-903). One broker crashes and restarts,
another is taken for dead while it runs, and a leader is moved.

Bounds: two replicas and one record are enough for bugs around a single record; bugs in which logs differ take two
    records in one slot. One disturbance of each kind.
Expected: HOLDS
"""

from kafkacheck.model.cluster.environment import leadership_is_moved, process_crashes, session_expires
from kafkacheck.model.cluster.family import CLUSTER, KRAFT_ERA, LEMMAS, SAFETY

MODEL = CLUSTER.model(
    bounds={"crashes": 1, "expirations": 1, "moves": 1},
    actions=[*KRAFT_ERA, process_crashes, session_expires, leadership_is_moved],
    always=SAFETY,
    lemmas=LEMMAS,
)
