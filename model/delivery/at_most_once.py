"""If applications commit before they process, is no record processed twice while consumers are taken for dead?

Bounds: as delivery.at_least_once.
Expected: HOLDS
"""

from kafkacheck.impl.delivery.constants import CommitTime
from kafkacheck.impl.delivery.records import DeliveryRules
from kafkacheck.model.delivery import family
from kafkacheck.spec.delivery import properties

MODEL = family.DELIVERY.model(
    bounds={"moves": 1, "crashes": 1, "expirations": 1, "max_generation": 7},
    rules=DeliveryRules(commit_time=CommitTime.BEFORE_PROCESSING),
    actions=[*family.ACTIONS, *family.FAILURES],
    always=[*family.SAFETY, properties.progress_is_not_taken_back],
    sometimes=[properties.another_took_over],
)
