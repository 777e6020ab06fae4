"""Can a deposed controller refuse an ISR change that its successor has already made?

As cluster.zombie, but a message can be lost, so that a leader sends its change a second time, to another controller.

Bounds: those of cluster.zombie and one loss.
Expected: VIOLATED isr_is_covered: the successor lets a follower into the ISR that the zombie still takes for fenced,
    and the answer is lost. The leader asks again, and the zombie, whose partition epoch is the same because unfencing
    does not change it, answers INELIGIBLE_REPLICA. The leader goes back to its ISR without the follower, which may be
    elected. No known entry of Kafka's issue tracker describes this; whether Kafka's deposed controller can still answer
    depends on how soon it notices, which is not modelled.
"""

from kafkacheck.model.cluster import controller, environment, family
from kafkacheck.spec.cluster import properties

MODEL = family.CLUSTER.model(
    initial=environment.start_alone,
    bounds={"max_controller_epoch": 1, "crashes": 1, "losses": 1, "failovers": 1},
    actions=[
        *family.KRAFT_ERA,
        environment.process_crashes,
        environment.controller_is_replaced,
        controller.zombie_answers_alter_partition,
        environment.fetch_is_lost,
        environment.isr_answer_is_lost,
    ],
    always=family.SAFETY,
    sometimes=[properties.acknowledged_record],
)
