"""Does each record in a compacted log keep the outcome of its transaction, although markers are removed, too?

Bounds: two transactions of two producers, with keys that have the same bytes as those of markers; two replicas, each
    with its own cleaner. One replica falls behind, and the leader changes.
Expected: HOLDS
"""

from kafkacheck.model.compaction import environment, system
from kafkacheck.model.compaction.family import COMPACTED, EXAMPLES_OF_REPLICAS, SAFETY_OF_REPLICAS
from kafkacheck.spec.compaction import properties

MODEL = COMPACTED.model(
    bounds={"transactional": 1, "producer_ids": 2, "batches": 2, "log_size": 4, "lags": 1, "failovers": 1},
    actions=[
        environment.producer_writes,
        system.leader_ends_transaction,
        system.follower_fetches,
        environment.follower_falls_behind,
        environment.leadership_moves,
        system.cleaner_cleans,
    ],
    always=[properties.markers_outlive_records, *SAFETY_OF_REPLICAS],
    sometimes=[
        *EXAMPLES_OF_REPLICAS,
        properties.committed_transaction,
        properties.aborted_transaction,
        properties.removed_batch,
        properties.removed_marker,
    ],
)
