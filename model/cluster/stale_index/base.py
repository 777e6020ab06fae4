"""Does a broker come back after an unclean stop, if min.insync.replicas has changed and the topic is deleted?

This is finding F9 of `tests/kafka/findings`, by the rules of the newest release. A change of min.insync.replicas ends
the eligibility of all replicas, but the controller's index of eligible replicas by broker keeps them. When the topic is
deleted, the index still names it. So the controller fails when the broker registers, and so does the next controller.

Liveness: fair is what healthy brokers and the controller do. Crashes and operators are not.

Bounds: two brokers with eligible leader replicas; one crash, one change of min.insync.replicas, and one deletion.
Expected: VIOLATED broker_is_away_leads_to_all_brokers_are_back
"""

from kafkacheck.checker.model import each
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.controller import controller_unfences_broker
from kafkacheck.model.cluster.convergence.healing import FAIR_REPLAY, FAIR_RESTARTS
from kafkacheck.model.cluster.environment import min_isr_is_lowered, process_crashes, topic_deletion_is_asked
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER, FAILURES, REPLICATION
from kafkacheck.spec.cluster import liveness, properties

BOUNDS = {
    "max_leader_epoch": 4,
    "max_metadata_offset": 7,
    "crashes": 1,
    "min_isr_changes": 1,
    "deletions": 1,
    "elr_index": 1,
}
ACTIONS = (
    *REPLICATION,
    *FAILURES,
    broker_replays_metadata,
    controller_unfences_broker,
    process_crashes,
    min_isr_is_lowered,
    topic_deletion_is_asked,
)
ALWAYS = (liveness.bounds_leave_room, properties.one_leader_in_epoch)
LEADS_TO = ((liveness.broker_is_away, liveness.all_brokers_are_back),)
FAIR = (*FAIR_RESTARTS, FAIR_REPLAY, each(controller_unfences_broker))

MODEL = ELIGIBLE_CLUSTER.model(
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=[properties.acknowledged_record],
    leads_to=LEADS_TO,
    weakly_fair=FAIR,
)
