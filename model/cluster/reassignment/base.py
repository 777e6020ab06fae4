"""Can a late StopReplica request delete a replica that has been given back to its broker?

Bounds: two replicas; two reassignments, one that takes the partition from a broker and one that gives it back; one
    crash.
Expected: HOLDS
"""

from checker.model import Model
from impl.broker.metadata import broker_obeys_stop_replica
from impl.cluster import State
from impl.constants import Propagation, TruncationRule
from impl.rules import ClusterRules
from model.cluster.drawing import CLUSTER
from model.cluster.environment import process_crashes, reassignment_is_asked, start_in_sync
from model.cluster.system import BOUNDS, EPOCH_QUESTIONS, ISR_CHANGES, MEASURES, REPLICATION, SAFETY, ZOOKEEPER
from spec.cluster.properties import acknowledged_record
from spec.cluster.record import deleted_replica, reassignments_go_on
from spec.cluster.steps import requests_of_former_broker_have_no_effect

MODEL = Model(
    state=State,
    initial=start_in_sync,
    bounds={**BOUNDS, "max_leader_epoch": 3, "max_metadata_offset": 5, "crashes": 1, "moves": 2},
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
    measures=MEASURES,
    drawing=CLUSTER,
)
