"""Are committed records safe once leader and follower check each other's leader epoch?

KIP-320 as it was built (Kafka 2.1): every fetch and every OffsetsForLeaderEpoch request carries the follower's leader
epoch, and a leader answers only within its own. In addition, a leader lets a replica into the ISR only once the high
watermark has reached the leader's own epoch (KAFKA-7128). The truncation rule is that of KIP-279.

Bounds: each of the broken generations fails within them, and so does every other pair of a truncation rule with a
    fetch fencing. Two records in a log of two let logs diverge above a common record; three epochs let a request
    arrive out of order between an older and a newer one; three replicas let a follower obey two leaders.
Expected: HOLDS, also at larger bounds (tests/data/tlc.json has them).
"""

from kafkacheck.impl.enums import FetchFencing, TruncationRule
from kafkacheck.impl.replication.records import ReplicationRules
from kafkacheck.model.replication.family import ACTIONS, ALWAYS, REPLICATION, SOMETIMES_WITH_TWO_RECORDS

MODEL = REPLICATION.model(
    bounds={"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    rules=ReplicationRules(truncation=TruncationRule.KIP_279, fencing=FetchFencing.CURRENT_LEADER_EPOCH),
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=SOMETIMES_WITH_TWO_RECORDS,
)
