"""Is every record processed, and no progress taken back, while consumers crash and are taken for dead?

Bounds: two consumers, two records; one handover, one crash, and one session of a live consumer that ends.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.delivery import environment, family, system
from kafkacheck.spec.delivery import properties

MODEL = family.DELIVERY.model(
    bounds={"moves": 1, "crashes": 1, "expirations": 1, "max_generation": 7},
    actions=[*family.ACTIONS, *family.FAILURES],
    always=[*family.SAFETY, properties.progress_is_not_taken_back],
    leads_to=family.PROGRESS,
    weakly_fair=[*family.FAIR, each(environment.dead_member_expires), each(system.consumer_joins_again)],
    sometimes=[properties.another_took_over],
)
