"""Is a pattern resolved in the end, if the coordinator changes while that is under way, and a consumer changes it?

Bounds: two consumers with one pattern, one of which changes it; one change of the coordinator. All that the
coordinator answers is in its log: consumer_group.failover has records that are lost.
Expected: HOLDS
"""

from kafkacheck.model.subscriptions import environment, family

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds={"failovers": 1, "subscription_changes": 1},
    actions=[*family.ACTIONS, environment.coordinator_fails_over, environment.pattern_changes],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
