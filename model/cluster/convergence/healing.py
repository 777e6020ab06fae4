"""Fairness assumptions for the liveness of a cluster; none of them covers a disturbance.

Weak fairness suffices throughout: a step that a broker or the controller must take stays possible until it is taken or
something newer takes its place. Fairness is assumed of each broker separately (`each`), because each has its own
threads. Producers, crashes, lags and moves are not fair: they may never come.
"""

from kafkacheck.checker.model import each
from kafkacheck.model.cluster import brokers, controller, replication
from kafkacheck.model.cluster.brokers import broker_obeys_leader_and_isr, broker_replays_metadata

ISR_GROWTH = (
    replication.leader_proposes_expansion,
    controller.controller_alters_partition,
    replication.leader_learns_of_change,
)
"""The ISR changes without `leader_proposes_shrink`; the world proposes a shrink instead (`follower_lags`)."""

FAIR_REPLICATION = [
    each(replication.follower_sends_fetch),  # a fetcher thread asks again and again
    each(replication.leader_answers_fetch),  # a request that arrived is answered, or its connection ends
    each(replication.follower_uses_fetch),
    each(replication.leader_proposes_expansion),  # each fetch of a follower outside the ISR checks whether it may join
    each(controller.controller_alters_partition),
    each(replication.leader_learns_of_change),
]

FAIR_RESTARTS = [
    each(brokers.broker_starts),  # somebody starts a broker that is down
    each(controller.controller_fences_broker, "broker_id"),  # a session of a broker that is down expires
]

FAIR_REPLAY = each(broker_replays_metadata)  # a broker asks for the metadata log again and again

FAIR_IN_KRAFT = [
    *FAIR_REPLICATION,
    *FAIR_RESTARTS,
    FAIR_REPLAY,
    each(controller.controller_unfences_broker),  # by the broker's next heartbeat
]

FAIR_IN_ZOOKEEPER = [
    *FAIR_REPLICATION,
    *FAIR_RESTARTS,
    each(replication.follower_asks_epoch_end),
    each(replication.leader_answers_epoch_end),
    each(replication.follower_truncates),
    each(broker_obeys_leader_and_isr),  # the controller resends a request until it or a newer one is answered
]
