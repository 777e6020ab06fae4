"""Do all replicas agree, in sync and with everything committed, once crashes and lags stop (KRaft era)?

Liveness: each state in which the replicas disagree is eventually followed by one in which they agree. `healing.py`
lists the fairness assumptions. Each of them is needed.

Bounds: two replicas and one record, which is appended before or after each disturbance and may be on one log only; one
    crash with its restart, one lag, one move. There are enough controller changes and leader epochs for all of them
    (`bounds_leave_room`), so no behaviour ends at a bound.
Expected: HOLDS
"""

from kafkacheck.model.cluster.convergence.healing import FAIR_IN_KRAFT, ISR_GROWTH
from kafkacheck.model.cluster.environment import follower_lags, leadership_is_moved, process_crashes
from kafkacheck.model.cluster.family import CLUSTER, KRAFT, REPLICATION
from kafkacheck.spec.cluster import liveness, messages

MODEL = CLUSTER.model(
    bounds={"max_leader_epoch": 5, "max_metadata_offset": 8, "crashes": 1, "expirations": 1, "moves": 1},
    actions=[*REPLICATION, *ISR_GROWTH, *KRAFT, process_crashes, follower_lags, leadership_is_moved],
    always=[liveness.bounds_leave_room, messages.disturbances_are_real],
    leads_to=[(liveness.disturbed, liveness.converged)],
    weakly_fair=FAIR_IN_KRAFT,
)
