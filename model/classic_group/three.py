"""Does a cooperative group of three consumers converge, and move no more partitions than it must?

Bounds: three consumers, four partitions.
Expected: HOLDS
"""

from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group import environment, family

MODEL = family.CLASSIC_GROUP.model(
    bounds={"consumers": 3, "partitions": 4, "member_ids": 4, "max_generation": 8},
    rules=ClassicGroupRules(is_cooperative=True),
    initial=environment.start_joining,
    actions=family.ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
