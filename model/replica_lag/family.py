"""Common parts of the models of a lagging follower.

Bounds: a producer sends `max_messages` messages, at most `max_burst` at once, in `max_time` ticks of the clock.
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.broker.lag import LagRules
from kafkacheck.model.replica_lag.environment import clock_ticks, follower_dies, producer_bursts, start_in_sync
from kafkacheck.model.replica_lag.system import State, follower_fetches, leader_drops_lagging
from kafkacheck.spec.replica_lag import properties

ENDS = ((properties.dead_follower_is_overdue, properties.follower_has_left),)

REPLICA_LAG = Family(
    state=State,
    initial=start_in_sync,
    bounds={"max_messages": 6, "max_time": 5, "max_burst": 5},
    rules=LagRules(),
    actions=[producer_bursts, clock_ticks, follower_fetches, leader_drops_lagging, follower_dies],
    always=[
        properties.live_follower_stays_in_sync,
        properties.complete_follower_stays_in_sync,
        properties.follower_leaves_late,
        properties.caught_up_time_is_true,
        properties.complete_follower_joins,
    ],
    sometimes=[properties.lagging_follower, properties.late_follower],
    leads_to=ENDS,
    weakly_fair=[leader_drops_lagging],  # `isr-expiration` is a scheduled task
)
