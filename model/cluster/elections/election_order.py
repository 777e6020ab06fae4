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
from kafkacheck.model.cluster import brokers, controller, environment, family, replication
from kafkacheck.spec.cluster import elections, properties

MODEL = family.CLUSTER.model(
    initial=environment.start_with_laggard,
    bounds={"replicas": 3, "max_leader_epoch": 4, "max_metadata_offset": 7, "crashes": 1, "expirations": 1, "moves": 1},
    rules=ClusterRules(unclean_election=True, elections_follow_assignment=True, known_change_keeps_proposal=True),
    actions=[
        replication.follower_sends_fetch,
        replication.leader_answers_fetch,
        replication.follower_uses_fetch,
        replication.leader_proposes_expansion,
        controller.controller_alters_partition,
        replication.leader_learns_of_change,
        brokers.broker_replays_metadata,
        controller.controller_unfences_broker,
        controller.controller_fences_broker,
        brokers.broker_starts,
        controller.controller_elects_uncleanly,
        environment.process_crashes,
        environment.shutdown_is_asked,
        environment.leadership_is_moved,
    ],
    always=[
        elections.elected_leader_is_first,
        elections.preferred_election_is_needed,
        elections.leader_is_active,
        elections.partition_changes_state_legally,
        properties.recovering_leader_is_alone,
        properties.isr_has_no_inactive,
        properties.isr_is_covered,
        properties.one_leader_in_epoch,
    ],
    sometimes=[elections.offline_partition, elections.recovering_leader],
    constraint=family.one_fetch_under_way,
)
