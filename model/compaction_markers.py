"""Does each record in a compacted log keep the outcome of its transaction, although markers are removed, too?

Bounds: two transactions of two producers, with keys that have the same bytes as those of markers; two replicas, each
    with a cleaner of its own, of which one falls behind.
Expected: HOLDS
"""

from checker.model import Model
from impl.compaction.cleaner import cleaner_cleans
from impl.compaction.records import State
from impl.compaction.replica import follower_fetches, leader_ends_transaction
from impl.compaction.rules import CompactionRules
from model.compaction_environment import follower_falls_behind, producer_writes, start_compaction
from model.compactions import BOUNDS
from spec.compaction import (
    markers_outlive_records,
    removed_batch,
    removed_marker,
    replicas_keep_last_values,
    writes_are_stored_once,
)

MODEL = Model(
    name="compaction_markers",
    state=State,
    initial=start_compaction,
    bounds={**BOUNDS, "transactional": 1, "producer_ids": 2, "batches": 2, "log_size": 4, "lags": 1},
    rules=CompactionRules(),
    actions=[producer_writes, leader_ends_transaction, follower_fetches, follower_falls_behind, cleaner_cleans],
    always=[markers_outlive_records, replicas_keep_last_values, writes_are_stored_once],
    sometimes=[removed_batch, removed_marker],
)
