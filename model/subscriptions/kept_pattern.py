"""By the rules of Kafka 4.4: does a static consumer that comes back with a list of topics get those alone?

A consumer that joins without a pattern does not name it, and the coordinator takes that for unchanged: it gives the
consumer the place and the pattern of the one that had the instance id before.

Bounds: as subscriptions.names_topics.
Expected: VIOLATED coordinators_know_subscriptions
"""

from kafkacheck.model.subscriptions import environment, family
from kafkacheck.model.subscriptions.names_topics import ACTIONS, BOUNDS, WEAKLY_FAIR

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds=BOUNDS,
    rules=family.MENDED._replace(missing_pattern_is_named=False),
    initial=environment.start_with_a_static_consumer,
    actions=ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=WEAKLY_FAIR,
)
