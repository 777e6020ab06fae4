"""Does an acknowledged record survive if its leader hears in one change that it was replaced and elected again?

This is finding F1 of `tests/kafka/findings`, by the rules of the newest release. The leader keeps the end offsets of
its followers although they have followed another leader since, and have truncated. It raises its high watermark over
them, and answers the producer; then a follower without the record is elected.

Bounds: three replicas, because the broker that leads in between must lack the record; one record, which needs two
    brokers in sync (min.insync.replicas=2); one move, to the broker that lags; two expired sessions, that of this
    broker and then that of the leader. The ISR changes by failures only. The last broker lags, and is the first to be
    elected; one of the others at a time has a request under way.
Expected: VIOLATED acknowledged_records_survive
"""

from kafkacheck.impl.enums import Stage
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_delta
from kafkacheck.model.cluster.environment import leadership_is_moved, session_expires, start_in_sync_with_deltas
from kafkacheck.model.cluster.family import CLUSTER, EXAMPLES, REPLICATION, one_fetch_under_way
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import properties, replay, steps

BOUNDS = {
    "replicas": 3,
    "max_leader_epoch": 3,
    "max_metadata_offset": 3,
    "max_broker_epoch": 0,
    "metadata_deltas": 1,
    "expirations": 2,
    "moves": 1,
}


def last_broker_lags(state: State) -> bool:
    """Whether the last broker has sent no fetch, nobody else was elected first, and one fetch at most is under way."""
    last_id = len(state.fetches) - 1
    if any(metadata.leader_epoch == 1 and metadata.leader != last_id for metadata in state.controller.history):
        return False
    return state.fetches[last_id].stage == Stage.IDLE and one_fetch_under_way(state)


ACTIONS = (*REPLICATION, broker_replays_delta, leadership_is_moved, session_expires)
ALWAYS = (
    properties.acknowledged_records_survive,
    properties.logs_match_by_epoch,
    properties.one_leader_in_epoch,
    steps.high_watermark_does_not_fall,
    steps.leader_epoch_does_not_fall,
    replay.leaders_know_since_when,
    replay.new_leaders_know_no_follower,
    replay.awaited_records_are_acknowledged,
)
SOMETIMES = (*EXAMPLES, replay.replayed_metadata)

MODEL = CLUSTER.model(
    initial=start_in_sync_with_deltas,
    rules=ClusterRules(min_insync_replicas=2),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=SOMETIMES,
    constraint=last_broker_lags,
)
