"""Does a group go back to the classic protocol while its consumers are restarted one after the other?

Bounds: a process of each protocol, and another one of the classic one, which starts at any time; two consumers leave.
Expected: HOLDS
"""

from kafkacheck.model.migration import environment, family
from kafkacheck.spec.migration import properties

MODEL = family.MIGRATION.model(
    bounds=family.ROLLING,
    initial=environment.start_before_the_downgrade,
    actions=family.ROLLING_ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.group_is_mixed, properties.all_partitions_are_of_the_classic_protocol],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR_ROLLING,
)
