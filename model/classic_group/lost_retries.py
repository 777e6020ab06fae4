"""Does a cooperative group converge if requests and responses are lost?

Bounds: two losses, and a member id for each.

Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group import environment, family, system

MODEL = family.CLASSIC_GROUP.model(
    bounds={"losses": 2, "member_ids": 5, "max_generation": 8},
    rules=ClassicGroupRules(is_cooperative=True),
    actions=[*family.ACTIONS, system.pending_member_expires, environment.request_is_lost],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, each(system.pending_member_expires)],
)
