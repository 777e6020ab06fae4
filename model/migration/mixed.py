"""Do members of both protocols share a group, if all come at once?

Bounds: one process of each protocol, and two partitions.
Expected: HOLDS
"""

from kafkacheck.model.migration import family
from kafkacheck.spec.migration import properties

MODEL = family.MIGRATION.model(
    actions=family.ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.group_is_mixed],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
