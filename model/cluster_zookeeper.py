"""?

Bounds: x.
Expected: HOLDS
"""

from checker.model import Model
from impl.cluster import State
from impl.constants import Propagation, TruncationRule
from impl.rules import ClusterRules
from model.cluster import BOUNDS, EPOCH_QUESTIONS, ISR_CHANGES, REPLICATION, SAFETY, ZOOKEEPER
from model.environment import leadership_is_moved, process_crashes, start_in_sync


MODEL = Model(
    name="cluster_zookeeper",
    state=State,
    initial=start_in_sync,
    bounds={**BOUNDS, "max_metadata_offset": 3, "crashes": 1, "moves": 2},
    rules=ClusterRules(propagation=Propagation.LEADER_AND_ISR, truncation=TruncationRule.KIP_279),
    actions=[*REPLICATION, *EPOCH_QUESTIONS, *ISR_CHANGES, *ZOOKEEPER, process_crashes, leadership_is_moved],
    always=SAFETY,
)
