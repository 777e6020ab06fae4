"""Is each record that retention leaves processed, even if a consumer's position is among the deleted ones?

Bounds: as delivery, with one record that is deleted, and one seek.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.delivery import environment, family, system
from kafkacheck.spec.delivery import properties

MODEL = family.DELIVERY.model(
    bounds={"moves": 1, "max_generation": 2, "seeks": 1, "deletions": 1},
    actions=[
        *family.ACTIONS,
        system.leader_tells_reset_offset,
        environment.record_is_deleted,
        environment.application_seeks,
    ],
    always=[*family.SAFETY, properties.resets_have_a_reason],
    sometimes=[properties.another_took_over, properties.position_is_gone],
    leads_to=family.PROGRESS,
    weakly_fair=[*family.FAIR, each(system.leader_tells_reset_offset)],
)
