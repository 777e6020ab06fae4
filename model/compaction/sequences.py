"""Does a broker recognise a batch that it has stored, although the cleaner has removed the record?

Bounds: three writes of two producers to one replica, which must rebuild its producer state from the log twice; one
    write is sent again at any later time.
Expected: HOLDS
"""

from kafkacheck.model.compaction.environment import producer_state_is_rebuilt, write_is_repeated
from kafkacheck.model.compaction.family import COMPACTED, COMPACTION, SAFETY
from kafkacheck.spec.compaction.properties import emptied_batch, removed_batch, removed_tombstone

MODEL = COMPACTED.model(
    bounds={"replicas": 1, "producer_ids": 2, "log_size": 4, "retries": 1, "reloads": 2},
    actions=[*COMPACTION, write_is_repeated, producer_state_is_rebuilt],
    always=SAFETY,
    sometimes=[removed_batch, emptied_batch, removed_tombstone],
)
