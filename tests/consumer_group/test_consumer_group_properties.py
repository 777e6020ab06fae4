"""The properties of consumer groups fail where they must: on small states made by hand, one mistake each."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.consumer_group.constants import ConsumerState, MemberState
from kafkacheck.model.consumer_group.base import MODEL
from kafkacheck.model.consumer_group.system import State
from kafkacheck.spec.consumer_group import properties as spec

LAYOUT = Layout(State, {**MODEL.bounds, "failovers": 1, "topics": 2})
BOUNDS = LAYOUT.bounds.as_tuple()


def stable():
    """Two consumers in epoch 2, each with one of the two partitions, of a topic of its own."""
    state = LAYOUT.blank()
    state.existing = state.group.known = Ids({0, 1})
    state.group.group_epoch = state.group.assignment_epoch = 2
    for member_id, (consumer, member) in enumerate(zip(state.consumers, state.group.members, strict=True)):
        consumer.state, member.state = ConsumerState.STABLE, MemberState.STABLE
        consumer.member_epoch = member.member_epoch = state.group.partition_epochs[member_id] = 2
        member.previous_member_epoch = 1
        consumer.subscribed = member.subscribed = Ids({0, 1})
        consumer.owned = consumer.target = member.target = member.assigned = Ids({member_id})
    return state


def broken(property_function):
    """The state after which each property fails, by the property."""
    state = stable()
    first, second = state.group.members[0], state.group.members[1]
    if property_function in (spec.no_two_owners, spec.owners_are_known, spec.newest_epoch_owns_no_other_target):
        state.consumers[0].owned = Ids({0, 1})
    elif property_function is spec.partitions_have_one_holder:
        first.pending_revocation = Ids({1})
    elif property_function is spec.partition_epochs_are_of_holders:
        state.group.partition_epochs[0] = 1
    elif property_function is spec.epochs_are_ordered:
        second.member_epoch = 3
    elif property_function is spec.stable_groups_have_their_target:
        second.assigned = Ids()
    elif property_function is spec.has_converged:
        state.consumers[0].owned = Ids()
    return state


@pytest.mark.parametrize(
    "of_state",
    [
        spec.no_two_owners,
        spec.owners_are_known,
        spec.partitions_have_one_holder,
        spec.partition_epochs_are_of_holders,
        spec.epochs_are_ordered,
        spec.stable_groups_have_their_target,
        spec.newest_epoch_owns_no_other_target,
        spec.has_converged,
    ],
)
def test_a_property_holds_in_a_stable_group_and_fails_where_it_must(of_state):
    given = (BOUNDS,) if of_state is spec.has_converged else ()
    assert of_state(stable(), *given)
    assert not of_state(broken(of_state), *given)


def test_a_target_that_leaves_a_partition_out_or_gives_it_twice_is_seen():
    assert spec.target_assignment_is_legal(stable(), BOUNDS)
    for target in (Ids(), Ids({0, 1})):
        state = stable()
        state.group.members[0].target = target
        assert not spec.target_assignment_is_legal(state, BOUNDS), "left out, or given twice"
        state.group.group_epoch = 3
        assert spec.target_assignment_is_legal(state, BOUNDS), "it is an old one"
    state = stable()
    state.group.members[0].subscribed = Ids({1})
    assert not spec.target_assignment_is_legal(state, BOUNDS), "to a member that does not subscribe to the topic"


def test_an_owner_whose_commits_are_refused_does_not_count():
    state = broken(spec.no_two_owners)
    state.consumers[0].member_epoch = 1
    assert spec.no_two_owners(state) and spec.owners_are_known(state)
    state = broken(spec.no_two_owners)
    state.group.members[0].state = MemberState.NOT_A_MEMBER
    assert spec.no_two_owners(state) and spec.owners_are_known(state)


def test_an_epoch_that_falls_is_seen():
    before, after = stable(), stable()
    after.group.members[0].member_epoch = 1
    assert not spec.member_epochs_do_not_fall(before, after)
    before.budget.failovers, after.budget.failovers = 1, 0
    assert spec.member_epochs_do_not_fall(before, after), "another coordinator has the epoch that the log has"
    after = stable()
    after.consumers[0].member_epoch = 1
    assert not spec.consumer_epochs_fall_only_to_join_or_leave(before, after)
    after.consumers[0].member_epoch = 0
    assert spec.consumer_epochs_fall_only_to_join_or_leave(before, after)


def test_a_silent_member_has_to_go_before_a_group_has_converged():
    state = stable()
    state.consumers[0].state = ConsumerState.CRASHED
    assert not spec.has_converged(state, BOUNDS)
    state.group.members[0].state = MemberState.NOT_A_MEMBER
    assert spec.has_converged(state, BOUNDS)
    assert spec.has_not_converged(state, BOUNDS) is False


def test_a_partition_of_an_unknown_topic_must_not_be_owned():
    state = stable()
    state.consumers[0].unknown_topics = Ids({1})
    assert spec.owners_know_their_topics(state, BOUNDS)
    state.consumers[1].unknown_topics = Ids({1})
    assert not spec.owners_know_their_topics(state, BOUNDS)
