"""Is everything promised of consumer groups kept if heartbeats also name the partitions that a consumer is to own?

`consumer_group.lost_heartbeats` shows the gap in Kafka, and stops when it finds it. This is the same system with a rule
that no release has.

Bounds: as consumer_group.lost_heartbeats.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import family
from kafkacheck.model.consumer_group.lost_heartbeats import ACTIONS, BOUNDS

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    actions=ACTIONS,
    always=family.SAFETY,
    lemmas=family.LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
