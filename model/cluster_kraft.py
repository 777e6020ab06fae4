"""?

Bounds: x.
Expected: HOLDS
"""

from checker.model import Model
from impl.cluster import State
from impl.rules import ClusterRules
from model.cluster import BOUNDS, EPOCH_QUESTIONS, ISR_CHANGES, KRAFT, REPLICATION, SAFETY, ZOOKEEPER
from model.environment import process_crashes, session_expires, leadership_is_moved, start_in_sync


MODEL = Model(
    name="cluster_kraft",
    state=State,
    initial=start_in_sync,
    bounds={**BOUNDS, "max_metadata_offset": 4, "crashes": 1, "expirations": 1, "moves": 1},
    rules=ClusterRules(),
    actions=[*REPLICATION, *ISR_CHANGES, *KRAFT, process_crashes, session_expires, leadership_is_moved],
    always=SAFETY,
)
