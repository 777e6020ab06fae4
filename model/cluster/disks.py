"""What does a broker do whose disk with the log has failed, when it is the last member of the ISR?

Bounds: two replicas and one record; one session expires, so that the other broker leaves the ISR; one disk fails. The
    leader changes no ISR.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.cluster import State
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.drawing import CLUSTER
from kafkacheck.model.cluster.environment import disk_fails, session_expires, start_in_sync
from kafkacheck.model.cluster.system import BOUNDS, EXAMPLES, KRAFT, LEMMAS, MEASURES, REPLICATION, SAFETY

MODEL = Model(
    state=State,
    initial=start_in_sync,
    bounds={**BOUNDS, "max_leader_epoch": 3, "max_metadata_offset": 5, "disk_losses": 1, "expirations": 1},
    rules=ClusterRules(),
    actions=[*REPLICATION, *KRAFT, disk_fails, session_expires],
    always=SAFETY,
    sometimes=EXAMPLES,
    lemmas=LEMMAS,
    measures=MEASURES,
    drawing=CLUSTER,
)
