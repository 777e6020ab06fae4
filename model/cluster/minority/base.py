"""Is a write acknowledged, a leader elected, and a record read, although a minority of the brokers is down for good?

This is finding F23 of `tests/kafka/findings`: by the rules of the newest release a write may wait for ever. A leader
asks to let a follower into its ISR, and from then on its high watermark waits for that follower, which dies. The
controller refuses the follower, and the leader returns to its ISR. But it does not look at its high watermark again,
until somebody fetches or writes.

Liveness: nobody starts a broker again, and nobody has to write or to fetch again. A leader finds some time that a dead
member of its ISR lags, before or after the controller has fenced that broker. The rest is as in cluster.convergence.

Bounds: two replicas and one record; one crash, and one follower that lags. One of two brokers is not a minority; but
    with min.insync.replicas of 1 one broker is enough, as two of three are otherwise. No behaviour ends at a bound.
Expected: VIOLATED writes_wait_leads_to_writes_are_done
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.ids import ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import clients, controller, environment, family, replication
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import liveness, messages, properties


def leader_misses_dead_follower(
    state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId
) -> bool:
    """A leader finds that a follower lags, which is down: the fetches that would show otherwise never come."""
    if state.brokers[follower_id].is_running:
        return False
    return replication.leader_proposes_shrink(state, rules, leader_id, follower_id)


def living_follower_joins(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader proposes to add a follower, which Kafka's leader does when it has read a fetch of the follower."""
    if not state.brokers[follower_id].is_running:
        return False
    return replication.leader_proposes_expansion(state, rules, leader_id, follower_id)


BOUNDS = {"max_leader_epoch": 3, "max_metadata_offset": 6, "max_broker_epoch": 0, "crashes": 1, "expirations": 1}
ACTIONS = (
    *family.REPLICATION,
    living_follower_joins,
    leader_misses_dead_follower,
    controller.controller_alters_partition,
    replication.leader_learns_of_change,
    broker_replays_metadata,
    controller.controller_fences_broker,
    environment.process_crashes,
    environment.follower_lags,
    *family.CONSUMER_READS,
)
ALWAYS = (liveness.bounds_leave_room, messages.disturbances_are_real)
LEADS_TO = ((liveness.writes_wait, liveness.writes_are_done), (liveness.consumer_lags, liveness.consumer_has_all))
FAIR = (
    each(replication.follower_sends_fetch),
    each(replication.leader_answers_fetch),
    each(replication.follower_uses_fetch),
    each(living_follower_joins),
    each(leader_misses_dead_follower),  # the ISR is looked at again and again (`isr-expiration`)
    each(controller.controller_alters_partition),
    each(replication.leader_learns_of_change),
    each(broker_replays_metadata),
    each(controller.controller_fences_broker, "broker_id"),
    each(clients.consumer_learns_leader),
    clients.consumer_validates_position,
    clients.consumer_reads,
)

EXAMPLES = (properties.acknowledged_record,)

MODEL = family.CONSUMER_CLUSTER.model(
    bounds=BOUNDS, actions=ACTIONS, always=ALWAYS, sometimes=EXAMPLES, leads_to=LEADS_TO, weakly_fair=FAIR
)
