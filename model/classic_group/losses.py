"""Does an eager group converge if requests and responses are lost?

Bounds: two losses, and a member id for each.

Expected: HOLDS
"""

from kafkacheck.model.classic_group import environment, family
from kafkacheck.spec.classic_group import properties

MODEL = family.CLASSIC_GROUP.model(
    bounds={"losses": 2, "member_ids": 5, "max_generation": 6},
    actions=[*family.ACTIONS, *family.SILENCE, environment.request_is_lost],
    always=[*family.SAFETY, properties.absent_members_can_come],
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_SILENCE],
)
