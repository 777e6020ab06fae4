"""Does a group converge if a heartbeat is handled whose consumer no longer waits for the response?

The coordinator tells a member once of a new assignment: in the response to the heartbeat that it handles first after it
has decided that. If that is a late one, the member is not told. Its later heartbeats are not full, so that their
responses name no assignment. A partition that the member is to give up stays with it until the rebalance timeout, when
the coordinator fences the member, which has done nothing wrong; one that it is to take has no owner until something
else changes the group. It is finding F15, which runs on Kafka's own classes (tests/kafka/findings).

Bounds: one late heartbeat, and one live member that is fenced. There is no rebalance timeout.
Expected: VIOLATED has_not_converged_leads_to_has_converged
    With `assignment_is_always_told`, a rule that no release has, everything holds: consumer_group.told_again.
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system

BOUNDS = {"delays": 1, "expirations": 1}
ACTIONS = [
    *family.ACTIONS,
    system.coordinator_handles_late_heartbeat,
    environment.heartbeat_is_delayed,
    environment.live_member_is_fenced,
]

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    actions=ACTIONS,
    always=family.SAFETY,
    lemmas=family.COORDINATOR_LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
