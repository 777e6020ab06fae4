"""Does a broker rejoin the cluster if the controller learns its new broker epoch before the broker does?

ZooKeeper tells the controller of a registered broker, and may answer the broker later. So a LeaderAndIsr request can
carry a broker epoch that its receiver has not learnt; the receiver must obey it, because the request is not sent again.

Bounds: two replicas and one record; one crash with its restart, and one lag, after which the ISR has one member.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.cluster import brokers, environment, family
from kafkacheck.model.cluster.convergence.healing import FAIR_IN_ZOOKEEPER, ISR_GROWTH
from kafkacheck.spec.cluster import liveness

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={"late_registrations": 1, "max_leader_epoch": 5, "max_metadata_offset": 7, "crashes": 1, "expirations": 1},
    actions=[
        *family.REPLICATION,
        *family.EPOCH_QUESTIONS,
        *ISR_GROWTH,
        *family.ZOOKEEPER,
        brokers.broker_learns_epoch,
        environment.process_crashes,
        environment.follower_lags,
    ],
    always=[liveness.bounds_leave_room],
    leads_to=[(liveness.disturbed, liveness.converged)],
    weakly_fair=[*FAIR_IN_ZOOKEEPER, each(brokers.broker_learns_epoch)],
)
