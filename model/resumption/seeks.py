"""Is an answer dropped that is about a position which the consumer no longer has?

Bounds: as resumption, with one seek to the beginning.
Expected: HOLDS
"""

from kafkacheck.model.resumption import environment, family
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    bounds={"unclean_elections": 1, "seeks": 1},
    actions=[*family.ACTIONS, environment.unclean_leader_is_elected, environment.application_seeks_to_beginning],
    always=family.SAFETY,
    sometimes=[properties.position_is_cut, properties.answer_is_late],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR,
)
