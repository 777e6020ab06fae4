"""Does KIP-279, by which a follower finds the last record it shares with its leader, keep committed records?

Since Kafka 2.0 a follower cuts its log after the last record that it shares with its leader, so that its log is then a
prefix of that leader's. But nothing ensures yet that both are in the same epoch: a leader counts the fetches of a
follower that is still in an older epoch, and a follower may ask a broker that no longer, or does not yet, lead.

Bounds: three replicas, because with two the rule holds at every bound that was tried: the damage takes a leader, a
    follower whose fetch it counts, and another leader that the same follower obeys afterwards. One record and three
    epochs are enough: one that the follower is in, a newer one in which the record is written and committed, and one
    between them. (With two epochs only strong_isr fails, one step later: a new leader lets a replica into the ISR too
    early.)
Expected: VIOLATED weak_isr: the follower in epoch 0 fetches a record of epoch 2, which this fetch commits; then it
    observes the request of epoch 1, which was on its way all the time, and cuts the record again.
"""

from kafkacheck.impl.enums import FetchFencing, TruncationRule
from kafkacheck.impl.replication.records import ReplicationRules
from kafkacheck.model.replication.family import ACTIONS, ALWAYS, REPLICATION, SOMETIMES

MODEL = REPLICATION.model(
    bounds={"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 2},
    rules=ReplicationRules(truncation=TruncationRule.KIP_279, fencing=FetchFencing.NONE),
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=SOMETIMES,
)
