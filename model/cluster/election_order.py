"""Does every election choose the first replica of the assignment that may lead, whatever its reason?

The assignment lists the brokers by id. If a leader crashes or is shut down, the first active member of the ISR leads;
if there is none, the first active replica leads uncleanly; and the head of the assignment is preferred once it is in
sync again. The other models elect any candidate, because assignments come in every order; so every step of this model
is also one of theirs.

Bounds: three replicas, so that an election has two to choose from, one of them out of sync at first; no record, because
    elections do not look at logs; one crash, one shutdown and one preferred election; one follower at a time has a
    request under way.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.controller import (
    broker_starts,
    controller_alters_partition,
    controller_elects_uncleanly,
    controller_fences_broker,
    controller_unfences_broker,
)
from kafkacheck.model.cluster.environment import (
    leadership_is_moved,
    process_crashes,
    shutdown_is_asked,
    start_with_laggard,
)
from kafkacheck.model.cluster.family import CLUSTER, one_fetch_under_way
from kafkacheck.model.cluster.replication import (
    follower_sends_fetch,
    follower_uses_fetch,
    leader_answers_fetch,
    leader_learns_of_change,
    leader_proposes_expansion,
)
from kafkacheck.spec.cluster.elections import (
    elected_leader_is_first,
    leader_is_active,
    offline_partition,
    partition_changes_state_legally,
    preferred_election_is_needed,
    recovering_leader,
)
from kafkacheck.spec.cluster.properties import (
    isr_has_no_inactive,
    isr_is_covered,
    one_leader_in_epoch,
    recovering_leader_is_alone,
)

MODEL = CLUSTER.model(
    initial=start_with_laggard,
    bounds={"replicas": 3, "max_leader_epoch": 4, "max_metadata_offset": 7, "crashes": 1, "expirations": 1, "moves": 1},
    rules=ClusterRules(unclean_election=True, elections_follow_assignment=True),
    actions=[
        follower_sends_fetch,
        leader_answers_fetch,
        follower_uses_fetch,
        leader_proposes_expansion,
        controller_alters_partition,
        leader_learns_of_change,
        broker_replays_metadata,
        controller_unfences_broker,
        controller_fences_broker,
        broker_starts,
        controller_elects_uncleanly,
        process_crashes,
        shutdown_is_asked,
        leadership_is_moved,
    ],
    always=[
        elected_leader_is_first,
        preferred_election_is_needed,
        leader_is_active,
        partition_changes_state_legally,
        recovering_leader_is_alone,
        isr_has_no_inactive,
        isr_is_covered,
        one_leader_in_epoch,
    ],
    sometimes=[offline_partition, recovering_leader],
    constraint=one_fetch_under_way,
)
