"""Does a controller mistake a broker's answer to the last deletion for one to this deletion (ZooKeeper era)?

A broker that hears late of a topic may have had no replica since the deletion of the previous topic when this topic is
deleted, too. The controller must ask it again: the request that gives it a replica is still on its way.

Bounds: two replicas and one record; two deletions. There are enough controller changes for both, and for a creation
    with its first leader after each.
Expected: HOLDS
"""

from kafkacheck.model.cluster import controller
from kafkacheck.model.cluster.brokers import broker_obeys_leader_and_isr, broker_obeys_stop_replica
from kafkacheck.model.cluster.environment import topic_deletion_is_asked
from kafkacheck.model.cluster.family import ISR_CHANGES, REPLICATION, SAFETY, TOPICS, ZOOKEEPER_CLUSTER
from kafkacheck.spec.cluster.elections import new_partition
from kafkacheck.spec.cluster.properties import acknowledged_record
from kafkacheck.spec.cluster.topics import answer_of_last_deletion, deleted_topics_stay_deleted, new_topic_commits

MODEL = ZOOKEEPER_CLUSTER.model(
    bounds={"max_metadata_offset": 8, "max_broker_epoch": 0, "deletions": 2},
    actions=[
        *REPLICATION,
        *ISR_CHANGES,
        broker_obeys_leader_and_isr,
        broker_obeys_stop_replica,
        controller.controller_creates_partition,
        controller.controller_elects_first_leader,
        controller.controller_ends_deletion,
        topic_deletion_is_asked,
    ],
    always=[deleted_topics_stay_deleted, *TOPICS, *SAFETY],
    sometimes=[acknowledged_record, new_partition, new_topic_commits, answer_of_last_deletion],
)
