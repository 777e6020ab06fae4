"""Does one consumer at most own each partition if a heartbeat arrives that nobody waits for any more?

Bounds: one late heartbeat, and one live member that is fenced.
Expected: HOLDS
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
