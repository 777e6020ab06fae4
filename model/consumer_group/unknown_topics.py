"""Does somebody read the partitions of a topic that consumers are assigned before their metadata has its name?

The coordinator resolves a pattern by itself, so it may assign a new topic earlier than the metadata of its members has
it. It tells the assignment once. What a member acknowledges is the coordinator's last word on it.

Bounds: two topics of one partition each. The metadata of both consumers lacks one topic at first.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.consumer_group import environment, family, system
from kafkacheck.spec.consumer_group import properties

MODEL = family.CONSUMER_GROUP.model(
    bounds={"topics": 2, "unknown_topics": 1},
    initial=environment.start_without_metadata,
    actions=[*family.ACTIONS, system.metadata_has_topic],
    always=family.SAFETY,
    lemmas=family.COORDINATOR_LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, each(system.metadata_has_topic)],
    sometimes=[properties.partition_awaits_metadata],
)
