"""Does an acknowledged record survive if a broker loses its replica, gets another one, and is eligible all the time?

This is finding F5 of `tests/kafka/findings`, by the rules of the newest release. A reassignment to fewer replicas than
min.insync.replicas takes the partition from a broker, which becomes an eligible leader replica. That broker deletes its
log. While it is still eligible, it is given the partition again, and is elected before it has fetched.

Bounds: three replicas and one record, which all three must have at first (min.insync.replicas=3); two moves, which take
    the partition from the last broker and give it back; two expired sessions, so that the last broker is the only one
    left. The last broker stays alive, and elections follow the order of the brokers; one follower at a time has a
    request under way.
Expected: VIOLATED acknowledged_records_survive
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.environment import reassignment_is_asked, session_expires
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER, REPLICATION, one_fetch_under_way
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import eligible, properties, steps

BOUNDS = {"replicas": 3, "max_broker_epoch": 0, "expirations": 2, "moves": 2}


def last_broker_is_moved(state: State) -> bool:
    """Whether every move is one of the last broker, which is alive, and one fetch at most is under way."""
    last_id = len(state.brokers) - 1
    if last_id not in state.controller.history[state.controller.offset].active:
        return False
    for metadata in state.controller.history:
        if metadata.target != Ids() and len(metadata.target | {last_id}) <= last_id:
            return False
    return one_fetch_under_way(state)


ACTIONS = (*REPLICATION, broker_replays_metadata, reassignment_is_asked, session_expires)
ALWAYS = (
    properties.acknowledged_records_survive,
    properties.logs_match_by_epoch,
    properties.one_leader_in_epoch,
    steps.high_watermark_does_not_fall,
    eligible.appends_need_enough_replicas,
    eligible.only_unclean_leaders_recover,
)

MODEL = ELIGIBLE_CLUSTER.model(
    rules=ClusterRules(eligible_leader_replicas=True, min_insync_replicas=3, elections_follow_assignment=True),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    constraint=last_broker_is_moved,
)
