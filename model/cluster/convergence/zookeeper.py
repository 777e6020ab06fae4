"""Do the replicas agree again once crashes, lags and moves stop, if requests can be late and overtaken?

As cluster.convergence, in the ZooKeeper era: LeaderAndIsr requests replace the metadata log, and followers ask where an
epoch ends (KIP-279). Every request, or a newer one in its place, eventually arrives.

Bounds: two replicas and one record; one crash with its restart, one lag and one move.
Expected: HOLDS
"""

from kafkacheck.model.cluster import environment, family
from kafkacheck.model.cluster.convergence.healing import FAIR_IN_ZOOKEEPER, ISR_GROWTH
from kafkacheck.spec.cluster import liveness, messages

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={"max_leader_epoch": 6, "max_metadata_offset": 8, "crashes": 1, "expirations": 1, "moves": 1},
    actions=[
        *family.REPLICATION,
        *family.EPOCH_QUESTIONS,
        *ISR_GROWTH,
        *family.ZOOKEEPER,
        environment.process_crashes,
        environment.follower_lags,
        environment.leadership_is_moved,
    ],
    always=[liveness.bounds_leave_room, messages.disturbances_are_real],
    leads_to=[(liveness.disturbed, liveness.converged)],
    weakly_fair=FAIR_IN_ZOOKEEPER,
)
