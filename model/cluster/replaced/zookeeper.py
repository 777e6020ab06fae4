"""Has the partition a leader if a reassignment replaces another one, which has added the leader (ZooKeeper era)?

An operator may also name the replicas from before, and so cancel the reassignment.

Bounds: three brokers; the leader and one more have the partition, which is empty, and one of these is out of sync;
    three moves: a reassignment, a preferred election, and the other reassignment. Only the broker without a replica
    fetches, and nobody leaves the ISR for its lag. Four changes of the controller are enough for the bug.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_obeys_leader_and_isr
from kafkacheck.model.cluster.convergence.healing import ISR_GROWTH
from kafkacheck.model.cluster.environment import (
    leadership_is_moved,
    reassignment_is_asked,
    reassignment_is_replaced,
    start_with_spare,
)
from kafkacheck.model.cluster.family import ZOOKEEPER_CLUSTER
from kafkacheck.model.cluster.replaced.base import only_added_broker_fetches
from kafkacheck.model.cluster.replication import follower_sends_fetch, follower_uses_fetch, leader_answers_fetch
from kafkacheck.spec.cluster import elections, messages, properties, record

MODEL = ZOOKEEPER_CLUSTER.model(
    initial=start_with_spare,
    bounds={"replicas": 3, "max_leader_epoch": 3, "max_metadata_offset": 4, "max_broker_epoch": 0, "moves": 3},
    actions=[
        follower_sends_fetch,
        leader_answers_fetch,
        follower_uses_fetch,
        *ISR_GROWTH,
        broker_obeys_leader_and_isr,
        reassignment_is_asked,
        reassignment_is_replaced,
        leadership_is_moved,
    ],
    always=[
        record.leader_is_elected_where_possible,
        elections.leader_is_active,
        properties.one_leader_in_epoch,
        properties.isr_is_assigned,
        record.isr_is_never_empty,
        record.every_change_has_an_effect,
        record.ended_reassignments_are_in_sync,
        messages.disturbances_are_real,
        record.leader_epoch_counts_leaders,
        record.reassignments_reach_brokers,
    ],
    sometimes=(),
    constraint=only_added_broker_fetches,
)
