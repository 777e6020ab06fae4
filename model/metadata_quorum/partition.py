"""Does a quorum leader that is cut off from the majority resign, and does the majority get a leader that commits?

Liveness, whether the network stays cut for ever or heals. The voters' actions are weakly fair: a time-out may come at
once, later, or never if the awaited message comes first. Every fairness condition is needed.

Bounds: three voters; any one of them may be cut off from the others, twice in all. Each cut costs at most one election,
    so that epochs and logs suffice (`elections_have_room`), and no behaviour ends at a bound. Logs have only
    LeaderChange records, because `metadata_quorum` judges all others.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.controller.check_quorum import quorum_leader_resigns, voter_replaces_leader
from kafkacheck.impl.controller.quorum import Quorum, QuorumRules, voter_fetches, voter_receives_record
from kafkacheck.model.metadata_quorum.drawing import QUORUM_WITH_NETWORK
from kafkacheck.model.metadata_quorum.environment import network_heals, network_is_cut
from kafkacheck.spec.metadata_quorum.liveness import (
    cuts_are_real,
    elections_have_room,
    every_leader_has_majority,
    heard_leader_is_kept,
    leader_without_majority,
    nothing_crosses_cut,
    quorum_is_stuck,
    quorum_works,
    resigned_quorum_leader,
    two_quorum_leaders,
)
from kafkacheck.spec.metadata_quorum.properties import (
    committed_metadata_stays,
    elections_begin_epochs,
    leaders_have_committed_metadata,
    one_leader_in_quorum_epoch,
    quorum_high_watermark_follows,
    quorum_logs_match,
    replaced_quorum_leader,
)

MODEL = Model(
    state=Quorum,
    bounds={
        "voters": 3,
        "log_size": 4,
        "max_records": 1,
        "max_leader_epoch": 4,
        "crashes": 0,
        "disk_losses": 0,
        "cuts": 2,
    },
    rules=QuorumRules(),
    actions=[
        voter_replaces_leader,
        voter_fetches,
        voter_receives_record,
        quorum_leader_resigns,
        network_is_cut,
        network_heals,
    ],
    always=[
        heard_leader_is_kept,
        leaders_have_committed_metadata,
        committed_metadata_stays,
        one_leader_in_quorum_epoch,
        quorum_logs_match,
        elections_begin_epochs,
        quorum_high_watermark_follows,
        elections_have_room,
        nothing_crosses_cut,
        cuts_are_real,
    ],
    sometimes=[two_quorum_leaders, resigned_quorum_leader, replaced_quorum_leader],
    leads_to=[(leader_without_majority, every_leader_has_majority), (quorum_is_stuck, quorum_works)],
    weakly_fair=[voter_replaces_leader, voter_fetches, voter_receives_record, quorum_leader_resigns],
    drawing=QUORUM_WITH_NETWORK,
)
