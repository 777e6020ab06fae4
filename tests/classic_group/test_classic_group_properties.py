"""The properties of classic groups fail where they must: on small states made by hand, one mistake each."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.classic_group.constants import ConsumerState, GroupError, GroupState, RequestKind, Stage
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group.base import MODEL
from kafkacheck.model.classic_group.system import State
from kafkacheck.spec.classic_group import consumers, messages
from kafkacheck.spec.classic_group import properties as spec

LAYOUT = Layout(State, {**MODEL.bounds, "failovers": 1, "losses": 1, "crashes": 1, "leaves": 1})
BOUNDS = LAYOUT.bounds.as_tuple()
RULES = ClassicGroupRules()


def stable():
    """Two consumers in generation 2, each with one of the two partitions; the first one leads."""
    state = LAYOUT.blank()
    state.group.state = GroupState.STABLE
    state.group.generation, state.group.leader, state.group.last_member_id = 2, 0, 1
    for member_id, consumer in enumerate(state.consumers):
        consumer.state = ConsumerState.STABLE
        consumer.member_id, consumer.generation = member_id, 2
        consumer.owned = Ids({member_id})
        state.group.members[member_id].is_member = True
        state.group.members[member_id].assigned = Ids({member_id})
    return state


def broken(name):
    """The state after which a property of that name fails."""
    state = stable()
    if name in ("no_two_owners", "owners_are_known", "has_converged"):
        state.consumers[0].owned = Ids({0, 1})
    elif name == "members_have_one_owner":
        state.group.members[0].assigned = Ids({0, 1})
    elif name == "stable_groups_have_assignments":
        state.group.members[0].assigned = Ids()
    elif name == "absent_members_can_come":
        state.group.state = GroupState.PREPARING_REBALANCE
        state.group.members[2].is_member = True
    return state


@pytest.mark.parametrize(
    ("of_state", "given"),
    [
        (spec.no_two_owners, (RULES,)),
        (spec.owners_are_known, (RULES,)),
        (spec.members_have_one_owner, ()),
        (spec.stable_groups_have_assignments, (RULES, BOUNDS)),
        (spec.absent_members_can_come, ()),
        (spec.has_converged, (BOUNDS,)),
    ],
)
def test_a_property_holds_in_a_stable_group_and_fails_where_it_must(of_state, given):
    assert of_state(stable(), *given)
    assert not of_state(broken(of_state.__name__), *given)


def test_an_owner_whose_commits_are_refused_does_not_count():
    state = broken("no_two_owners")
    state.consumers[0].generation = 1
    assert spec.no_two_owners(state, RULES)


def test_a_member_nobody_is_keeps_a_group_from_converging():
    state = stable()
    state.group.pending = Ids({2})
    assert not spec.has_converged(state, BOUNDS)
    assert spec.has_not_converged(state, BOUNDS)


def test_a_generation_that_falls_is_seen():
    before, after = stable(), stable()
    after.group.generation = 1
    assert not spec.generations_do_not_fall(before, after)
    after = stable()
    after.consumers[0].generation = 1
    assert not spec.generations_do_not_fall(before, after)


def answered(error):
    """A group in which the first consumer has an answer to its heartbeat."""
    state = stable()
    state.connections[0].stage = Stage.ANSWERED
    state.connections[0].response.error = error
    state.connections[0].response.member_id = 0
    return state


def asked():
    """A group in which the first consumer has sent a heartbeat."""
    state = stable()
    state.connections[0].stage = Stage.REQUESTED
    state.connections[0].request.kind = RequestKind.HEARTBEAT
    state.connections[0].request.member_id, state.connections[0].request.generation = 0, 2
    return state


def test_a_heartbeat_of_a_member_is_not_refused():
    assert messages.requests_get_the_error_due(asked(), answered(GroupError.NONE), RULES)
    assert not messages.requests_get_the_error_due(asked(), answered(GroupError.UNKNOWN_MEMBER_ID), RULES)
    late = asked()
    late.connections[0].request.generation = 1
    assert not messages.requests_get_the_error_due(late, answered(GroupError.NONE), RULES)
    assert messages.requests_get_the_error_due(late, answered(GroupError.ILLEGAL_GENERATION), RULES)


def test_a_member_that_did_nothing_is_not_removed():
    after = stable()
    after.group.members[0].is_member = False
    assert messages.only_silent_members_are_removed(stable(), stable())
    assert not messages.only_silent_members_are_removed(stable(), after)


def test_a_request_that_names_another_member_is_seen():
    sent = asked()
    assert messages.requests_are_true(stable(), sent)
    sent.connections[0].request.member_id = 1
    assert not messages.requests_are_true(stable(), sent)


def test_a_consumer_that_has_left_does_not_return():
    gone = stable()
    gone.consumers[0].state = ConsumerState.CLOSED
    assert consumers.consumers_that_leave_do_not_return(stable(), gone)
    assert not consumers.consumers_that_leave_do_not_return(gone, stable())
    assert not consumers.closed_consumers_have_nothing(gone)


def test_a_leader_that_takes_partitions_away_needlessly_is_seen():
    before, after = answered(GroupError.NONE), asked()
    before.connections[0].response.members = Ids({0, 1})
    before.connections[0].response.owned[0], before.connections[0].response.owned[1] = Ids({0}), Ids({1})
    after.connections[0].request.kind = RequestKind.SYNC
    assignments = after.connections[0].request.assignments
    assignments[0], assignments[1] = Ids({0}), Ids({1})
    assert consumers.leaders_move_only_what_they_must(before, after, BOUNDS)
    assignments[0], assignments[1] = Ids({1}), Ids({0})
    assert not consumers.leaders_move_only_what_they_must(before, after, BOUNDS)
