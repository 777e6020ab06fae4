"""Does a static member stay replaced, and does the group converge, if the coordinator changes?

Bounds: two consumers with one instance id, and one change of the coordinator.
Expected: HOLDS
"""

from kafkacheck.model.classic_group import environment, family
from kafkacheck.spec.classic_group import messages

MODEL = family.CLASSIC_GROUP.model(
    bounds={"failovers": 1, "member_ids": 5, "max_generation": 6},
    initial=environment.start_with_one_instance,
    actions=[*family.ACTIONS, environment.coordinator_fails_over],
    always=[*family.SAFETY, messages.the_log_has_the_group, messages.new_classic_coordinators_have_the_log],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
