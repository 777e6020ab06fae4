"""Can a deleted topic affect a later topic of the same name (ZooKeeper era)?

The controller queues the topic, asks the assigned brokers to delete their replicas, and removes the topic when all have
done so; only then can a topic of the same name be created. The deletion waits for a broker that is down. But the
controller does not ask a broker that lost the partition by a reassignment while it was down: that broker comes back
with the old log (KIP-516).

Bounds: two replicas; two records, one for each topic; one deletion; one crash; one reassignment. There are enough
    controller changes for a reassignment, the deletion with its end, a creation with its first leader, a fencing and a
    start.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, controller, environment, family
from kafkacheck.spec.cluster import elections, properties, topics

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={
        "max_records": 2,
        "max_leader_epoch": 3,
        "max_metadata_offset": 7,
        "crashes": 1,
        "moves": 1,
        "deletions": 1,
    },
    actions=[
        *family.ZOOKEEPER_ERA,
        brokers.broker_obeys_stop_replica,
        controller.controller_creates_partition,
        controller.controller_elects_first_leader,
        controller.controller_ends_deletion,
        environment.topic_deletion_is_asked,
        environment.reassignment_is_asked,
        environment.process_crashes,
    ],
    always=[*family.TOPICS, *family.SAFETY],
    sometimes=[
        properties.acknowledged_record,
        elections.new_partition,
        elections.offline_partition,
        topics.deletion_waits,
        topics.left_over_log,
        topics.new_topic_commits,
    ],
)
