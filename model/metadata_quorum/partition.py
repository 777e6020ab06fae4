"""Does a quorum leader that is cut off from the majority resign, and does the majority get a leader that commits?

Liveness, whether the network stays cut for ever or heals. The voters' actions are weakly fair: a time-out may come at
once, later, or never if the awaited message comes first. Every fairness condition is needed.

Bounds: three voters; any one of them may be cut off from the others, twice in all. Each cut costs at most one election,
    so that epochs and logs suffice (`elections_have_room`), and no behaviour ends at a bound. Logs have only
    LeaderChange records, because `metadata_quorum` judges all others.
Expected: HOLDS
"""

from kafkacheck.model.metadata_quorum import environment, system
from kafkacheck.model.metadata_quorum.drawing import QUORUM_WITH_NETWORK
from kafkacheck.model.metadata_quorum.family import METADATA_QUORUM, SAFETY
from kafkacheck.spec.metadata_quorum import liveness, properties

MODEL = METADATA_QUORUM.model(
    bounds={"log_size": 4, "cuts": 2},
    actions=[
        system.voter_replaces_leader,
        system.voter_fetches,
        system.voter_receives_record,
        system.quorum_leader_resigns,
        environment.network_is_cut,
        environment.network_heals,
    ],
    always=[
        liveness.heard_leader_is_kept,
        *SAFETY,
        properties.elections_begin_epochs,
        liveness.elections_have_room,
        liveness.nothing_crosses_cut,
        liveness.cuts_are_real,
    ],
    sometimes=[liveness.two_quorum_leaders, liveness.resigned_quorum_leader, properties.replaced_quorum_leader],
    leads_to=[
        (liveness.leader_without_majority, liveness.every_leader_has_majority),
        (liveness.quorum_is_stuck, liveness.quorum_works),
    ],
    weakly_fair=[
        system.voter_replaces_leader,
        system.voter_fetches,
        system.voter_receives_record,
        system.quorum_leader_resigns,
    ],
    drawing=QUORUM_WITH_NETWORK,
)
