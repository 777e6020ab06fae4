"""Is it enough that a broker which loses its replica is no longer eligible?

This is the mended rule of finding F5 of `tests/kafka/findings`. No release has it.

Bounds: those of `cluster.lost_replica`, in which the newest release loses a record.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER
from kafkacheck.model.cluster.lost_replica.base import ACTIONS, ALWAYS, BOUNDS, last_broker_is_moved

MODEL = ELIGIBLE_CLUSTER.model(
    rules=ClusterRules(
        eligible_leader_replicas=True,
        min_insync_replicas=3,
        elections_follow_assignment=True,
        eligible_replicas_are_assigned=True,
    ),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    constraint=last_broker_is_moved,
)
