"""Does an eager group converge if one consumer crashes and another one leaves?

Bounds: one crash, one that leaves.

Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.classic_group import environment, family, system

MODEL = family.CLASSIC_GROUP.model(
    bounds={"crashes": 1, "leaves": 1, "member_ids": 3, "max_generation": 6},
    actions=[
        *family.ACTIONS,
        *family.SILENCE,
        environment.consumer_crashes,
        environment.consumer_leaves,
        system.consumer_sends_leave,
    ],
    always=family.SAFETY,
    lemmas=family.LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_SILENCE, each(system.consumer_sends_leave)],
)
