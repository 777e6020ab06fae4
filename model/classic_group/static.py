"""Is a static member fenced by another consumer with its instance id, and does the group converge?

Bounds: two consumers with one instance id.

Expected: HOLDS
"""

from kafkacheck.model.classic_group import environment, family

MODEL = family.CLASSIC_GROUP.model(
    bounds={"member_ids": 4, "max_generation": 6},
    initial=environment.start_with_one_instance,
    actions=family.ACTIONS,
    always=family.SAFETY,
    lemmas=family.LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
