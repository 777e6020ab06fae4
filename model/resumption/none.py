"""Is the application told of each cut, if no reset policy lets its consumer go on elsewhere?

Bounds: as resumption, with `auto.offset.reset=none`.
Expected: HOLDS
"""

from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import environment, family
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    bounds={"unclean_elections": 1},
    rules=ResumptionRules(auto_offset_reset=AutoOffsetReset.NONE),
    actions=[*family.WITHOUT_POLICY, environment.unclean_leader_is_elected],
    always=family.SAFETY,
    sometimes=[properties.position_is_cut, properties.application_is_told],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR_WITHOUT_POLICY,
)
