"""Does the consumer protocol implement the abstract group, in which partitions are handed over in order?

By Kafka's rules it does not: while a heartbeat is under way its consumer takes more partitions, and the coordinator
gives those away (finding F14, consumer_group.lost_heartbeats). This is the system with a rule that no release has.

Bounds: two consumers that share two partitions; a consumer leaves, and a live one is fenced, which goes on for a while.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system
from kafkacheck.spec.consumer_group import properties, refinement

MODEL = family.CONSUMER_GROUP.model(
    bounds={"leaves": 1, "expirations": 1, "noted_owners": 1},
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    actions=[
        *family.ACTIONS,
        environment.consumer_leaves,
        system.consumer_releases_partitions,
        environment.live_member_is_fenced,
    ],
    always=[
        properties.no_two_owners,
        refinement.partitions_are_handed_over_in_order,
        refinement.fenced_consumers_are_behind,
        refinement.last_owners_are_noted,
        refinement.only_owners_are_noted,
    ],
)
