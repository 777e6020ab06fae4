"""Is a follower of another leader epoch fenced if it fetches in a session that it opened earlier?

The leader reads an incremental fetch from the session's data. So the session must have the follower's leader epoch, and
the leader must compare it with its own in every fetch.

Bounds: two replicas and one record; one crash, after which the leader has no session any more; two moves. Three leader
    epochs are enough for a stale fetch that counts. Such a fetch loses an acknowledged record only with two records and
    three moves, as in the museum's entry.
Expected: HOLDS
"""

from kafkacheck.model.cluster.environment import leadership_is_moved, process_crashes
from kafkacheck.model.cluster.family import EPOCH_QUESTIONS, REPLICATION, SAFETY, ZOOKEEPER, ZOOKEEPER_CLUSTER
from kafkacheck.spec.cluster.steps import fetches_go_by_sessions, sessions_end_with_process

MODEL = ZOOKEEPER_CLUSTER.model(
    bounds={"fetch_sessions": 1, "max_metadata_offset": 3, "crashes": 1, "moves": 2},
    actions=[*REPLICATION, *EPOCH_QUESTIONS, *ZOOKEEPER, process_crashes, leadership_is_moved],
    always=[*SAFETY, fetches_go_by_sessions, sessions_end_with_process],
)
