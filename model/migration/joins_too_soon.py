"""How does a consumer of the new protocol end because it joins in the first rebalance of a classic group (F19)?

By the rules of Kafka 4.4 the coordinator fails then, because the members have not chosen an assignor yet; the error
ends the consumer.

Bounds: those of migration.mixed.
Expected: VIOLATED nobody_ends_without_a_fault
"""

from kafkacheck.model.migration import family

MODEL = family.MIGRATION.model(
    rules=family.MENDED._replace(first_rebalance_is_upgraded=False),
    actions=family.ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
