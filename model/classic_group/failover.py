"""Does one consumer at most own each partition, and does an eager group converge, if its coordinator changes?

Bounds: one change of the coordinator.
Expected: HOLDS
"""

from kafkacheck.model.classic_group import environment, family
from kafkacheck.spec.classic_group import messages

MODEL = family.CLASSIC_GROUP.model(
    bounds={"failovers": 1, "member_ids": 5, "max_generation": 6},
    actions=[*family.ACTIONS, environment.coordinator_fails_over],
    always=[*family.SAFETY, messages.the_log_has_the_group, messages.new_classic_coordinators_have_the_log],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
