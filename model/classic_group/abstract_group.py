"""Does the classic protocol implement the abstract group, in which partitions are handed over in order?

Bounds: two consumers of a cooperative group; the session of a live consumer ends, which goes on for a while, and one
    rebalance does not wait.
Expected: HOLDS
"""

from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group import environment, family
from kafkacheck.spec.classic_group import properties, refinement

MODEL = family.CLASSIC_GROUP.model(
    bounds={"expirations": 1, "timeouts": 1, "member_ids": 5, "max_generation": 9, "noted_owners": 1},
    rules=ClassicGroupRules(is_cooperative=True),
    actions=[*family.ACTIONS, environment.live_member_expires, environment.rebalance_times_out],
    always=[
        properties.no_two_owners,
        refinement.partitions_are_handed_over_in_order,
        refinement.fenced_consumers_are_behind,
        refinement.last_owners_are_noted,
        refinement.only_owners_are_noted,
    ],
)
