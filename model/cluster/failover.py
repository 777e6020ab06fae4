"""Does a new controller handle what happened before its election, and do clients learn every new epoch?

Bounds: two replicas; one crash, one change of the controller and two reassignments, in any order. No records, because
    only the controller is at work.
Expected: HOLDS
"""

from kafkacheck.model.cluster.clients import consumer_learns_told_leader
from kafkacheck.model.cluster.drawing import CLUSTER_AND_CONSUMER_LANES
from kafkacheck.model.cluster.environment import controller_is_replaced, process_crashes, reassignment_is_asked
from kafkacheck.model.cluster.family import BROKERS, CONSUMER, CONTROLLER, ZOOKEEPER, ZOOKEEPER_CLUSTER
from kafkacheck.spec.cluster.clients import newest_metadata_is_served
from kafkacheck.spec.cluster.properties import dead_leader_is_replaced, one_leader_in_epoch
from kafkacheck.spec.cluster.record import reassignments_go_on
from kafkacheck.spec.cluster.steps import leader_epoch_does_not_fall

MODEL = ZOOKEEPER_CLUSTER.model(
    bounds={"max_leader_epoch": 4, "max_controller_epoch": 1, "crashes": 1, "moves": 2, "failovers": 1},
    actions=[*ZOOKEEPER, process_crashes, controller_is_replaced, reassignment_is_asked, consumer_learns_told_leader],
    always=[
        dead_leader_is_replaced,
        newest_metadata_is_served,
        leader_epoch_does_not_fall,
        one_leader_in_epoch,
        *BROKERS,
        *CONTROLLER,
        *CONSUMER,
        reassignments_go_on,
    ],
    drawing=CLUSTER_AND_CONSUMER_LANES,
    sometimes=(),
)
