"""Does an acknowledged record survive if a leader replays a change of the ISR that it knows from the answer already?

This is finding F10 of `tests/kafka/findings`, by the rules of the newest release. The replay makes the leader forget
the ISR that it has proposed since, while the controller accepts it. The leader commits without the new member, which
is then elected.

Bounds: two replicas and one record, which a leader may commit alone (min.insync.replicas=1); one session expires.
Expected: VIOLATED acknowledged_records_survive
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.environment import session_expires
from kafkacheck.model.cluster.family import CLUSTER, ISR_CHANGES, REPLICATION
from kafkacheck.spec.cluster import properties, replay, steps

BOUNDS = {"max_broker_epoch": 0, "expirations": 1}
ACTIONS = (*REPLICATION, *ISR_CHANGES, broker_replays_metadata, session_expires)
ALWAYS = (
    properties.acknowledged_records_survive,
    properties.logs_match_by_epoch,
    properties.one_leader_in_epoch,
    steps.high_watermark_does_not_fall,
    replay.known_changes_void_no_proposal,
)

MODEL = CLUSTER.model(rules=ClusterRules(), bounds=BOUNDS, actions=ACTIONS, always=ALWAYS)
