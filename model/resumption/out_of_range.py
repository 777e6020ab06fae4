"""Does a consumer begin again if its position is behind the log, and only then, although it cannot validate it?

Bounds: as resumption, with offsets that are committed without their epoch. What is read in another history is left to
    `resumption.bare_cut`.
Expected: HOLDS
"""

from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import environment, family, system
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    bounds={"unclean_elections": 1},
    rules=ResumptionRules(commits_name_epoch=False),
    actions=[*family.ACTIONS, environment.unclean_leader_is_elected, system.consumer_is_out_of_range],
    always=family.WITHOUT_HISTORY,
    sometimes=[properties.position_is_out_of_range],
    leads_to=[(properties.position_is_out_of_range, properties.position_is_in_range)],
    weakly_fair=[*family.FAIR, system.consumer_is_out_of_range],
)
