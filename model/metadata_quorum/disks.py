"""Is committed metadata safe if a voter's disk fails and the voter comes back with an empty one?

The voter has lost its records and its votes. Known by its id alone, it would still count as the same voter: it would
help to elect a leader that lacks committed records, or a second leader in an epoch in which it has voted.

Bounds: three voters, two of them a majority; one disk is lost. Two epochs, each with possibly several candidates, and
    room for a LeaderChange record and another one. The older rule fails within these bounds. Each further lost disk
    needs one more record id (`max_records`).
Expected: HOLDS
"""

from kafkacheck.model.metadata_quorum import environment, family
from kafkacheck.model.metadata_quorum.drawing import QUORUM_WITH_RESTARTS

MODEL = family.METADATA_QUORUM.model(
    bounds={"max_records": 2, "max_leader_epoch": 2, "disk_losses": 1},
    actions=[*family.ELECTIONS, environment.voter_disk_is_replaced],
    always=family.SAFETY_OF_ELECTIONS,
    sometimes=family.EXAMPLES_OF_ELECTIONS,
    drawing=QUORUM_WITH_RESTARTS,
)
