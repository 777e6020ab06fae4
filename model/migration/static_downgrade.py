"""Is a group a classic one again if a static member of the classic protocol replaces the last new one (KAFKA-17317)?

Bounds: a process of the classic protocol, and one of the new one that has the instance id of another classic process.
The process of the new protocol ends, and the other one starts.
Expected: HOLDS
    By the rules of Kafka 4.4 a partition can stay without a consumer: migration.replaced_waits.
"""

from kafkacheck.model.migration import environment, family
from kafkacheck.spec.migration import properties

MODEL = family.MIGRATION.model(
    bounds=family.STATIC,
    initial=environment.start_before_a_static_downgrade,
    actions=family.STATIC_ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.group_is_mixed, properties.all_partitions_are_of_the_classic_protocol],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR_STATIC,
)
