"""Can a late StopReplica request delete a replica that has been given back to its broker?

Bounds: two replicas; two reassignments, one that takes the partition from a broker and one that gives it back; one
    crash.
Expected: HOLDS
"""

from kafkacheck.impl.constants import Propagation, TruncationRule
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_obeys_stop_replica
from kafkacheck.model.cluster.environment import process_crashes, reassignment_is_asked
from kafkacheck.model.cluster.family import CLUSTER, EPOCH_QUESTIONS, ISR_CHANGES, REPLICATION, SAFETY, ZOOKEEPER
from kafkacheck.spec.cluster.properties import acknowledged_record
from kafkacheck.spec.cluster.record import deleted_replica, reassignments_go_on
from kafkacheck.spec.cluster.steps import requests_of_former_broker_have_no_effect

MODEL = CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 5, "crashes": 1, "moves": 2},
    rules=ClusterRules(propagation=Propagation.LEADER_AND_ISR, truncation=TruncationRule.KIP_279),
    actions=[
        *REPLICATION,
        *EPOCH_QUESTIONS,
        *ISR_CHANGES,
        *ZOOKEEPER,
        broker_obeys_stop_replica,
        process_crashes,
        reassignment_is_asked,
    ],
    always=[*SAFETY, requests_of_former_broker_have_no_effect, reassignments_go_on],
    sometimes=[acknowledged_record, deleted_replica],
)
