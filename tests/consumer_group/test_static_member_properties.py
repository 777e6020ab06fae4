"""The properties of static members fail where they must: on small states made by hand, one mistake each."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.consumer_group.constants import HeartbeatError, HeartbeatStage, MemberState
from kafkacheck.model.consumer_group.static_failover import MODEL
from kafkacheck.model.consumer_group.system import State
from kafkacheck.spec.consumer_group import static_members as spec

LAYOUT = Layout(State, {**MODEL.bounds, "restarts": 1})


def joined():
    """A static member with both partitions."""
    state = LAYOUT.blank()
    state.existing = state.group.known = Ids({0, 1})
    state.group.group_epoch = state.group.assignment_epoch = 2
    for consumer in state.consumers:
        consumer.instance_id = 0
    member = state.group.members[0]
    member.state, member.instance_id, member.member_epoch = MemberState.STABLE, 0, 2
    member.subscribed = member.target = member.assigned = Ids({0, 1})
    return state


def away():
    """The member has left for a while."""
    state = joined()
    state.group.members[0].has_left = True
    state.group.members[0].member_epoch = 0
    return state


def returned():
    """The other consumer has the place of the member that had left."""
    state = joined()
    first, second = state.group.members[0], state.group.members[1]
    second.state, second.instance_id, second.member_epoch = first.state, 0, 2
    second.subscribed = second.target = second.assigned = Ids({0, 1})
    first.state, first.instance_id, first.member_epoch = MemberState.NOT_A_MEMBER, -1, -1
    first.subscribed = first.target = first.assigned = Ids()
    return state


def test_a_member_with_nothing_to_revoke_must_not_be_waited_for():
    state = joined()
    state.group.members[0].state = MemberState.UNREVOKED_PARTITIONS
    assert not spec.members_that_must_revoke_have_something_to_revoke(state)
    state.group.members[0].pending_revocation = Ids({0})
    assert spec.members_that_must_revoke_have_something_to_revoke(state)


def test_two_members_with_one_instance_id_are_seen():
    state = returned()
    assert spec.instance_ids_have_one_member(state)
    state.group.members[0].state, state.group.members[0].instance_id = MemberState.STABLE, 0
    assert not spec.instance_ids_have_one_member(state)


@pytest.mark.parametrize("field", ["assigned", "target", "subscribed"])
def test_a_member_that_leaves_for_a_while_must_lose_nothing(field):
    after = away()
    assert spec.members_that_leave_for_a_while_keep_their_places(joined(), after)
    setattr(after.group.members[0], field, Ids())
    assert not spec.members_that_leave_for_a_while_keep_their_places(joined(), after)


def test_a_place_must_be_inherited_with_its_target_and_without_a_rebalance():
    after = returned()
    assert spec.returning_members_have_their_former_targets(away(), after)
    assert spec.returns_begin_no_rebalance(away(), after)
    after.group.members[1].target = Ids({0})
    assert not spec.returning_members_have_their_former_targets(away(), after)
    after = returned()
    after.group.group_epoch = 3
    assert not spec.returns_begin_no_rebalance(away(), after)


def test_the_end_of_a_rebalance_timeout_must_end_no_place():
    after = returned()
    after.group.members[1].state = MemberState.NOT_A_MEMBER
    assert spec.places_end_with_sessions(away(), after), "the session has ended"
    after.budget.timeouts = 0
    assert not spec.places_end_with_sessions(away(), after)


def test_a_consumer_must_not_be_refused_because_of_itself():
    before, after = joined(), joined()
    before.heartbeats[0].stage, after.heartbeats[0].stage = HeartbeatStage.REQUESTED, HeartbeatStage.ANSWERED
    before.heartbeats[0].request.instance_id = 0
    after.heartbeats[0].response.error = HeartbeatError.UNRELEASED_INSTANCE_ID
    assert not spec.nobody_is_refused_because_of_itself(before, after)
    before, after = joined(), joined()
    before.heartbeats[1].stage, after.heartbeats[1].stage = HeartbeatStage.REQUESTED, HeartbeatStage.ANSWERED
    before.heartbeats[1].request.instance_id = 0
    after.heartbeats[1].response.error = HeartbeatError.UNRELEASED_INSTANCE_ID
    assert spec.nobody_is_refused_because_of_itself(before, after), "another member has the instance id"
