"""Does a static consumer that comes back with a list of topics get those alone, if it had a pattern before?

By the rules of Kafka 4.4 it keeps the pattern: subscriptions.kept_pattern. This is the same system with a rule that no
release has.

Bounds: a static consumer and another one, both with one pattern. The first one leaves for a while, and comes back with
a list of topics.
Expected: HOLDS
"""

from kafkacheck.model.subscriptions import environment, family

BOUNDS = {"leaves": 1, "restarts": 1, "patterns": 1}

ACTIONS = [
    *family.ACTIONS,
    *family.DEPARTURES,
    environment.static_consumer_leaves,
    environment.static_consumer_names_topics,
]

WEAKLY_FAIR = [*family.FAIR, *family.FAIR_DEPARTURES]

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds=BOUNDS,
    initial=environment.start_with_a_static_consumer,
    actions=ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=WEAKLY_FAIR,
)
