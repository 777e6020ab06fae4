"""Is a static consumer refused only if another one has its instance id?

A consumer joins anew with the member id that it has if a response was lost, or if its epoch was fenced. Kafka's
coordinator then finds that a member has the instance id that has not left: this consumer itself. The error ends the
consumer for good (apache/kafka pull request 23542).

Bounds: a static consumer and another one; one lost heartbeat.
Expected: VIOLATED nobody_is_refused_because_of_itself
    With `own_instance_is_free`, a rule that no release up to 4.4 has, everything holds: consumer_group.static_rejoins.
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family
from kafkacheck.spec.consumer_group import static_members

BOUNDS = {"instances": 1, "leaves": 1, "restarts": 1, "losses": 1}
ACTIONS = [*family.STATIC_ACTIONS, environment.heartbeat_is_lost]
ALWAYS = [*family.STATIC_SAFETY, static_members.nobody_is_refused_because_of_itself]

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True, temporary_leave_is_stable=True),
    initial=environment.start_with_a_static_member,
    actions=ACTIONS,
    always=ALWAYS,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_DEPARTURES],
)
