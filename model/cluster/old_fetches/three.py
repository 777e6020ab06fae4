"""Is an acknowledged record lost when a leader counts a fetch that it read in an earlier leader epoch?

The leader reads a follower's fetch and pauses. Meanwhile another broker leads, both others truncate their logs, and the
first leader leads again and appends another record at the same offset. Then it counts the old fetch.

Bounds: three replicas, because the broker that leads in between must lack the record; two records for one slot; three
    moves, to that broker, back, and to the follower. No ISR change is needed. No broker lags by more than one
    controller change, and one follower at a time has a request under way; without these two bounds the counterexample
    of the old rule is no shorter.
Expected: HOLDS, with the fix, which no release has; `cluster.old_fetches.counted` is without it.
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import brokers, environment, replication
from kafkacheck.model.cluster.family import CLUSTER, REPLICATION, one_fetch_under_way
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import properties, replay, steps


def one_step_behind(state: State) -> bool:
    """Whether at most one follower has a request under way, and every broker lacks at most one change."""
    for broker_id in range(len(state.brokers)):
        if state.brokers[broker_id].metadata_offset + 1 < state.controller.offset:
            return False
    return one_fetch_under_way(state)


ACTIONS = (
    *REPLICATION,
    brokers.broker_replays_metadata,
    replication.leader_reads_old_fetch,
    replication.leader_counts_old_fetch,
    environment.fetch_connection_breaks,
    environment.leadership_is_moved,
)
BOUNDS = {
    "replicas": 3,
    "max_records": 2,
    "max_leader_epoch": 3,
    "max_metadata_offset": 3,
    "max_broker_epoch": 0,
    "old_fetches": 1,
    "losses": 1,
    "moves": 3,
}

MODEL = CLUSTER.model(
    rules=ClusterRules(counted_fetch_is_of_epoch=True, known_change_keeps_proposal=True),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=[
        properties.acknowledged_records_survive,
        properties.logs_match_by_epoch,
        properties.one_leader_in_epoch,
        steps.high_watermark_does_not_fall,
        steps.stale_old_fetches_have_no_effect,
        steps.known_broker_epochs_do_not_fall,
        replay.only_leaders_know_followers,
        steps.read_fetches_fit,
        steps.read_fetches_count,
    ],
    constraint=one_step_behind,
)
