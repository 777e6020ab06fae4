"""Does KIP-101, by which a follower asks its leader where the follower's latest epoch ends, keep committed records?

Since Kafka 0.11 records carry the leader epoch in which they were written, and a replica that turns to a new epoch
asks the new leader for the end offset of its own latest epoch. A leader that has never seen that epoch either names
the start of a later one, which says nothing about where the two logs part, or knows no later one, and then the
follower falls back to its high watermark.

Bounds: two replicas, so that nothing but the truncation rule can be at fault: kip279 holds at the same bounds. The
    follower needs a committed record and one of an epoch that the next leader does not know (2 records), and three
    epochs: one for each record, and one to turn to (0, 1 and 2).
Expected: VIOLATED weak_isr: the follower is a deposed leader with a record of its own on top of a committed one; the
    new leader cannot tell where that record's epoch ends, and the follower cuts the committed record too.
"""

from kafkacheck.impl.enums import FetchFencing, TruncationRule
from kafkacheck.impl.replication.records import ReplicationRules
from kafkacheck.model.replication.family import ACTIONS, ALWAYS, REPLICATION, SOMETIMES_WITH_TWO_RECORDS

MODEL = REPLICATION.model(
    bounds={"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    rules=ReplicationRules(truncation=TruncationRule.KIP_101, fencing=FetchFencing.NONE),
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=SOMETIMES_WITH_TWO_RECORDS,
)
