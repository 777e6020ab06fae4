"""Has each partition an owner again after a consumer has subscribed by another pattern, even if no topic matches?

By the rules of Kafka 4.4 it has not: subscriptions.unmatched. This is the same system with a rule that no release has.

Bounds: two consumers with one pattern, one of which changes it; three patterns, the last of which matches no topic.
Expected: HOLDS
"""

from kafkacheck.model.subscriptions import environment, family
from kafkacheck.spec.subscriptions import properties

BOUNDS = {"subscription_changes": 1, "patterns": 3}

ACTIONS = [*family.ACTIONS, environment.pattern_changes]

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds=BOUNDS,
    actions=ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.pattern_is_resolved, properties.pattern_goes_while_it_is_resolved],
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
