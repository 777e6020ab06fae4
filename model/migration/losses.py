"""Does a mixed group converge if a request or a response is lost?

Bounds: a process of each protocol; one request or response is lost, and one session of a live member ends.
Expected: HOLDS
"""

from kafkacheck.model.migration import environment, family
from kafkacheck.spec.migration import properties

MODEL = family.MIGRATION.model(
    bounds={"losses": 1, "expirations": 1},
    actions=[*family.ACTIONS, environment.live_member_expires, environment.request_is_lost],
    always=family.SAFETY,
    sometimes=[properties.group_is_mixed],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
