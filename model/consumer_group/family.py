"""Common parts of the models of consumer groups.

Bounds: `members` consumers subscribe to `topics` topics, to which `partitions` partitions belong in turn; group epochs
run to `max_group_epoch`. `instances` instance ids exist, which dynamic members do not use. `late_heartbeats` requests
can be under way that nobody waits for. The metadata of consumers does not have the last `unknown_topics` topics at
first. The others are budgets of disturbances (`environment.py`). The highest group
epoch only ends behaviours.
"""

from kafkacheck.checker.model import Family, each
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, system
from kafkacheck.model.consumer_group.drawing import CONSUMER_GROUPS
from kafkacheck.spec.consumer_group import lemmas, messages, properties, slow_members, static_members

CONSUMERS = (
    system.consumer_sends_heartbeat,
    system.consumer_receives_response,
    system.consumer_begins_reconciliation,
    system.consumer_completes_reconciliation,
)

ACTIONS = (*CONSUMERS, system.coordinator_handles_heartbeat)

DEPARTURES = (
    environment.consumer_crashes,
    environment.consumer_leaves,
    system.consumer_releases_partitions,
    system.coordinator_fences_silent_member,
)

SLOW_POLLS = (
    environment.poll_interval_ends,
    system.coordinator_handles_farewell,
    system.consumer_receives_farewell_response,
    system.application_polls_again,
    system.consumer_loses_partitions,
)

SAFETY = (
    properties.no_two_owners,
    properties.owners_are_known,
    properties.owners_know_their_topics,
    properties.partitions_have_one_holder,
    properties.partition_epochs_are_of_holders,
    properties.target_assignment_is_legal,
    properties.epochs_are_ordered,
    properties.stable_groups_have_their_target,
    properties.newest_epoch_owns_no_other_target,
    properties.members_wait_for_others,
    properties.member_epochs_do_not_fall,
    properties.consumer_epochs_fall_only_to_join_or_leave,
    messages.heartbeats_are_true,
    messages.heartbeats_claim_nothing_else,
    messages.joining_heartbeats_are_full,
    messages.refused_heartbeats_change_nothing,
    messages.responses_tell_what_the_group_has,
    messages.consumers_follow_responses,
    messages.consumers_end_only_because_of_their_instance,
    messages.only_applications_leave,
    messages.only_silent_members_are_removed,
    messages.disturbances_of_groups_are_real,
    messages.target_assignment_is_balanced,
    messages.only_surplus_partitions_move,
)

SLOW_SAFETY = (
    *SAFETY,
    slow_members.stale_consumers_tell_that_they_leave,
    slow_members.stale_consumers_have_left,
    slow_members.stale_consumers_lose_partitions_and_join,
    slow_members.answers_to_farewells_change_nothing,
)

STATIC_SAFETY = (
    *SAFETY,
    static_members.members_that_must_revoke_have_something_to_revoke,
    static_members.instance_ids_have_one_member,
    static_members.members_that_leave_for_a_while_keep_their_places,
    static_members.returning_members_have_their_former_targets,
    static_members.returns_begin_no_rebalance,
)

COORDINATOR_LEMMAS = (
    lemmas.former_members_have_nothing,
    lemmas.members_have_epochs,
    lemmas.told_epochs_are_of_the_group,
)

LEMMAS = (
    *COORDINATOR_LEMMAS,
    lemmas.members_that_revoke_have_something_to_revoke,
    lemmas.heartbeats_are_requests_or_responses,
    lemmas.consumers_without_epochs_have_nothing,
    lemmas.requests_are_of_their_consumers,
    lemmas.requests_name_all_that_may_be_processed,
    lemmas.coordinators_know_what_may_be_processed,
    lemmas.responses_give_what_is_held,
)

CONVERGES = ((properties.has_not_converged, properties.has_converged),)

FAIR = [each(action) for action in ACTIONS]

STATIC_ACTIONS = (
    *ACTIONS,
    environment.consumer_leaves,
    system.consumer_releases_partitions,
    environment.static_consumer_starts,
    system.coordinator_fences_silent_member,
)

FAIR_SLOW_POLLS = [each(action) for action in SLOW_POLLS[1:]]

FAIR_DEPARTURES = [each(system.consumer_releases_partitions), each(system.coordinator_fences_silent_member)]

CONSUMER_GROUP = Family(
    state=system.State,
    charges=environment.CHARGES,
    initial=environment.start_joining,
    bounds={
        "members": 2,
        "instances": 0,
        "classic_consumers": 0,
        "topics": 1,
        "partitions": 2,
        "max_group_epoch": 4,
        "late_heartbeats": 1,
        "crashes": 0,
        "leaves": 0,
        "expirations": 0,
        "losses": 0,
        "delays": 0,
        "failovers": 0,
        "subscription_changes": 0,
        "creations": 0,
        "deferrals": 0,
        "restarts": 0,
        "timeouts": 0,
        "slow_polls": 0,
        "noted_owners": 0,
    },
    rules=ConsumerGroupRules(),
    flags=("noted_owners",),
    drawing=CONSUMER_GROUPS,
    sometimes=[properties.both_own_something, properties.partition_is_awaited],
)
