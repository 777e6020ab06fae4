"""Is a pattern resolved in the end, if the coordinator changes while that is under way, and a topic is created?

Bounds: two consumers with one pattern, one topic that is created, and one change of the coordinator. All that the
coordinator answers is in its log: consumer_group.failover has records that are lost.
Expected: HOLDS
"""

from kafkacheck.model.subscriptions import environment, family

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds={"failovers": 1, "creations": 1, "patterns": 1},
    actions=[*family.ACTIONS, environment.coordinator_fails_over, environment.topic_is_created],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
