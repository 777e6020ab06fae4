"""What a cluster surely does in the end, by which its liveness is judged: nothing here breaks anything.

Weak fairness suffices throughout: whatever a broker or the controller has to do stays to be done until it is done, or
until something newer takes its place. It is assumed of each broker by itself (`each`), as each has its own threads. Not
fair are producers, crashes, lags and moves: they may never come.
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.broker.fetch import leader_answers_epoch_end, leader_answers_fetch
from kafkacheck.impl.broker.fetcher import (
    follower_asks_epoch_end,
    follower_sends_fetch,
    follower_truncates,
    follower_uses_fetch,
)
from kafkacheck.impl.broker.isr import leader_learns_of_change, leader_proposes_expansion
from kafkacheck.impl.broker.metadata import broker_obeys_leader_and_isr, broker_replays_metadata
from kafkacheck.impl.controller.alter_partition import controller_alters_partition
from kafkacheck.impl.controller.brokers import broker_starts, controller_fences_broker, controller_unfences_broker

ISR_GROWTH = (leader_proposes_expansion, controller_alters_partition, leader_learns_of_change)
"""The changes of the ISR without `leader_proposes_shrink`, which the world does in its place (`follower_lags`)."""

FAIR_REPLICATION = [
    each(follower_sends_fetch),  # a fetcher thread asks again and again
    each(leader_answers_fetch),  # a request that arrived is answered, or its connection ends
    each(follower_uses_fetch),
    each(leader_proposes_expansion),  # each fetch of a follower outside the ISR looks whether it may join
    each(controller_alters_partition),
    each(leader_learns_of_change),
]

FAIR_RESTARTS = [
    each(broker_starts),  # somebody starts a broker that is down
    each(controller_fences_broker, "broker_id"),  # a session of a broker that is down expires
]

FAIR_REPLAY = each(broker_replays_metadata)  # a broker asks for the metadata log again and again

FAIR_IN_KRAFT = [
    *FAIR_REPLICATION,
    *FAIR_RESTARTS,
    FAIR_REPLAY,
    each(controller_unfences_broker),  # by the broker's next heartbeat
]

FAIR_IN_ZOOKEEPER = [
    *FAIR_REPLICATION,
    *FAIR_RESTARTS,
    each(follower_asks_epoch_end),
    each(leader_answers_epoch_end),
    each(follower_truncates),
    each(broker_obeys_leader_and_isr),  # the controller sends a request again until it is answered, or a newer one is
]
