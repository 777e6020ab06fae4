"""Does a cluster of Kafka do what `cluster.kraft` says? The part of that model in which a recorded run can be.

It has neither crashes nor ISR changes because of lag: the run had none, and a step less can only explain less.

Bounds: those of the run: two brokers, two records in one slot, two elections, and a leader epoch more, without which
the controller would change nothing after the second one.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.controller import controller_alters_partition, controller_unfences_broker
from kafkacheck.model.cluster.environment import leadership_is_moved, session_expires
from kafkacheck.model.cluster.family import CLUSTER, REPLICATION, SAFETY
from kafkacheck.model.cluster.replication import leader_learns_of_change, leader_proposes_expansion

MODEL = CLUSTER.model(
    bounds={"expirations": 1, "moves": 1, "max_records": 2, "max_leader_epoch": 3, "max_broker_epoch": 0},
    actions=[
        *REPLICATION,
        leader_proposes_expansion,
        controller_alters_partition,
        leader_learns_of_change,
        broker_replays_metadata,
        controller_unfences_broker,
        session_expires,
        leadership_is_moved,
    ],
    always=SAFETY,
)
