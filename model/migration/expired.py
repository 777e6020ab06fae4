"""Does a consumer of the new protocol come back if its session ends while all others use the classic protocol?

Its group is a classic one by then. The error that Kafka 4.4 answers ends the consumer: migration.expired_ends.

Bounds: a process of each protocol; one session ends.
Expected: HOLDS
"""

from kafkacheck.model.migration import environment, family
from kafkacheck.spec.migration import properties

MODEL = family.MIGRATION.model(
    bounds={"expirations": 1},
    actions=[*family.ACTIONS, environment.live_member_expires],
    always=family.SAFETY,
    sometimes=[properties.group_is_mixed],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
