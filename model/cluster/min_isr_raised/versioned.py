"""Is it enough that a raise of min.insync.replicas changes the version of the partition?

This is the mended rule of finding F2 of `tests/kafka/findings`. No release has it.

Bounds: those of `cluster.min_isr_raised`, in which the newest release loses a record.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import start_in_sync_by_low_min_isr
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER
from kafkacheck.model.cluster.min_isr_raised.base import ACTIONS, ALWAYS, BOUNDS

RULES = ClusterRules(
    eligible_leader_replicas=True,
    min_insync_replicas=2,
    raised_min_isr_changes_version=True,
    known_change_keeps_proposal=True,
)

MODEL = ELIGIBLE_CLUSTER.model(
    initial=start_in_sync_by_low_min_isr, rules=RULES, bounds=BOUNDS, actions=ACTIONS, always=ALWAYS
)
