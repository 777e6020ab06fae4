"""Is an acknowledged record lost when a leader counts a fetch that it read in an earlier leader epoch?

By the rules of the newest release, Kafka 4.4, it is (KAFKA-15590, which is open): the leader compares the leader epoch
only when it reads the fetch.

Bounds: those of `cluster.old_fetches.three`, which has the fix. The brokers lead in one order: the first one, the last
    one, which has sent no fetch before, the first one again, and the second one, whose fetch is late. Each broker
    learns of a change before the next one is made.
Expected: VIOLATED acknowledged_records_survive
"""

from kafkacheck.impl.enums import Stage
from kafkacheck.model.cluster.family import CLUSTER
from kafkacheck.model.cluster.old_fetches.three import ACTIONS, BOUNDS, one_step_behind
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import properties, replay, steps


def leaders_follow_one_order(state: State) -> bool:
    """Whether the brokers 0, 2, 0 and 1 lead in this order, only 1 has a late fetch, and 2 fetches after it has led."""
    for metadata in state.controller.history:
        if metadata.leader == 0 and metadata.leader_epoch % 2 != 0:
            return False
        if metadata.leader == 1 and metadata.leader_epoch != 3:
            return False
        if metadata.leader == 2 and metadata.leader_epoch != 1:
            return False
    if state.controller.history[state.controller.offset].leader_epoch <= 1 and state.fetches[2].stage != Stage.IDLE:
        return False
    if state.old_fetches[0].stage != Stage.IDLE or state.old_fetches[2].stage != Stage.IDLE:
        return False
    return one_step_behind(state)


MODEL = CLUSTER.model(
    bounds=BOUNDS,
    actions=ACTIONS,
    always=[
        properties.acknowledged_records_survive,
        properties.logs_match_by_epoch,
        properties.one_leader_in_epoch,
        steps.high_watermark_does_not_fall,
        replay.only_leaders_know_followers,
    ],
    constraint=leaders_follow_one_order,
)
