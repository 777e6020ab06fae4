"""Has the partition the replicas that an operator asked for, if the request replaced a reassignment under way?

This is finding F7 of `tests/kafka/findings`, by the rules of the newest release. If the new request removes no broker,
the controller goes on removing those of the former request. They lose their replicas when the reassignment ends,
although the new request names them.

Bounds: three brokers; the leader and one more have the partition, which is empty; two moves, both of which keep the
    leader. One follower at a time has a request under way, and the leader asks for no smaller ISR.
Expected: VIOLATED reassignments_end_as_asked
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.enums import Stage
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.convergence.healing import ISR_GROWTH
from kafkacheck.model.cluster.environment import reassignment_is_asked, reassignment_is_replaced, start_with_spare
from kafkacheck.model.cluster.family import CLUSTER, one_fetch_under_way
from kafkacheck.model.cluster.replication import follower_sends_fetch, follower_uses_fetch, leader_answers_fetch
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import properties, record, replay

BOUNDS = {
    "replicas": 3,
    "max_leader_epoch": 3,
    "max_metadata_offset": 6,
    "max_broker_epoch": 0,
    "moves": 2,
    "noted_targets": 1,
}
ACTIONS = (
    follower_sends_fetch,
    leader_answers_fetch,
    follower_uses_fetch,
    *ISR_GROWTH,
    broker_replays_metadata,
    reassignment_is_asked,
    reassignment_is_replaced,
)
STEPS = (
    replay.only_assigned_followers_are_answered,
    record.every_change_has_an_effect,
    record.only_replacements_change_nothing,
    record.ended_reassignments_are_in_sync,
)
ALWAYS = (record.reassignments_end_as_asked, properties.one_leader_in_epoch, properties.isr_is_assigned, *STEPS)


def leader_keeps_its_replica(state: State) -> bool:
    """Whether no reassignment takes the partition from the first broker, and at most one fetch is under way."""
    for metadata in state.controller.history:
        if metadata.target != Ids() and 0 not in metadata.target:
            return False
    return one_fetch_under_way(state)


def only_added_broker_fetches(state: State) -> bool:
    """Whether only the last broker, which had no replica at first, has a request under way."""
    return state.fetches[0].stage == Stage.IDLE and state.fetches[1].stage == Stage.IDLE


MODEL = CLUSTER.model(
    initial=start_with_spare,
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=(),
    constraint=leader_keeps_its_replica,
)
