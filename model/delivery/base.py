"""Is each record processed exactly once, and in order, while a partition is handed over and nobody fails?

Bounds: two consumers, two records, one handover, and a rebalance that leaves the partition where it is.
Expected: HOLDS
"""

from kafkacheck.model.delivery import environment, family
from kafkacheck.spec.delivery import properties

MODEL = family.DELIVERY.model(
    bounds={"moves": 1, "rebalances": 1},
    actions=[*family.ACTIONS, environment.generation_rises],
    always=[*family.SAFETY, properties.handed_over_records_are_processed_once, properties.progress_is_not_taken_back],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR,
    sometimes=[properties.another_took_over],
)
