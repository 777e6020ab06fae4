"""Is it enough that a reassignment keeps nothing of another one that it replaces?

This is the mended rule of finding F7 of `tests/kafka/findings`, and of F6 (`cluster.replaced.ends`). No release has it.
The controller always writes both lists, the brokers to add and those to remove, even if a list is empty. A broker of
the target is added if it had no replica before the former reassignment.

Bounds: those of `cluster.replaced`, in which the newest release takes away a replica that the operator keeps.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import start_with_spare
from kafkacheck.model.cluster.family import CLUSTER
from kafkacheck.model.cluster.replaced.base import ACTIONS, ALWAYS, BOUNDS, leader_keeps_its_replica

MODEL = CLUSTER.model(
    initial=start_with_spare,
    rules=ClusterRules(replaced_reassignment_is_forgotten=True, known_change_keeps_proposal=True),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=(),
    constraint=leader_keeps_its_replica,
)
