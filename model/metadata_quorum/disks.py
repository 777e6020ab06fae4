"""Is committed metadata safe from a voter whose disk fails, and that comes back with an empty one?

It has neither the records that it had, nor its votes. By its id alone it would be taken for the voter that it was: it
would help to elect somebody who lacks what is committed, or a second leader in an epoch in which it has voted.

Bounds: three voters, of which two are a majority; one disk is lost. Two epochs, in each of which several may stand, and
    room for a LeaderChange record and another one. The older rule fails within them. For each disk more that is lost
    there has to be one id of records more (`max_records`).
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.controller.quorum import Quorum, QuorumRules
from kafkacheck.model.metadata_quorum.drawing import QUORUM_WITH_RESTARTS
from kafkacheck.model.metadata_quorum.environment import voter_disk_is_replaced
from kafkacheck.model.metadata_quorum.restarts import ELECTIONS, EXAMPLES, SAFETY

MODEL = Model(
    state=Quorum,
    bounds={
        "voters": 3,
        "log_size": 2,
        "max_records": 2,
        "max_leader_epoch": 2,
        "crashes": 0,
        "disk_losses": 1,
        "cuts": 0,
    },
    rules=QuorumRules(),
    actions=[*ELECTIONS, voter_disk_is_replaced],
    always=SAFETY,
    sometimes=EXAMPLES,
    drawing=QUORUM_WITH_RESTARTS,
)
