"""Does a consumer come back into its group whose application polled too seldom, whatever was under way?

The poll interval may end while the consumer is at rest, while a heartbeat or its response is under way, and while the
consumer applies an assignment. The response to its leave may come before it joins again, or after. It has rules that
no release has: `consumer_group.slow.former_responses` is the same by Kafka's rules.

Bounds: two consumers that share two partitions; one poll interval that ends.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import family
from kafkacheck.spec.consumer_group import slow_members

BOUNDS = {"slow_polls": 1}
ACTIONS = [*family.ACTIONS, *family.SLOW_POLLS]

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True, former_responses_are_ignored=True),
    actions=ACTIONS,
    always=family.SLOW_SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_SLOW_POLLS],
    sometimes=[slow_members.is_stale],
)
