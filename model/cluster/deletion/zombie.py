"""Can a deposed controller refuse an ISR change of a topic that it does not know?

Its successor deletes the topic and creates one of the same name. The leader of the new topic may still take the old
controller for the current one (KRaft era).

Bounds: two replicas and one record; one deletion, one change of the controller. There are enough controller changes for
    the deletion, a creation and one later change of the ISR.
Expected: VIOLATED answers_tell_the_record: the old controller answers UNKNOWN_TOPIC_ID (FENCED in the schedule, which
    has one word for all errors upon which a leader waits for newer metadata), and the leader drops its change and waits
    for newer metadata, of which there is none. It proposes no other change until something else changes the partition,
    so that writes wait for a follower that is gone. KAFKA-14154 has the same with a leader epoch that the old
    controller does not know; since its fix the answer is NOT_CONTROLLER. No known entry of Kafka's issue tracker
    describes it with a topic. Nothing that was acknowledged is lost.
"""

from kafkacheck.model.cluster import brokers, controller, environment, family
from kafkacheck.spec.cluster import properties, topics

MODEL = family.CLUSTER.model(
    bounds={"max_metadata_offset": 3, "max_broker_epoch": 0, "max_controller_epoch": 1, "failovers": 1, "deletions": 1},
    actions=[
        *family.REPLICATION,
        *family.ISR_CHANGES,
        brokers.broker_replays_metadata,
        controller.controller_creates_partition,
        environment.topic_deletion_is_asked,
        environment.controller_is_replaced,
        controller.zombie_answers_alter_partition,
    ],
    always=[*family.TOPICS, *family.SAFETY],
    sometimes=[properties.acknowledged_record, topics.new_topic_commits],
)
