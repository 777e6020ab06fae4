"""How do partitions stay without a consumer after a group in a rebalance has become one of the new protocol (F20)?

By the rules of Kafka 4.0.1 to 4.4 the group has a target assignment in which nobody has anything. Its epoch does not
rise, because the member that joins takes the place of another one.

Bounds: those of migration.static_upgrade.
Expected: VIOLATED has_not_converged_leads_to_has_converged
"""

from kafkacheck.model.migration import environment, family

MODEL = family.MIGRATION.model(
    bounds=family.STATIC,
    rules=family.MENDED._replace(upgrade_rebalances=False),
    initial=environment.start_before_a_static_upgrade,
    actions=family.STATIC_ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR_STATIC,
)
