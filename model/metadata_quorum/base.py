"""Is metadata that a majority of voters has ever lost when the quorum's leader changes?

A leader must not commit records of earlier epochs before a majority has a record of its own epoch: until then, a voter
with fewer but newer records can be elected instead.

Bounds: three voters, two of them a majority; four elections, and room for a record of a replaced leader and for the
    LeaderChange record of its next epoch.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.controller.quorum import (
    Quorum,
    QuorumRules,
    quorum_leader_appends,
    voter_fetches,
    voter_is_elected,
    voter_receives_record,
)
from kafkacheck.model.metadata_quorum.drawing import QUORUM
from kafkacheck.spec.metadata_quorum.properties import (
    all_voters_commit,
    committed_metadata_stays,
    elections_begin_epochs,
    leaders_have_committed_metadata,
    one_leader_in_quorum_epoch,
    outvoted_record,
    quorum_high_watermark_follows,
    quorum_logs_match,
    replaced_quorum_leader,
)

MODEL = Model(
    state=Quorum,
    bounds={
        "voters": 3,
        "log_size": 2,
        "max_records": 1,
        "max_leader_epoch": 4,
        "crashes": 0,
        "disk_losses": 0,
        "cuts": 0,
    },
    rules=QuorumRules(),
    actions=[voter_is_elected, quorum_leader_appends, voter_fetches, voter_receives_record],
    always=[
        leaders_have_committed_metadata,
        committed_metadata_stays,
        one_leader_in_quorum_epoch,
        quorum_logs_match,
        elections_begin_epochs,
        quorum_high_watermark_follows,
    ],
    sometimes=[all_voters_commit, replaced_quorum_leader, outvoted_record],
    drawing=QUORUM,
)
