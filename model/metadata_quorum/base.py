"""Is metadata that a majority has ever lost when the leaders of the quorum change?

A leader must not count records of earlier epochs as committed before a majority has one of its own: whoever has a newer
record than those, although fewer, can be elected instead.

Bounds: three voters, of which two are a majority; four elections, and room for a record of a leader that was replaced
    and for the LeaderChange record of its next epoch.
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
