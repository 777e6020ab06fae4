"""Does the cluster, seen from outside, implement one append-only log of committed records?

Bounds: as cluster.kraft, with two records for the one slot, so that a second record could take a committed record's
    place; one crash and one move.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import leadership_is_moved, process_crashes
from kafkacheck.model.cluster.family import CLUSTER, KRAFT_ERA
from kafkacheck.spec.cluster import refinement

MODEL = CLUSTER.model(
    bounds={"max_records": 2, "max_metadata_offset": 4, "crashes": 1, "moves": 1},
    rules=ClusterRules(commits_are_noted=True, known_change_keeps_proposal=True),
    actions=[*KRAFT_ERA, process_crashes, leadership_is_moved],
    always=[
        refinement.committed_log_only_grows,
        refinement.brokers_serve_committed_log,
        refinement.acknowledged_records_are_committed,
    ],
)
