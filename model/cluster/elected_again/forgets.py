"""Is it enough that a leader which is elected again forgets its followers' end offsets if it skipped a leader epoch?

This is the mended rule of finding F1 of `tests/kafka/findings`. No release has it.

Bounds: those of `cluster.elected_again`, in which the newest release loses a record.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.elected_again.base import ACTIONS, ALWAYS, BOUNDS, SOMETIMES, last_broker_lags
from kafkacheck.model.cluster.environment import start_in_sync_with_deltas
from kafkacheck.model.cluster.family import CLUSTER

MODEL = CLUSTER.model(
    initial=start_in_sync_with_deltas,
    rules=ClusterRules(min_insync_replicas=2, skipped_epoch_forgets_followers=True),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=SOMETIMES,
    constraint=last_broker_lags,
)
