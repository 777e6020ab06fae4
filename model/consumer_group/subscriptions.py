"""Does a group converge when consumers change their subscriptions, and partitions are added?

Bounds: two topics of one partition each, and one change of a subscription.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family

MODEL = family.CONSUMER_GROUP.model(
    bounds={"topics": 2, "subscription_changes": 1, "max_group_epoch": 3},
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    actions=[*family.ACTIONS, environment.subscription_changes],
    always=family.SAFETY,
    lemmas=family.LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
