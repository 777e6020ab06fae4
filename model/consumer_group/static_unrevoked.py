"""Does a group converge if a static consumer leaves for a while, by the rules of Kafka 4.4?

A member that has left for a while has given up its partitions. If it was to give up some when it left, the coordinator
still takes it for a member of which it waits for that, although there is nothing left to give up (KAFKA-20641). In
`consumer_group.static_failover` this costs a member its place.

Bounds: as consumer_group.static.
Expected: VIOLATED members_that_must_revoke_have_something_to_revoke
    With `temporary_leave_is_stable`, a rule that no release up to 4.4 has, everything holds: consumer_group.static.
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family
from kafkacheck.model.consumer_group.static import BOUNDS

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    initial=environment.start_with_a_successor,
    actions=family.STATIC_ACTIONS,
    always=family.STATIC_SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_DEPARTURES],
)
