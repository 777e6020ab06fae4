"""Does `replica.lag.max.messages` keep a follower that fetches all the time in the ISR?

Bounds: as replica_lag, with `replica.lag.max.messages` 4.
Expected: VIOLATED live_follower_stays_in_sync: a burst of five messages is more than four before the follower could
    fetch any. It rejoins with its next fetches, and leaves again with the next burst. Kafka 0.9 took the rule out.
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.broker.lag import LaggingPartition, LagRules
from kafkacheck.impl.constants import LagRule
from kafkacheck.model.replica_lag.base import ACTIONS, BOUNDS, EXAMPLES, FAIR, SAFETY, start_in_sync
from kafkacheck.spec.replica_lag.properties import (
    dead_follower_is_overdue,
    follower_has_left,
    follower_is_far_behind,
    follower_is_near_or_out,
)

MODEL = Model(
    state=LaggingPartition,
    initial=start_in_sync,
    bounds=BOUNDS,
    rules=LagRules(rule=LagRule.MAX_MESSAGES, most_messages=4),
    actions=ACTIONS,
    always=SAFETY,
    sometimes=EXAMPLES,
    leads_to=[(dead_follower_is_overdue, follower_has_left), (follower_is_far_behind, follower_is_near_or_out)],
    weakly_fair=FAIR,
)
