"""Does an acknowledged record survive if min.insync.replicas is raised while an ISR change is on its way?

This is finding F2 of `tests/kafka/findings`, by the rules of the newest release. The controller has the new value, and
keeps a follower that leaves the ISR eligible; the leader has the old one, and commits alone. The follower is elected.

Bounds: two replicas and one record; min.insync.replicas is raised from 1 to 2; one session expires.
Expected: VIOLATED acknowledged_records_survive
"""

from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.environment import min_isr_is_raised, session_expires, start_in_sync_by_low_min_isr
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER, ISR_CHANGES, REPLICATION
from kafkacheck.spec.cluster import eligible, messages, properties, steps

BOUNDS = {"max_broker_epoch": 0, "expirations": 1, "min_isr_changes": 1}
ACTIONS = (*REPLICATION, *ISR_CHANGES, broker_replays_metadata, min_isr_is_raised, session_expires)
ALWAYS = (
    properties.acknowledged_records_survive,
    properties.logs_match_by_epoch,
    properties.one_leader_in_epoch,
    steps.high_watermark_does_not_fall,
    eligible.appends_need_enough_replicas,
    eligible.leavers_stay_eligible,
    messages.disturbances_are_real,
)

MODEL = ELIGIBLE_CLUSTER.model(initial=start_in_sync_by_low_min_isr, bounds=BOUNDS, actions=ACTIONS, always=ALWAYS)
