"""Does a group converge if a heartbeat is handled whose consumer no longer waits for the response?

The coordinator tells a member once which partitions to give up: in the response to the heartbeat that it handles first
after it has decided that. If that is a late one, the member is not told. Its later heartbeats are not full, so that
their responses name no assignment. The group stands still until the rebalance timeout, when the coordinator fences the
member, which has done nothing wrong.

Bounds: one late heartbeat, and one live member that is fenced. There is no rebalance timeout.
Expected: VIOLATED has_not_converged_leads_to_has_converged
    Read in Kafka's code, and not run there.
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system

MODEL = family.CONSUMER_GROUP.model(
    bounds={"delays": 1, "expirations": 1},
    rules=ConsumerGroupRules(owned_are_named_when_applied=True),
    actions=[
        *family.ACTIONS,
        system.coordinator_handles_late_heartbeat,
        environment.heartbeat_is_delayed,
        environment.live_member_is_fenced,
    ],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
