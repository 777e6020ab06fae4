"""Does a consumer that names topics, and gives its pattern up, keep only what it names?

Bounds: two consumers with one pattern and a topic by name, one of which gives its pattern up. Kafka's own client does
not have both; librdkafka does.
Expected: HOLDS
"""

from kafkacheck.model.subscriptions import environment, family

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds={"subscription_changes": 1, "patterns": 1},
    initial=environment.start_with_both,
    actions=[*family.ACTIONS, environment.pattern_is_given_up],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
