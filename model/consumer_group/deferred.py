"""Does one consumer at most own each partition, and does the group converge, if the assignor waits between two runs?

Since Kafka 4.3 it runs once in `group.consumer.assignment.interval.ms` at most. Until then the target assignment is an
old one.

Bounds: the assignor waits at two heartbeats, and a consumer crashes.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system

MODEL = family.CONSUMER_GROUP.model(
    bounds={"deferrals": 2, "crashes": 1, "max_group_epoch": 3},
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    actions=[
        *family.ACTIONS,
        system.coordinator_defers_assignment,
        environment.consumer_crashes,
        system.coordinator_fences_silent_member,
    ],
    always=family.SAFETY,
    lemmas=family.LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_DEPARTURES[1:]],
)
