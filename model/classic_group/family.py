"""Common parts of the models of classic groups.

Bounds: `consumers` consumers share `partitions` partitions; `member_ids` member ids can be given out, and generations
run to `max_generation`. `instances` instance ids exist, which dynamic members do not use. The others are budgets of
disturbances (`environment.py`). The last member id and the last generation only end behaviours.
"""

from kafkacheck.checker.model import Family, each
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group import environment, system
from kafkacheck.model.classic_group.drawing import CLASSIC_GROUPS
from kafkacheck.spec.classic_group import consumers, lemmas, messages, properties

ACTIONS = (
    system.consumer_asks_to_join,
    system.consumer_sends_heartbeat,
    system.consumer_receives_response,
    system.coordinator_handles_request,
    system.initial_delay_ends,
)

SILENCE = (system.silent_member_expires, system.pending_member_expires)

SAFETY = (
    properties.no_two_owners,
    properties.owners_are_known,
    properties.generations_do_not_fall,
    properties.members_have_one_owner,
    properties.stable_groups_have_assignments,
    messages.requests_are_true,
    messages.joining_consumers_give_up_what_they_must,
    messages.requests_get_the_error_due,
    messages.refused_requests_change_nothing,
    messages.heartbeats_change_nothing,
    messages.new_generations_have_those_who_joined,
    messages.generations_do_not_leave_out_who_joined,
    messages.members_are_told_their_generation,
    messages.leaders_assign_each_partition_once,
    messages.leaders_share_evenly,
    messages.syncs_tell_the_assignment,
    messages.only_silent_members_are_removed,
    messages.the_later_of_two_instances_stays,
    messages.consumers_follow_responses,
    messages.disturbances_of_classic_groups_are_real,
    consumers.closed_consumers_have_nothing,
    consumers.one_request_is_under_way,
    consumers.consumers_that_leave_do_not_return,
    consumers.leaving_members_are_removed,
    consumers.consumers_prepare_once,
    consumers.rebalances_keep_the_membership,
    consumers.lost_requests_are_sent_again,
    consumers.leaders_move_only_what_they_must,
    consumers.departures_are_real,
)

LEMMAS = (
    lemmas.former_members_have_no_assignment,
    lemmas.known_generations_are_of_the_group,
    lemmas.generations_begin_at_one,
    lemmas.member_ids_were_given_out,
    lemmas.member_ids_have_one_consumer,
    lemmas.pending_ids_are_new,
    lemmas.connections_have_requests_or_responses,
    lemmas.consumers_wait_for_their_requests,
    lemmas.joins_are_answered_with_later_generations,
    lemmas.leaders_assign_nothing_twice,
    lemmas.joining_consumers_own_nothing,
    lemmas.members_own_what_they_were_assigned,
    lemmas.nobody_owns_before_the_assignment,
)

CONVERGES = ((properties.has_not_converged, properties.has_converged),)

FAIR = [
    each(system.consumer_asks_to_join),
    each(system.consumer_sends_heartbeat),
    each(system.consumer_receives_response),
    each(system.coordinator_handles_request),
    system.initial_delay_ends,
]

FAIR_SILENCE = [each(action) for action in SILENCE]

CLASSIC_GROUP = Family(
    state=system.State,
    charges=environment.CHARGES,
    initial=environment.start_joining,
    bounds={
        "consumers": 2,
        "partitions": 2,
        "member_ids": 3,
        "instances": 1,
        "max_generation": 4,
        "crashes": 0,
        "leaves": 0,
        "losses": 0,
        "expirations": 0,
        "timeouts": 0,
        "failovers": 0,
        "noted_owners": 0,
    },
    rules=ClassicGroupRules(),
    flags=("noted_owners",),
    drawing=CLASSIC_GROUPS,
    sometimes=[properties.both_own_something],
)
