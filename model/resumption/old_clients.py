"""Does nobody go back while no record is cut, if some clients know no leader epochs?

Bounds: as resumption, with elections that cut nothing, and two restarts. Each consumer is of an old client or of a new
    one.
Expected: HOLDS
"""

from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import family
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    bounds={"restarts": 2},
    rules=ResumptionRules(clients_are_new=False),
    actions=family.ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.metadata_is_too_old, properties.committed_epoch_is_unknown],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR,
)
