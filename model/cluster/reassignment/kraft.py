"""Does a reassignment keep as many copies of a record as there were?

Bounds: three brokers; two have the partition, and one of these is out of sync; one reassignment. One follower at a time
    has a request under way.
Expected: HOLDS, with the fix: a reassignment always awaits its whole target. `cluster.reassignment.grown` lacks the
    fix, as Kafka does since 4.3.
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.environment import reassignment_is_asked, start_with_spare
from kafkacheck.model.cluster.family import CLUSTER, ISR_CHANGES, REPLICATION, SAFETY, one_fetch_under_way
from kafkacheck.spec.cluster.properties import acknowledged_record
from kafkacheck.spec.cluster.record import reassignments_go_on
from kafkacheck.spec.cluster.steps import reassignment_keeps_copies
from kafkacheck.spec.cluster.topics import replicas_are_deleted_when_told

MODEL = CLUSTER.model(
    initial=start_with_spare,
    rules=ClusterRules(grown_target_is_awaited=True, known_change_keeps_proposal=True),
    bounds={"replicas": 3, "max_leader_epoch": 1, "max_broker_epoch": 0, "moves": 1},
    actions=[*REPLICATION, *ISR_CHANGES, broker_replays_metadata, reassignment_is_asked],
    always=[reassignment_keeps_copies, *SAFETY, reassignments_go_on, replicas_are_deleted_when_told],
    sometimes=[acknowledged_record],
    constraint=one_fetch_under_way,
)
