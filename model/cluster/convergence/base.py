"""Do the replicas agree again, all in sync and everything committed, once crashes and lags have stopped (KRaft era)?

Liveness: every state in which they do not is followed, some time, by one in which they do. `cluster_healing.py` says
what is fair. No fairness can be left out.

Bounds: two replicas and one record, which is appended before or after each disturbance, and can be left on one log
    only; one crash with its restart, one lag, one move. The controller's changes and leader epochs suffice for all of
    it (`bounds_leave_room`), so that no behaviour ends at a bound. `cluster.convergence.stuck` fails within them.
Expected: HOLDS
"""

from kafkacheck.model.cluster.environment import follower_lags, leadership_is_moved, process_crashes
from kafkacheck.model.cluster.healing import FAIR_IN_KRAFT, ISR_GROWTH
from kafkacheck.model.cluster.system import CLUSTER, KRAFT, REPLICATION
from kafkacheck.spec.cluster.liveness import bounds_leave_room, converged, disturbed
from kafkacheck.spec.cluster.messages import disturbances_are_real

MODEL = CLUSTER.model(
    bounds={"max_leader_epoch": 5, "max_metadata_offset": 8, "crashes": 1, "expirations": 1, "moves": 1},
    actions=[*REPLICATION, *ISR_GROWTH, *KRAFT, process_crashes, follower_lags, leadership_is_moved],
    always=[bounds_leave_room, disturbances_are_real],
    leads_to=[(disturbed, converged)],
    weakly_fair=FAIR_IN_KRAFT,
)
