"""Can a controller that has lost its office without noticing mislead a leader about its ISR?

Bounds: two replicas, the follower outside the ISR at first, so that the zombie's old record is the ISR which the leader
    proposes later; one change of the controller, and one crash.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.cluster import State
from kafkacheck.impl.controller.alter_partition import zombie_answers_alter_partition
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.drawing import CLUSTER
from kafkacheck.model.cluster.environment import controller_is_replaced, process_crashes, start_alone
from kafkacheck.model.cluster.system import BOUNDS, ISR_CHANGES, KRAFT, LEMMAS, MEASURES, REPLICATION, SAFETY
from kafkacheck.spec.cluster.properties import acknowledged_record

MODEL = Model(
    state=State,
    initial=start_alone,
    bounds={**BOUNDS, "max_controller_epoch": 1, "crashes": 1, "failovers": 1},
    rules=ClusterRules(),
    actions=[
        *REPLICATION,
        *ISR_CHANGES,
        *KRAFT,
        process_crashes,
        controller_is_replaced,
        zombie_answers_alter_partition,
    ],
    always=SAFETY,
    sometimes=[acknowledged_record],
    lemmas=LEMMAS,
    measures=MEASURES,
    drawing=CLUSTER,
)
