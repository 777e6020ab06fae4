"""Does each record in a compacted log keep the outcome of its transaction, although markers are removed, too?

Bounds: two transactions of two producers, with keys that have the same bytes as those of markers; two replicas, each
    with its own cleaner. One replica falls behind, and the leader changes.
Expected: HOLDS
"""

from kafkacheck.model.compaction.environment import follower_falls_behind, leadership_moves, producer_writes
from kafkacheck.model.compaction.family import COMPACTED, EXAMPLES_OF_REPLICAS, SAFETY_OF_REPLICAS
from kafkacheck.model.compaction.system import cleaner_cleans, follower_fetches, leader_ends_transaction
from kafkacheck.spec.compaction.properties import (
    aborted_transaction,
    committed_transaction,
    markers_outlive_records,
    removed_batch,
    removed_marker,
)

MODEL = COMPACTED.model(
    bounds={"transactional": 1, "producer_ids": 2, "batches": 2, "log_size": 4, "lags": 1, "failovers": 1},
    actions=[
        producer_writes,
        leader_ends_transaction,
        follower_fetches,
        follower_falls_behind,
        leadership_moves,
        cleaner_cleans,
    ],
    always=[markers_outlive_records, *SAFETY_OF_REPLICAS],
    sometimes=[*EXAMPLES_OF_REPLICAS, committed_transaction, aborted_transaction, removed_batch, removed_marker],
)
