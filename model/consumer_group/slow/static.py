"""Does a static member keep its place whose application polls too seldom, and come back to it?

Bounds: two consumers that share two partitions, of which the first is a static member; one poll interval that ends.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family
from kafkacheck.model.consumer_group.slow.polls import ACTIONS
from kafkacheck.spec.consumer_group import slow_members, static_members

MODEL = family.CONSUMER_GROUP.model(
    bounds={"slow_polls": 1, "instances": 1},
    rules=ConsumerGroupRules(
        target_counts_as_owned=True, temporary_leave_is_stable=True, former_responses_are_ignored=True
    ),
    initial=environment.start_with_a_static_member,
    actions=ACTIONS,
    always=[*family.SLOW_SAFETY, *family.STATIC_SAFETY[len(family.SAFETY) :]],
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_SLOW_POLLS],
    sometimes=[slow_members.is_stale, static_members.member_is_away],
)
