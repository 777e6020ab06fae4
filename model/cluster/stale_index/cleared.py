"""Is it enough that replicas whose eligibility a change of min.insync.replicas ends leave the controller's index, too?

This is the mended rule of finding F9 of `tests/kafka/findings`. No release has it.

Bounds: those of `cluster.stale_index`, in which a broker of the newest release never comes back.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER
from kafkacheck.model.cluster.stale_index.base import ACTIONS, ALWAYS, BOUNDS, FAIR, LEADS_TO
from kafkacheck.spec.cluster import properties

MODEL = ELIGIBLE_CLUSTER.model(
    rules=ClusterRules(eligible_leader_replicas=True, min_insync_replicas=2, cleared_elr_leaves_index=True),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=[properties.acknowledged_record],
    leads_to=LEADS_TO,
    weakly_fair=FAIR,
)
