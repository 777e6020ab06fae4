"""Does a group converge although late heartbeats are handled, if every response names the assignment?

`consumer_group.late_heartbeats` shows the gap in Kafka, and stops when it finds it. This is the same system with a rule
that no release has.

Bounds: as consumer_group.late_heartbeats.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import family
from kafkacheck.model.consumer_group.late_heartbeats import ACTIONS, BOUNDS

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True, assignment_is_always_told=True),
    actions=ACTIONS,
    always=family.SAFETY,
    lemmas=family.COORDINATOR_LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
