"""Can a deleted topic affect a later topic of the same name (KRaft era)?

The controller removes a topic at once, even if brokers are down, and may create one of the same name; brokers replay
both changes at their own pace. So fetches and ISR changes of the old topic are under way while the new topic exists,
whose leader epochs and partition epochs begin anew; and a broker that was down comes back with the old log.

Bounds: two replicas; two records, one for each topic; one deletion, one crash. There are enough controller changes for
    a fencing, a deletion, a creation, a start and an unfencing.
Expected: HOLDS
"""

from kafkacheck.model.cluster import controller, environment, family
from kafkacheck.spec.cluster import properties, topics

MODEL = family.CLUSTER.model(
    bounds={"max_records": 2, "max_metadata_offset": 5, "crashes": 1, "deletions": 1},
    actions=[
        *family.KRAFT_ERA,
        controller.controller_creates_partition,
        environment.topic_deletion_is_asked,
        environment.process_crashes,
    ],
    always=[*family.TOPICS, *family.SAFETY],
    sometimes=[properties.acknowledged_record, topics.left_over_log, topics.new_topic_commits],
)
