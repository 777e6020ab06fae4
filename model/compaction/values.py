"""Does every replica and consumer have each key's last value, no matter which records the cleaner removes and when?

Bounds: three writes of two keys to two replicas, each with its own cleaner; one follower falls behind, and the leader
    changes twice, so that the first leader, whose log was cut, leads again.
Expected: HOLDS
"""

from kafkacheck.model.compaction.environment import follower_falls_behind, leadership_moves
from kafkacheck.model.compaction.family import COMPACTED, COMPACTION, EXAMPLES_OF_REPLICAS, SAFETY
from kafkacheck.model.compaction.system import follower_fetches
from kafkacheck.spec.compaction.properties import emptied_batch, removed_batch, removed_tombstone

MODEL = COMPACTED.model(
    bounds={"lags": 1, "failovers": 2},
    actions=[*COMPACTION, follower_fetches, follower_falls_behind, leadership_moves],
    always=SAFETY,
    sometimes=[*EXAMPLES_OF_REPLICAS, removed_batch, emptied_batch, removed_tombstone],
)
