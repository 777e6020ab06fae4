"""How does a partition stay without a consumer after a group is a classic one again (F17)?

By the rules of Kafka 4.4 a group does not rebalance if a static member of the classic protocol takes the place of the
last member of the new one. A third member that waited for a partition is never told that it has it.

Bounds: those of migration.static_downgrade.
Expected: VIOLATED has_not_converged_leads_to_has_converged
"""

from kafkacheck.model.migration import environment, family

MODEL = family.MIGRATION.model(
    bounds=family.STATIC,
    rules=family.MENDED._replace(replacement_rebalances=False),
    initial=environment.start_before_a_static_downgrade,
    actions=family.STATIC_ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR_STATIC,
)
