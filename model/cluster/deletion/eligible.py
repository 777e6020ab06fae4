"""Can a deleted topic affect a later topic of the same name by the state of eligible leader replicas?

With min.insync.replicas=2 the controller records the replicas that left the ISR (the ELR), the last leader, and whether
a leader that was elected uncleanly has yet to recover. A topic of the same name that is created after the brokers came
back must begin without any of that state; it needs all of it when its own replicas fail.

Bounds: two replicas; one record, for either topic; one deletion; two crashes, so that ISR and ELR can become empty.
    There are enough controller changes for an unclean election, a deletion and a creation, in any order with crashes.
Expected: HOLDS
"""

from kafkacheck.model.cluster.controller import controller_creates_partition
from kafkacheck.model.cluster.convergence.healing import ISR_GROWTH
from kafkacheck.model.cluster.environment import process_crashes, start_alone, topic_deletion_is_asked
from kafkacheck.model.cluster.family import ELIGIBLE, ELIGIBLE_CLUSTER, KRAFT, REPLICATION, SAFETY, TOPICS
from kafkacheck.spec.cluster import topics
from kafkacheck.spec.cluster.properties import acknowledged_record, recovering_leader_is_alone

MODEL = ELIGIBLE_CLUSTER.model(
    initial=start_alone,
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 6, "max_broker_epoch": 2, "crashes": 2, "deletions": 1},
    actions=[*REPLICATION, *ISR_GROWTH, *KRAFT, controller_creates_partition, topic_deletion_is_asked, process_crashes],
    always=[topics.topics_are_recorded_anew, recovering_leader_is_alone, *ELIGIBLE, *TOPICS, *SAFETY],
    sometimes=[
        acknowledged_record,
        topics.new_topic_commits,
        topics.new_topic_has_eligible,
        topics.eligible_replicas_are_forgotten,
        topics.recovery_is_forgotten,
    ],
)
