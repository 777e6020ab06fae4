"""Can a follower that fell behind its leader's log start serve as leader?

Bounds: two replicas, the follower outside the ISR; two records, both of which may be deleted; one move.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.environment import leadership_is_moved, start_alone
from kafkacheck.model.cluster.family import CLUSTER, EXAMPLES, ISR_CHANGES, REPLICATION, SAFETY
from kafkacheck.model.cluster.replication import leader_deletes_records
from kafkacheck.spec.cluster.files import everything_is_deleted
from kafkacheck.spec.cluster.messages import only_leaders_delete

MODEL = CLUSTER.model(
    initial=start_alone,
    bounds={
        "log_size": 2,
        "max_records": 2,
        "max_leader_epoch": 1,
        "max_metadata_offset": 3,
        "max_broker_epoch": 0,
        "max_log_start": 2,
        "moves": 1,
    },
    actions=[*REPLICATION, *ISR_CHANGES, broker_replays_metadata, leader_deletes_records, leadership_is_moved],
    always=[*SAFETY, only_leaders_delete],
    sometimes=[*EXAMPLES, everything_is_deleted],
)
