"""If consumers begin at the end where nothing is committed, is each record processed that a commit does not excuse?

Bounds: as delivery, with one error when the committed offset is asked for.
Expected: HOLDS
"""

from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.delivery.records import DeliveryRules
from kafkacheck.model.delivery import environment, family
from kafkacheck.spec.delivery import properties

MODEL = family.DELIVERY.model(
    bounds={"moves": 1, "rebalances": 1, "errors": 1},
    rules=DeliveryRules(auto_offset_reset=AutoOffsetReset.LATEST),
    actions=[*family.ACTIONS, environment.generation_rises, environment.offset_fetch_fails],
    always=[*family.SAFETY, properties.progress_is_not_taken_back],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR,
    sometimes=[properties.another_took_over],
)
