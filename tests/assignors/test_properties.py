"""The guarantees of the assignors, on groups that Hypothesis makes; and each guarantee can fail."""

import pytest
from hypothesis import given

from kafkacheck.impl.assignors.broker_range import broker_range_assignment
from kafkacheck.impl.assignors.group import Group, Member, NoAssignmentError
from kafkacheck.impl.assignors.range import range_assignment
from kafkacheck.impl.assignors.round_robin import round_robin_assignment
from kafkacheck.impl.assignors.sticky import cooperative_assignment, sticky_assignment
from kafkacheck.impl.assignors.uniform import uniform_assignment
from kafkacheck.spec.assignors.properties import (
    assigned_once,
    balanced_stays,
    is_complete,
    loads_are_even,
    most_stays,
    no_move_helps,
    nothing_is_handed_over,
    only_owned_is_withheld,
    only_subscribed,
    topics_are_even,
)
from tests.assignors.groups import MEMBERS, groups, settled

RANGES = pytest.mark.parametrize("assign", [range_assignment, broker_range_assignment])
KEEPERS = pytest.mark.parametrize("assign", [sticky_assignment, uniform_assignment])


def is_valid(group, assigned):
    return only_subscribed(group, assigned) and assigned_once(assigned) and is_complete(group, assigned)


@RANGES
@given(groups(racks=True))
def test_ranges(assign, group):
    assigned = assign(group)
    assert is_valid(group, assigned) and topics_are_even(group, assigned)


@given(groups())
def test_round_robin(group):
    assert is_valid(group, round_robin_assignment(group))


@given(groups(equal=True))
def test_round_robin_of_equal_members(group):
    assert loads_are_even(round_robin_assignment(group))


@KEEPERS
@given(groups(owned=True, racks=True, empty=False))
def test_what_keeps_partitions_is_valid_and_balanced(assign, group):
    assigned = assign(group)
    assert is_valid(group, assigned) and no_move_helps(group, assigned)


@KEEPERS
@given(groups(equal=True, owned=True, racks=True))
def test_equal_members_have_even_loads(assign, group):
    assigned = assign(group)
    assert is_valid(group, assigned) and loads_are_even(assigned)


@KEEPERS
@given(groups(equal=True, owned=True))
def test_equal_members_keep_as_much_as_they_can(assign, group):
    assert most_stays(group, assign(group))


@KEEPERS
@given(groups(owned=True, empty=False))
def test_what_is_balanced_stays(assign, group):
    assert balanced_stays(group, assign(group))


@pytest.mark.parametrize("assign", [sticky_assignment, uniform_assignment, cooperative_assignment])
@given(groups(empty=False))
def test_an_assignment_stays_if_nothing_changes(assign, group):
    first = assign(group)
    members = {name: each._replace(owned=frozenset(first[name]), generation=1) for name, each in group.members.items()}
    assert assign(group._replace(members=members)) == first


@given(groups(owned=True, racks=True, empty=False))
def test_cooperative_owners_give_up_first(group):
    assigned = cooperative_assignment(group)
    assert only_subscribed(group, assigned) and assigned_once(assigned)
    assert nothing_is_handed_over(group, assigned) and only_owned_is_withheld(group, assigned)


@given(settled(sticky_assignment))
def test_the_second_cooperative_rebalance_completes_the_assignment(group):
    first = cooperative_assignment(group)
    members = {
        name: each._replace(owned=each.owned & first[name] | first[name], generation=2)
        for name, each in group.members.items()
    }
    again = group._replace(members=members)
    second = cooperative_assignment(again)
    assert is_valid(again, second) and no_move_helps(again, second)


def test_the_uniform_assignor_of_4_0_0_moves_a_partition_in_vain():
    """In 4.0.0 the first members got the partitions that are left over, also if a later one had such a one."""
    wanted = frozenset({"t0"})
    members = {
        "a": Member(wanted, frozenset({("t0", 0)}), 1),
        "b": Member(wanted, frozenset({("t0", 1), ("t0", 2)}), 1),
    }
    group = Group({"t0": 3}, members, {})
    assert most_stays(group, uniform_assignment(group))
    assert not most_stays(group, uniform_assignment(group, extra_stays=False))


def test_a_member_without_topics_may_get_partitions_of_the_sticky_assignors():
    """It does if Kafka's hash map gives it first; a pattern that matches no topic makes such a member."""
    none, some = Member(frozenset()), Member(frozenset({"t0"}))
    first = Group({"t0": 2}, {"a": none, "b": some}, {})
    assert not only_subscribed(first, sticky_assignment(first))
    last = Group({"t0": 2}, {"b": some, "a": none}, {})
    assert is_valid(last, sticky_assignment(last))


def late(last, **topics):
    """The second member has missed the newest generation, and has changed its topics since; the third one is `last`."""
    members = {
        "a": Member(frozenset({"t0"}), topics.get("a", frozenset()), 2),
        "b": Member(frozenset({"t1"}), frozenset({("t0", 0)}), 1),
        "c": last,
    }
    return Group({"t0": 2 if topics else 1, "t1": 1}, members, {})


def test_a_partition_may_go_back_to_a_member_that_has_left_the_topic():
    group = late(Member(frozenset({"t0", "t1"}), frozenset({("t0", 0), ("t1", 0)}), 2))
    assigned = sticky_assignment(group)
    assert assigned["b"] == {("t0", 0)}
    assert not only_subscribed(group, assigned)


def test_an_earlier_owner_whose_partitions_are_fixed_makes_the_assignment_fail():
    group = late(Member(frozenset({"t0"}), generation=2), a=frozenset({("t0", 0), ("t0", 1)}))
    with pytest.raises(NoAssignmentError, match="was owned by b before"):
        sticky_assignment(group)


GROUP = Group({"t": 3}, {name: Member(frozenset({"t"})) for name in MEMBERS[:2]}, {})
OWNED = GROUP._replace(members={"a": Member(frozenset({"t"}), frozenset({("t", 0)}), 1), "b": GROUP.members["b"]})
ALL = {("t", 0), ("t", 1), ("t", 2)}


@pytest.mark.parametrize(
    ("guarantee", "arguments"),
    [
        (only_subscribed, (GROUP, {"a": {("other", 0)}, "b": ALL})),
        (only_subscribed, (GROUP, {"a": {("t", 3)}, "b": ALL})),
        (assigned_once, ({"a": {("t", 0)}, "b": ALL},)),
        (is_complete, (GROUP, {"a": {("t", 0)}, "b": {("t", 1)}})),
        (topics_are_even, (GROUP, {"a": set(), "b": ALL})),
        (loads_are_even, ({"a": set(), "b": ALL},)),
        (no_move_helps, (GROUP, {"a": set(), "b": ALL})),
        (most_stays, (OWNED, {"a": {("t", 1)}, "b": {("t", 0), ("t", 2)}})),
        (nothing_is_handed_over, (OWNED, {"a": {("t", 1)}, "b": {("t", 0)}})),
        (only_owned_is_withheld, (OWNED, {"a": {("t", 1)}, "b": set()})),
    ],
)
def test_each_guarantee_can_fail(guarantee, arguments):
    assert not guarantee(*arguments)


def test_a_balanced_assignment_that_moves_is_noticed():
    members = {
        "a": Member(frozenset({"t"}), frozenset({("t", 0)}), 1),
        "b": Member(frozenset({"t"}), frozenset({("t", 1), ("t", 2)}), 1),
    }
    group = GROUP._replace(members=members)
    assert balanced_stays(group, {name: set(each.owned) for name, each in members.items()})
    assert not balanced_stays(group, {"a": {("t", 0), ("t", 1)}, "b": {("t", 2)}})
