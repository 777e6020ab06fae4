"""How does a consumer of the new protocol end because its session has, and all others use the classic protocol (F16)?

By the rules of Kafka 4.4 a heartbeat to a group that is a classic one by now is answered with GROUP_ID_NOT_FOUND, which
a consumer takes for the end.

Bounds: those of migration.expired.
Expected: VIOLATED nobody_ends_without_a_fault
"""

from kafkacheck.model.migration import environment, family
from kafkacheck.spec.migration import properties

MODEL = family.MIGRATION.model(
    bounds={"expirations": 1},
    rules=family.MENDED._replace(fenced_member_may_return=False),
    actions=[*family.ACTIONS, environment.live_member_expires],
    always=family.SAFETY,
    sometimes=[properties.group_is_mixed],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
