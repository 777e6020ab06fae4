"""Does one consumer at most own each partition, and does the group converge, with the cooperative protocol?

Bounds: two consumers that join; nothing goes wrong.
Expected: HOLDS
"""

from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group import family

MODEL = family.CLASSIC_GROUP.model(
    rules=ClassicGroupRules(is_cooperative=True),
    bounds={"max_generation": 5},
    actions=family.ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
