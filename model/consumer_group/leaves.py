"""Does a group go on if a consumer leaves while others join?

Bounds: one consumer that leaves, at any time.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system
from kafkacheck.spec.consumer_group import properties

MODEL = family.CONSUMER_GROUP.model(
    bounds={"leaves": 1},
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    actions=[*family.ACTIONS, environment.consumer_leaves, system.consumer_releases_partitions],
    always=[*family.SAFETY, properties.consumers_that_left_are_no_members],
    lemmas=family.LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, each(system.consumer_releases_partitions)],
)
