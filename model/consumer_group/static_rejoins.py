"""Does a group converge although heartbeats are lost, if a static member is not refused because of itself?

`consumer_group.static_refused` shows the gap in Kafka, and stops when it finds it. This is the same system with a rule
that no release has.

Bounds: as consumer_group.static_refused.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family
from kafkacheck.model.consumer_group.static_refused import ACTIONS, ALWAYS, BOUNDS
from kafkacheck.spec.consumer_group import static_members

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True, temporary_leave_is_stable=True, own_instance_is_free=True),
    initial=environment.start_with_a_static_member,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=[static_members.member_is_away],
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_DEPARTURES],
)
