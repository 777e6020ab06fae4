"""?

Bounds: x.
Expected: HOLDS
"""

from checker.model import Model
from impl.cluster import State
from impl.broker.metadata import broker_replays_metadata
from impl.rules import ClusterRules
from model.cluster import BOUNDS, ISR_CHANGES, REPLICATION, SAFETY, one_fetch_under_way
from model.environment import leadership_is_moved, start_with_laggard


MODEL = Model(
    name="cluster_three",
    state=State,
    initial=start_with_laggard,
    bounds={**BOUNDS, "replicas": 3, "max_broker_epoch": 0, "max_metadata_offset": 3, "moves": 2},
    rules=ClusterRules(),
    actions=[*REPLICATION, *ISR_CHANGES, broker_replays_metadata, leadership_is_moved],
    always=SAFETY,
    constraint=one_fetch_under_way,
)
