"""Is it enough that a fetch carries the epoch of the last fetched record, so that followers truncate when they fetch?

The first draft of KIP-320: a replica that turns to a new epoch keeps its log and fetches. The leader compares the epoch
of the follower's last record with its own log; if they differ, the follower truncates. The leader raises the high
watermark and changes the ISR only for followers whose records match. But a matching record does not tell the follower's
current epoch.

Bounds: three replicas, one record and three epochs, as kip279 and for the same reasons. With two replicas, or with two
    epochs, the draft holds at every bound that was tried.
Expected: VIOLATED weak_isr: a follower in epoch 0 fetches a committed record of epoch 2 together with the high
    watermark, then learns that it led epoch 1, and believes the record committed in an ISR that does not have it. One
    step later strong_isr can fail as well: a follower whose fetch committed the record obeys epoch 1 and cuts it.
"""

from kafkacheck.impl.enums import FetchFencing, TruncationRule
from kafkacheck.impl.replication.records import ReplicationRules
from kafkacheck.model.replication import family, system

MODEL = family.REPLICATION.model(
    bounds={"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 2},
    rules=ReplicationRules(truncation=TruncationRule.ON_FETCH, fencing=FetchFencing.LAST_FETCHED_EPOCH),
    actions=(*family.ACTIONS, system.follower_truncate),
    always=family.ALWAYS,
    sometimes=family.SOMETIMES,
)
