"""Is metadata that a majority of voters has ever lost when the quorum's leader changes?

A leader must not commit records of earlier epochs before a majority has a record of its own epoch: until then, a voter
with fewer but newer records can be elected instead.

Bounds: three voters, two of them a majority; four elections, and room for a record of a replaced leader and for the
    LeaderChange record of its next epoch.
Expected: HOLDS
"""

from kafkacheck.model.metadata_quorum import system
from kafkacheck.model.metadata_quorum.family import EXAMPLES, METADATA_QUORUM, SAFETY
from kafkacheck.spec.metadata_quorum import properties

MODEL = METADATA_QUORUM.model(
    actions=[system.voter_is_elected, system.quorum_leader_appends, system.voter_fetches, system.voter_receives_record],
    always=[*SAFETY, properties.elections_begin_epochs],
    sometimes=EXAMPLES,
)
