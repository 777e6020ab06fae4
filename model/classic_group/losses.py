"""Does an eager group converge if requests and responses are lost?

Bounds: two losses, and a member id for each.

Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.classic_group import environment, family, system
from kafkacheck.spec.classic_group import properties

MODEL = family.CLASSIC_GROUP.model(
    bounds={"losses": 2, "member_ids": 5, "max_generation": 6},
    actions=[*family.ACTIONS, system.pending_member_expires, environment.request_is_lost],
    always=[*family.SAFETY, properties.absent_members_can_come],
    lemmas=family.LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, each(system.pending_member_expires)],
)
