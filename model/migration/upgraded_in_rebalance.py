"""How do two consumers own a partition after a classic group has become one of the new protocol in a rebalance (F18)?

By the rules of Kafka 4.4 a member has in the new protocol what the classic group has assigned to it. That is nothing
if a rebalance has begun anew, while a member of the cooperative protocol keeps its partitions.

Bounds: those of migration.cooperative.
Expected: VIOLATED no_two_owners
"""

from kafkacheck.model.migration import family

MODEL = family.MIGRATION.model(
    bounds=family.COOPERATIVE,
    rules=family.COOPERATIVE_RULES._replace(upgrade_keeps_owned=False),
    actions=family.COOPERATIVE_ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR_ROLLING,
)
