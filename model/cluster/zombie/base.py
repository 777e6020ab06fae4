"""Can a deposed controller that has not noticed mislead a leader about its ISR?

Bounds: two replicas; the follower is outside the ISR at first, so that the leader may later propose the ISR of the
    zombie's old record; one change of the controller, and one crash.
Expected: HOLDS
"""

from kafkacheck.model.cluster import controller, environment, family
from kafkacheck.spec.cluster import properties

MODEL = family.CLUSTER.model(
    initial=environment.start_alone,
    bounds={"max_controller_epoch": 1, "crashes": 1, "failovers": 1},
    actions=[
        *family.KRAFT_ERA,
        environment.process_crashes,
        environment.controller_is_replaced,
        controller.zombie_answers_alter_partition,
    ],
    always=family.SAFETY,
    sometimes=[properties.acknowledged_record],
    lemmas=family.LEMMAS,
)
