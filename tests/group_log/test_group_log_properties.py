"""The properties of a group's log fail where they must: on small states made by hand, one mistake each."""

import pytest

from kafkacheck.checker.schema import Ids, add
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.consumer_group.constants import GroupType, MemberState
from kafkacheck.model.group_log.compacted import MODEL
from kafkacheck.model.group_log.system import State
from kafkacheck.spec.group_log import properties

LAYOUT = Layout(State, MODEL.bounds)
BOUNDS = LAYOUT.bounds.as_tuple()


def fill(group):
    """A group in epoch 1, of which the first member owns the partition."""
    group.type = GroupType.CONSUMER
    group.consumer.group_epoch = group.consumer.assignment_epoch = group.consumer.partition_epochs[0] = 1
    group.consumer.known = Ids({0})
    member = group.consumer.members[0]
    member.state = MemberState.STABLE
    member.member_epoch, member.previous_member_epoch = 1, 0
    member.subscribed = member.target = member.assigned = Ids({0})


def read():
    """A coordinator has read all of a log with one write."""
    state = LAYOUT.blank()
    add(state.log.groups, state.group)
    fill(state.group)
    add(state.log.groups, state.group)
    fill(state.loader.group)
    state.loader.next_write = 2
    state.loader.targets = Ids({0})
    return state


def of_classic_groups():
    """The same with a classic group of one member."""
    state = LAYOUT.blank()
    add(state.log.groups, state.group)
    state.group.classic.generation = state.loader.group.classic.generation = 1
    state.group.classic.members[0].is_member = state.loader.group.classic.members[0].is_member = True
    state.group.classic.members[0].assigned = state.loader.group.classic.members[0].assigned = Ids({0})
    add(state.log.groups, state.group)
    state.loader.next_write = 2
    return state


def cannot_be_read(state):
    state.loader.has_failed = True


def has_an_earlier_epoch(state):
    state.loader.group.consumer.group_epoch = 0


def has_an_earlier_target(state):
    state.loader.group.consumer.assignment_epoch = 0


def has_lost_a_partition(state):
    state.loader.group.consumer.known = Ids()


def has_lost_an_assignment(state):
    state.loader.group.consumer.members[0].assigned = Ids()


def is_a_classic_group(state):
    state.loader.group.type = GroupType.CLASSIC


def has_lost_an_owner(state):
    state.loader.group.consumer.partition_epochs[0] = -1


def has_an_earlier_generation(state):
    state.loader.group.classic.generation = 0


def has_another_member(state):
    state.loader.group.classic.members[1].is_member = True


def has_another_assignment(state):
    state.loader.group.classic.members[0].assigned = Ids()


MISTAKES = {
    cannot_be_read: properties.groups_can_be_read,
    has_an_earlier_epoch: properties.groups_are_read_as_they_were,
    has_an_earlier_target: properties.groups_are_read_as_they_were,
    has_lost_a_partition: properties.groups_are_read_as_they_were,
    has_lost_an_assignment: properties.groups_are_read_as_they_were,
    is_a_classic_group: properties.groups_are_read_as_they_were,
    has_lost_an_owner: properties.owners_are_read_as_they_were,
}
OF_CLASSIC_GROUPS = (has_an_earlier_generation, has_another_member, has_another_assignment)
ALWAYS = (
    properties.groups_can_be_read,
    properties.groups_are_read_as_they_were,
    properties.owners_are_read_as_they_were,
)


def violated(state):
    return [each for each in ALWAYS if not each(state)]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_violates_one_property(mistake):
    state = read()
    assert violated(state) == []
    mistake(state)
    assert violated(state) == [MISTAKES[mistake]]


@pytest.mark.parametrize("mistake", OF_CLASSIC_GROUPS)
def test_a_classic_group_is_read_as_it_was(mistake):
    state = of_classic_groups()
    assert violated(state) == []
    mistake(state)
    assert violated(state) == [properties.groups_are_read_as_they_were]


def test_what_was_read_is_judged_at_the_end():
    state = read()
    has_lost_an_assignment(state)
    state.loader.next_write = 1
    assert violated(state) == []
    assert properties.reading_has_begun(state)
    assert not properties.reading_has_ended(state)
    assert properties.group_was_read(read(), BOUNDS) is False
