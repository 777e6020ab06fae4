"""Does one consumer at most own each partition if a live member is taken for gone, in a cooperative group?

Bounds: one session of a live consumer that ends, and one rebalance that does not wait.

Expected: HOLDS
"""

from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group import environment, family

MODEL = family.CLASSIC_GROUP.model(
    bounds={"expirations": 1, "timeouts": 1, "member_ids": 5, "max_generation": 9},
    rules=ClassicGroupRules(is_cooperative=True),
    actions=[*family.ACTIONS, environment.live_member_expires, environment.rebalance_times_out],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
