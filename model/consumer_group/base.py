"""Does one consumer at most own each partition, and does every group converge, while consumers join, leave and crash?

Bounds: two consumers that share two partitions; one crash and one departure, after which the other has all.
Expected: HOLDS
"""

from kafkacheck.model.consumer_group import family

MODEL = family.CONSUMER_GROUP.model(
    bounds={"crashes": 1, "leaves": 1},
    actions=[*family.ACTIONS, *family.DEPARTURES],
    always=family.SAFETY,
    lemmas=family.COORDINATOR_LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_DEPARTURES],
)
