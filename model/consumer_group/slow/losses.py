"""Does a consumer come back into its group whose application polled too seldom, if its leave may be lost?

If the leave is lost, the coordinator knows the member still when the consumer joins anew, or fences it first.

Bounds: as consumer_group.slow.polls, and one broken connection.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system
from kafkacheck.model.consumer_group.slow.polls import ACTIONS
from kafkacheck.spec.consumer_group import slow_members

MODEL = family.CONSUMER_GROUP.model(
    bounds={"slow_polls": 1, "losses": 1},
    rules=ConsumerGroupRules(target_counts_as_owned=True, former_responses_are_ignored=True),
    actions=[
        *ACTIONS,
        environment.farewell_is_lost,
        environment.heartbeat_is_lost,
        system.coordinator_fences_silent_member,
    ],
    always=family.SLOW_SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_SLOW_POLLS, each(system.coordinator_fences_silent_member)],
    sometimes=[slow_members.is_stale],
)
