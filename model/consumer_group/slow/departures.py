"""Does a group converge in which a consumer polls too seldom, while consumers leave and crash?

Bounds: two consumers that share two partitions; one poll interval that ends, one crash and one departure.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import family
from kafkacheck.model.consumer_group.slow.polls import ACTIONS
from kafkacheck.spec.consumer_group import slow_members

MODEL = family.CONSUMER_GROUP.model(
    bounds={"slow_polls": 1, "crashes": 1, "leaves": 1, "max_group_epoch": 6},
    rules=ConsumerGroupRules(target_counts_as_owned=True, former_responses_are_ignored=True),
    actions=[*ACTIONS, *family.DEPARTURES],
    always=family.SLOW_SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_SLOW_POLLS, *family.FAIR_DEPARTURES],
    sometimes=[slow_members.is_stale],
)
