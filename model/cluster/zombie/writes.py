"""Does a deposed controller that has not noticed change the partition (ZooKeeper era)?

The current controller elects a leader, and so does its predecessor, from its old record.

Bounds: two replicas and one record; one change of the controller; one move, by the current controller or by its
    predecessor before it was deposed.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, controller, environment, family
from kafkacheck.spec.cluster import elections

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={"max_metadata_offset": 3, "max_broker_epoch": 0, "max_controller_epoch": 1, "moves": 1, "failovers": 1},
    actions=[
        *family.REPLICATION,
        *family.EPOCH_QUESTIONS,
        *family.ISR_CHANGES,
        brokers.broker_obeys_leader_and_isr,
        environment.leadership_is_moved,
        environment.controller_is_replaced,
        controller.zombie_elects_leader,
    ],
    always=[elections.deposed_controller_changes_nothing, *family.SAFETY],
)
