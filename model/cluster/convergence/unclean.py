"""Does a cluster heal after an unclean election, once the leader has declared that it has recovered?

Acknowledged records may be lost here. The replicas must still agree, and the ISR must grow again (KIP-704).

Bounds: two replicas; one of them is alone in the ISR and crashes; one record that is lost and one that takes its place.
    As in cluster.convergence, no behaviour ends at a bound.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.controller import controller_elects_uncleanly
from kafkacheck.model.cluster.convergence.healing import FAIR_IN_KRAFT, ISR_GROWTH
from kafkacheck.model.cluster.environment import process_crashes, start_alone
from kafkacheck.model.cluster.family import CLUSTER, KRAFT, REPLICATION
from kafkacheck.model.cluster.replication import leader_ends_recovery
from kafkacheck.spec.cluster.isr import answers_tell_the_record
from kafkacheck.spec.cluster.liveness import bounds_leave_room, converged, disturbed
from kafkacheck.spec.cluster.properties import acknowledged_record, logs_match_by_epoch, recovering_leader_is_alone

MODEL = CLUSTER.model(
    initial=start_alone,
    bounds={"max_records": 2, "max_leader_epoch": 5, "max_metadata_offset": 8, "crashes": 1},
    rules=ClusterRules(unclean_election=True, known_change_keeps_proposal=True),
    actions=[*REPLICATION, *ISR_GROWTH, *KRAFT, leader_ends_recovery, process_crashes, controller_elects_uncleanly],
    always=[recovering_leader_is_alone, logs_match_by_epoch, answers_tell_the_record, bounds_leave_room],
    sometimes=[acknowledged_record],
    leads_to=[(disturbed, converged)],
    weakly_fair=[*FAIR_IN_KRAFT, each(leader_ends_recovery)],
)
