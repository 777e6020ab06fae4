"""Does a consumer that begins at the end go back only if records are cut?

Bounds: as resumption, with `auto.offset.reset=latest` and elections that cut nothing.
Expected: HOLDS
"""

from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import family
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    rules=ResumptionRules(auto_offset_reset=AutoOffsetReset.LATEST),
    actions=family.ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.metadata_is_too_old, properties.begins_at_the_end],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR,
)
