"""Does a reassignment end although a broker that it removes is down for good?

Liveness: as in cluster.minority. It is judged only if all brokers of the target live, and one that may lead.

Bounds: three brokers; the leader and one more have the partition, which is empty, and one of these is out of sync; one
    reassignment and one crash. No behaviour ends at a bound.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.cluster import brokers, controller, environment, family, replication
from kafkacheck.model.cluster.minority.base import living_follower_joins
from kafkacheck.spec.cluster import liveness

MODEL = family.CLUSTER.model(
    initial=environment.start_with_spare,
    bounds={
        "replicas": 3,
        "max_leader_epoch": 4,
        "max_metadata_offset": 6,
        "max_broker_epoch": 0,
        "crashes": 1,
        "moves": 1,
    },
    actions=[
        replication.follower_sends_fetch,
        replication.leader_answers_fetch,
        replication.follower_uses_fetch,
        living_follower_joins,
        controller.controller_alters_partition,
        replication.leader_learns_of_change,
        brokers.broker_replays_metadata,
        controller.controller_fences_broker,
        environment.process_crashes,
        environment.reassignment_is_asked,
    ],
    always=[liveness.bounds_leave_room],
    sometimes=(),
    leads_to=[(liveness.reassignment_awaits_the_living, liveness.reassignment_has_ended_or_awaits_the_dead)],
    weakly_fair=[
        each(replication.follower_sends_fetch),
        each(replication.leader_answers_fetch),
        each(replication.follower_uses_fetch),
        each(living_follower_joins),
        each(controller.controller_alters_partition),
        each(replication.leader_learns_of_change),
        each(brokers.broker_replays_metadata),
        each(controller.controller_fences_broker, "broker_id"),
    ],
)
