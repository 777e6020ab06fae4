"""Does a static member of the new protocol take the place of one of the classic protocol at once (KAFKA-17228)?

Bounds: two processes of the classic protocol, the second of which has the instance id of a process of the new one. The
second process ends, and the third one starts.
Expected: HOLDS
"""

from kafkacheck.model.migration import environment, family
from kafkacheck.spec.migration import properties

MODEL = family.MIGRATION.model(
    bounds=family.STATIC,
    initial=environment.start_before_a_static_upgrade,
    actions=family.STATIC_ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.group_is_mixed],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR_STATIC,
)
