"""Is it enough that a broker which loses its replica is no longer eligible?

This is the mended rule of findings F5 and F8 of `tests/kafka/findings`. No release has it.

Bounds: those of `cluster.refused`, in which the newest release refuses the reassignment for ever.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER
from kafkacheck.model.cluster.refused.base import ACTIONS, ALWAYS, BOUNDS, FAIR, LEADS_TO
from kafkacheck.spec.cluster import properties

MODEL = ELIGIBLE_CLUSTER.model(
    rules=ClusterRules(eligible_leader_replicas=True, min_insync_replicas=2, eligible_replicas_are_assigned=True),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=[properties.acknowledged_record],
    leads_to=LEADS_TO,
    weakly_fair=FAIR,
)
