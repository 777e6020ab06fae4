"""Does one consumer at most own each partition, and does the group converge, if its coordinator changes?

What is not committed when the coordinator changes is lost; nobody was told of it.

Bounds: one change of the coordinator, and one consumer that leaves.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system
from kafkacheck.spec.consumer_group import messages

MODEL = family.CONSUMER_GROUP.model(
    bounds={"failovers": 1, "leaves": 1, "max_group_epoch": 3},
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    actions=[
        *family.ACTIONS,
        system.group_log_commits,
        environment.coordinator_fails_over,
        environment.consumer_leaves,
        system.consumer_releases_partitions,
        system.coordinator_fences_silent_member,
    ],
    always=[*family.SAFETY, messages.responses_are_committed, messages.new_coordinators_have_the_log],
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, system.group_log_commits, *family.FAIR_DEPARTURES],
)
