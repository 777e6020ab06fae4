"""Is metadata that a majority of voters has ever lost when the quorum's leader changes?

A leader must not commit records of earlier epochs before a majority has a record of its own epoch: until then, a voter
with fewer but newer records can be elected instead.

Bounds: three voters, two of them a majority; four elections, and room for a record of a replaced leader and for the
    LeaderChange record of its next epoch.
Expected: HOLDS
"""

from kafkacheck.model.metadata_quorum.family import EXAMPLES, METADATA_QUORUM, SAFETY
from kafkacheck.model.metadata_quorum.system import (
    quorum_leader_appends,
    voter_fetches,
    voter_is_elected,
    voter_receives_record,
)
from kafkacheck.spec.metadata_quorum.properties import elections_begin_epochs

MODEL = METADATA_QUORUM.model(
    actions=[voter_is_elected, quorum_leader_appends, voter_fetches, voter_receives_record],
    always=[*SAFETY, elections_begin_epochs],
    sometimes=EXAMPLES,
)
