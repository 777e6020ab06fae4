"""Does one consumer at most own each partition, and does the group converge, with the eager protocol?

Bounds: two consumers that join; nothing goes wrong.
Expected: HOLDS
"""

from kafkacheck.model.classic_group import family
from kafkacheck.spec.classic_group import properties

MODEL = family.CLASSIC_GROUP.model(
    actions=family.ACTIONS,
    always=family.SAFETY,
    lemmas=family.LEMMAS,
    sometimes=[properties.request_is_parked],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
