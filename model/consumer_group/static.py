"""Does a group converge if a static consumer leaves for a while, and another one comes with its instance id?

The place of the first consumer waits for the other one, and is lost if that comes too late. If it comes too early, it
is refused, and ends.

Bounds: three consumers, of which the first and the last have one instance id. The last one joins at any time, or the
first one again, and one consumer leaves.
Expected: HOLDS
    By the rules of Kafka 4.4 the state of a member that is away can be wrong: consumer_group.static_unrevoked.
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family
from kafkacheck.spec.consumer_group import static_members

BOUNDS = {"members": 3, "instances": 1, "leaves": 1, "restarts": 1, "max_group_epoch": 4}

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True, temporary_leave_is_stable=True),
    initial=environment.start_with_a_successor,
    actions=family.STATIC_ACTIONS,
    always=family.STATIC_SAFETY,
    sometimes=[static_members.member_is_away, static_members.successor_has_partitions],
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_DEPARTURES],
)
