"""Can a late StopReplica request delete a replica that has been given back to its broker?

Bounds: two replicas; two reassignments, one that takes the partition from a broker and one that gives it back; one
    crash.
Expected: HOLDS
"""

from kafkacheck.impl.enums import Propagation, TruncationRule
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import brokers, environment
from kafkacheck.model.cluster.family import CLUSTER, EPOCH_QUESTIONS, ISR_CHANGES, REPLICATION, SAFETY, ZOOKEEPER
from kafkacheck.spec.cluster import properties, record, steps

MODEL = CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 5, "crashes": 1, "moves": 2},
    rules=ClusterRules(propagation=Propagation.LEADER_AND_ISR, truncation=TruncationRule.KIP_279),
    actions=[
        *REPLICATION,
        *EPOCH_QUESTIONS,
        *ISR_CHANGES,
        *ZOOKEEPER,
        brokers.broker_obeys_stop_replica,
        environment.process_crashes,
        environment.reassignment_is_asked,
    ],
    always=[*SAFETY, steps.requests_of_former_broker_have_no_effect, record.reassignments_go_on],
    sometimes=[properties.acknowledged_record, record.deleted_replica],
)
