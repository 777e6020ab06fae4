"""Does a reassignment keep as many copies of a record as there were, if it ends when the added brokers are in sync?

By the rules of the newest release, Kafka 4.4, it does not (KAFKA-19975, since 4.3): a reassignment that adds at least
as many brokers as it removes ends although a member of the target that was assigned before is out of sync.

Bounds: three brokers; two have the partition, and one of these is out of sync; one reassignment; one record. The ISR
    grows by the added broker alone, and one follower at a time has a request under way.
Expected: VIOLATED reassignment_keeps_copies
"""

from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.environment import reassignment_is_asked, start_with_spare
from kafkacheck.model.cluster.family import CLUSTER, ISR_CHANGES, REPLICATION, one_fetch_under_way
from kafkacheck.spec.cluster import properties, steps
from kafkacheck.spec.cluster.record import reassignments_go_on

MODEL = CLUSTER.model(
    initial=start_with_spare,
    bounds={"replicas": 3, "max_leader_epoch": 1, "max_broker_epoch": 0, "moves": 1},
    actions=[*REPLICATION, *ISR_CHANGES, broker_replays_metadata, reassignment_is_asked],
    always=[
        steps.reassignment_keeps_copies,
        properties.acknowledged_records_survive,
        properties.one_leader_in_epoch,
        reassignments_go_on,
    ],
    sometimes=[properties.acknowledged_record],
    constraint=one_fetch_under_way,
)
