"""The properties of slow consumers and of what consumers claim fail where they must: small steps made by hand."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.consumer_group.constants import (
    LEAVE_GROUP_MEMBER_EPOCH,
    ConsumerState,
    HeartbeatError,
    HeartbeatStage,
)
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group.slow.polls import MODEL
from kafkacheck.model.consumer_group.system import State
from kafkacheck.spec.consumer_group import messages, slow_members

LAYOUT = Layout(State, {**MODEL.bounds, "leaves": 1, "losses": 1, "crashes": 1})
KAFKA, OURS = ConsumerGroupRules(), ConsumerGroupRules(former_responses_are_ignored=True)


def member():
    """A consumer that processes a partition, while its heartbeat is answered."""
    state = LAYOUT.blank()
    state.budget.slow_polls = state.budget.leaves = 1
    state.consumers[0].state, state.consumers[0].member_epoch = ConsumerState.STABLE, 2
    state.consumers[0].owned = Ids({0})
    state.heartbeats[0].stage = HeartbeatStage.ANSWERED
    state.heartbeats[0].response.member_epoch = 2
    return state


def stale(*, owned=True, rejoins=False):
    """The same one after its poll interval has ended; the leave and the former heartbeat are answered."""
    state = LAYOUT.blank()
    state.consumers[0].state, state.consumers[0].member_epoch = ConsumerState.STALE, LEAVE_GROUP_MEMBER_EPOCH
    state.consumers[0].owned = Ids({0}) if owned else Ids()
    state.consumers[0].rejoins = rejoins
    state.farewells[0].former.stage = HeartbeatStage.ANSWERED
    state.farewells[0].former.response.member_epoch = 2
    state.farewells[0].leave.stage = HeartbeatStage.REQUESTED
    return state


def joining():
    """The same one when it joins anew."""
    state = stale(owned=False)
    consumer = state.consumers[0]
    consumer.state, consumer.member_epoch = ConsumerState.JOINING, 0
    consumer.names_timeout = consumer.names_topics = consumer.names_owned = True
    return state


def changed(state, /, **fields):
    """The state with other fields of the consumer."""
    for name, value in fields.items():
        setattr(state.consumers[0], name, value)
    return state


def test_a_slow_consumer_must_say_that_it_leaves():
    assert slow_members.stale_consumers_tell_that_they_leave(member(), stale())
    for slot in ("leave", "former"):
        silent = stale()
        getattr(silent.farewells[0], slot).stage = HeartbeatStage.IDLE
        assert not slow_members.stale_consumers_tell_that_they_leave(member(), silent), slot
    leaving = changed(member(), state=ConsumerState.PREPARE_LEAVING)
    assert not slow_members.stale_consumers_tell_that_they_leave(leaving, stale())


def test_a_stale_consumer_must_be_no_member():
    assert slow_members.stale_consumers_have_left(stale())
    assert not slow_members.stale_consumers_have_left(changed(stale(), member_epoch=2))
    sending = stale()
    sending.heartbeats[0].stage = HeartbeatStage.REQUESTED
    assert not slow_members.stale_consumers_have_left(sending)


@pytest.mark.parametrize(
    ("before", "after", "is_right"),
    [
        (stale(), stale(rejoins=True), True),
        (stale(), stale(owned=False), True),
        (stale(owned=False), joining(), True),
        (stale(rejoins=True), joining(), True),
        (stale(), changed(stale(), state=ConsumerState.CRASHED), True),
        (stale(), joining(), False),
        (stale(rejoins=True), stale(), False),
        (stale(rejoins=True), stale(owned=False, rejoins=True), False),
        (stale(), changed(stale(), owned=Ids({0, 1})), False),
        (stale(owned=False), changed(joining(), names_topics=False), False),
        (stale(owned=False), changed(joining(), member_epoch=2), False),
        (stale(owned=False), changed(joining(), state=ConsumerState.STABLE), False),
        (stale(rejoins=True), changed(joining(), owned=Ids({0})), False),
    ],
)
def test_a_stale_consumer_must_lose_its_partitions_and_join(before, after, is_right):
    assert slow_members.stale_consumers_lose_partitions_and_join(before, after) == is_right


def answered(state, slot):
    """The state when the response to the leave, or to the former heartbeat, has been taken."""
    getattr(state.farewells[0], slot).stage = HeartbeatStage.IDLE
    return state


@pytest.mark.parametrize("slot", ["leave", "former"])
def test_a_response_of_before_must_change_nothing(slot):
    before = stale()
    before.farewells[0].leave.stage = HeartbeatStage.ANSWERED
    assert slow_members.answers_to_farewells_change_nothing(before, answered(stale(), slot), KAFKA)
    after = changed(answered(stale(), slot), member_epoch=0)
    assert not slow_members.answers_to_farewells_change_nothing(before, after, KAFKA)


def test_a_former_response_changes_a_consumer_that_joins_unless_a_rule_forbids_it():
    after = changed(answered(joining(), "former"), member_epoch=2)
    assert slow_members.answers_to_farewells_change_nothing(joining(), after, KAFKA)
    assert not slow_members.answers_to_farewells_change_nothing(joining(), after, OURS)


def test_only_an_application_must_make_a_consumer_leave():
    gone = changed(member(), state=ConsumerState.UNSUBSCRIBED)
    assert not messages.only_applications_leave(member(), gone)
    gone.budget.leaves = 0
    assert messages.only_applications_leave(member(), gone)
    assert messages.only_applications_leave(member(), stale())


def test_a_consumer_must_end_only_because_of_its_instance():
    before, after = member(), changed(member(), state=ConsumerState.FATAL)
    before.heartbeats[0].response.error = HeartbeatError.INVALID_REQUEST
    assert not messages.consumers_end_only_because_of_their_instance(before, after)
    before.heartbeats[0].response.error = HeartbeatError.FENCED_INSTANCE_ID
    assert messages.consumers_end_only_because_of_their_instance(before, after)
    assert messages.consumers_end_only_because_of_their_instance(after, after)


def test_a_heartbeat_must_claim_only_what_its_consumer_owns():
    before, after = member(), member()
    before.heartbeats[0].stage = HeartbeatStage.IDLE
    after.heartbeats[0].request.owned = Ids({0})
    assert messages.heartbeats_claim_nothing_else(before, after, KAFKA)
    after.heartbeats[0].request.owned = Ids({0, 1})
    assert not messages.heartbeats_claim_nothing_else(before, after, KAFKA)
    before.consumers[0].target = Ids({1})
    assert not messages.heartbeats_claim_nothing_else(before, after, KAFKA)
    assert messages.heartbeats_claim_nothing_else(before, after, ConsumerGroupRules(target_counts_as_owned=True))
