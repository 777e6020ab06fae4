"""Do members share a group if those of the classic protocol keep their partitions in a rebalance (KIP-429)?

Bounds: two processes of the classic protocol, one of the new one; one of them leaves.
Expected: HOLDS
    By the rules of Kafka 4.4 two consumers can own a partition: migration.upgraded_in_rebalance.
"""

from kafkacheck.model.migration import family
from kafkacheck.spec.migration import properties

MODEL = family.MIGRATION.model(
    bounds=family.COOPERATIVE,
    rules=family.COOPERATIVE_RULES,
    actions=family.COOPERATIVE_ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.group_is_mixed],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR_ROLLING,
)
