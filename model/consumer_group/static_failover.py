"""Does a static member that has left for a while keep its place until its session ends, if the coordinator changes?

A new coordinator watches the members that have to give up partitions, and removes those that take longer than their
rebalance timeout. By the rules of Kafka 4.4 it may take one for such a member that is away.

Bounds: a static consumer and another one, one of which leaves; one change of the coordinator, and one rebalance timeout
that ends. Whether the group converges is not asked: the last group epoch ends behaviours.
Expected: HOLDS
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system
from kafkacheck.spec.consumer_group import messages, static_members

MODEL = family.CONSUMER_GROUP.model(
    bounds={"instances": 1, "leaves": 1, "failovers": 1, "timeouts": 1, "max_group_epoch": 3},
    rules=ConsumerGroupRules(target_counts_as_owned=True, temporary_leave_is_stable=True),
    initial=environment.start_with_a_static_member,
    actions=[
        *family.ACTIONS,
        environment.consumer_leaves,
        system.consumer_releases_partitions,
        system.coordinator_fences_silent_member,
        system.group_log_commits,
        environment.coordinator_fails_over,
        environment.rebalance_times_out,
    ],
    always=[
        *family.STATIC_SAFETY,
        static_members.places_end_with_sessions,
        messages.responses_are_committed,
        messages.new_coordinators_have_the_log,
    ],
    sometimes=[static_members.member_is_away],
)
