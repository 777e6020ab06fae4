"""Does an acknowledged record survive two reassignments, of which the second replaces or cancels the first (KRaft)?

Either may add or remove replicas, also the leader's.

Bounds: three brokers; the leader and one more have the partition, and one of these is out of sync; one record; two
    moves, of which one may change nothing. Only the broker without a replica fetches, and no leader asks for a smaller
    ISR.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.convergence.healing import ISR_GROWTH
from kafkacheck.model.cluster.environment import (
    reassignment_is_asked,
    reassignment_is_cancelled,
    reassignment_is_replaced,
    start_with_spare,
)
from kafkacheck.model.cluster.family import CLUSTER, REPLICATION, SAFETY
from kafkacheck.model.cluster.replaced.base import only_added_broker_fetches
from kafkacheck.spec.cluster import messages, properties, record

MODEL = CLUSTER.model(
    initial=start_with_spare,
    bounds={"replicas": 3, "max_leader_epoch": 3, "max_metadata_offset": 3, "max_broker_epoch": 0, "moves": 2},
    actions=[
        *REPLICATION,
        *ISR_GROWTH,
        broker_replays_metadata,
        reassignment_is_asked,
        reassignment_is_replaced,
        reassignment_is_cancelled,
    ],
    always=[
        *(each for each in SAFETY if each is not messages.disturbances_are_real),
        properties.isr_is_assigned,
        record.ended_reassignments_are_in_sync,
        record.only_replacements_change_nothing,
        record.reassignments_reach_brokers,
    ],
    sometimes=[properties.acknowledged_record, record.deleted_replica],
    constraint=only_added_broker_fetches,
)
