"""Does a follower that cuts its log at its own high watermark keep committed records?

Until Kafka 0.11 a replica that turned to a new leader epoch threw away everything above its own high watermark and
fetched it again. Its high watermark comes from the leader's last fetch response, so it lags: the follower throws away
records that the leader has counted as committed because of its fetches, and may be elected before it has them back.

Bounds: the smallest at which anything can be lost. Two replicas, one record, and one more epoch to turn to: the
    follower has the record, the leader commits it, the follower observes the next request and cuts.
Expected: VIOLATED weak_isr; strong_isr fails at most one step later, at these and at larger bounds.
"""

from kafkacheck.impl.enums import FetchFencing, TruncationRule
from kafkacheck.impl.replication.records import ReplicationRules
from kafkacheck.model.replication.family import ACTIONS, ALWAYS, REPLICATION, SOMETIMES

MODEL = REPLICATION.model(
    bounds={"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    rules=ReplicationRules(truncation=TruncationRule.HIGH_WATERMARK, fencing=FetchFencing.NONE),
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=SOMETIMES,
)
