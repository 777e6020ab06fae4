"""Can a deleted topic affect a later topic of the same name if the controller is replaced meanwhile?

In the ZooKeeper era a new controller finds only that the topic is queued for deletion: its predecessor has recorded
neither the brokers that it asked nor those that answered. So the new controller asks every broker again. Its first
request names every recorded partition, so a broker that has deleted its replica creates an empty one, and has it until
the controller asks again. The predecessor may not have noticed that it was replaced: its requests arrive late, and it
writes that the topic is gone.

Bounds: two replicas; two records, one for each topic; one deletion, one change of the controller. There are enough
    controller changes for the deletion, its resumption and its end, a creation with its first leader, and one more
    change.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, controller, environment, family
from kafkacheck.spec.cluster import elections, properties, topics

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={
        "max_records": 2,
        "max_leader_epoch": 3,
        "max_metadata_offset": 6,
        "max_broker_epoch": 0,
        "max_controller_epoch": 1,
        "failovers": 1,
        "deletions": 1,
    },
    actions=[
        *family.REPLICATION,
        *family.ISR_CHANGES,
        brokers.broker_obeys_leader_and_isr,
        brokers.broker_obeys_new_controller,
        brokers.broker_obeys_stop_replica,
        controller.controller_creates_partition,
        controller.controller_elects_first_leader,
        controller.controller_resumes_deletion,
        controller.controller_ends_deletion,
        controller.zombie_ends_deletion,
        environment.topic_deletion_is_asked,
        environment.controller_is_replaced,
    ],
    always=[
        topics.deleted_topics_stay_deleted,
        topics.zombie_awaited_replicas,
        elections.deposed_controller_changes_nothing,
        *family.TOPICS,
        *family.SAFETY,
    ],
    sometimes=[
        properties.acknowledged_record,
        topics.new_topic_commits,
        topics.deletion_changes_hands,
        topics.deleted_replica_is_told_again,
        topics.new_controller_is_known,
        topics.zombie_may_delete_new_topic,
    ],
)
