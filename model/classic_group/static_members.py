"""Does a group of static and dynamic members converge if another consumer takes a static one's place?

Bounds: three consumers, of which two have one instance id.
Expected: HOLDS
"""

from kafkacheck.model.classic_group import environment, family

MODEL = family.CLASSIC_GROUP.model(
    bounds={"consumers": 3, "partitions": 2, "member_ids": 4, "max_generation": 6},
    initial=environment.start_with_a_rival,
    actions=family.ACTIONS,
    always=family.SAFETY,
    lemmas=family.LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
