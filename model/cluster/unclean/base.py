"""Do the logs of two replicas stay comparable when leaders are elected uncleanly, one after the other?

Committed records can be lost here, because an unclean election allows that. But if two logs have a record of the same
epoch at one offset, they must be the same up to that offset.

Bounds: the records and elections of KIP-279's example: two replicas, four records, three crashes, leader epochs 0 to 4.
Expected: HOLDS
"""

from kafkacheck.impl.enums import Propagation, TruncationRule
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.controller import controller_elects_uncleanly
from kafkacheck.model.cluster.environment import process_crashes
from kafkacheck.model.cluster.family import CLUSTER, EPOCH_QUESTIONS, LOGS_AGREE, REPLICATION, ZOOKEEPER

MODEL = CLUSTER.model(
    bounds={
        "log_size": 3,
        "max_records": 4,
        "max_leader_epoch": 4,
        "max_metadata_offset": 8,
        "max_broker_epoch": 3,
        "crashes": 3,
    },
    rules=ClusterRules(
        propagation=Propagation.LEADER_AND_ISR, truncation=TruncationRule.KIP_279, unclean_election=True
    ),
    actions=[*REPLICATION, *EPOCH_QUESTIONS, *ZOOKEEPER, process_crashes, controller_elects_uncleanly],
    always=LOGS_AGREE,
)
