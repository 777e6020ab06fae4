"""Does `replica.lag.max.messages` keep a follower that fetches all the time in the ISR?

Bounds: as replica_lag, with `replica.lag.max.messages` 4.
Expected: VIOLATED live_follower_stays_in_sync: a burst of five messages is more than four before the follower could
    fetch any. It rejoins with its next fetches, and leaves again with the next burst. Kafka 0.9 removed the rule.
"""

from kafkacheck.impl.broker.lag import LagRules
from kafkacheck.impl.enums import LagRule
from kafkacheck.model.replica_lag.family import ENDS, REPLICA_LAG
from kafkacheck.spec.replica_lag.properties import follower_is_far_behind, follower_is_near_or_out

MODEL = REPLICA_LAG.model(
    rules=LagRules(rule=LagRule.MAX_MESSAGES, most_messages=4),
    leads_to=[*ENDS, (follower_is_far_behind, follower_is_near_or_out)],
)
