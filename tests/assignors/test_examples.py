"""Assignments that are printed in texts about Kafka and in its documentation, to the letter."""

import pytest

from kafkacheck.impl.assignors.broker_range import broker_range_assignment
from kafkacheck.impl.assignors.group import Group, Member
from kafkacheck.impl.assignors.range import range_assignment
from kafkacheck.impl.assignors.round_robin import dealt, round_robin_assignment
from kafkacheck.impl.assignors.sticky import sticky_assignment

THREADS = ("C1-0", "C2-0", "C2-1")


def group_of(topics, **subscriptions):
    members = {name.replace("_", "-"): Member(frozenset(wanted.split())) for name, wanted in subscriptions.items()}
    return Group(topics, members, {})


def threads(topics):
    return Group(topics, {name: Member(frozenset(topics)) for name in THREADS}, {})


def parts(topic, numbers):
    return {(topic, int(number)) for number in numbers.split()}


def named(partitions):
    return {(topic, int(number)) for topic, _, number in (each.partition("-") for each in partitions.split())}


RANGES = {10: ("0 1 2 3", "4 5 6", "7 8 9"), 11: ("0 1 2 3", "4 5 6 7", "8 9 10")}


@pytest.mark.parametrize("assign", [range_assignment, broker_range_assignment])
@pytest.mark.parametrize("partitions", RANGES)
def test_partitions_over_three_threads_by_range(assign, partitions):
    expected = {name: parts("T1", numbers) for name, numbers in zip(THREADS, RANGES[partitions], strict=True)}
    assert assign(threads({"T1": partitions})) == expected


@pytest.mark.parametrize("assign", [range_assignment, broker_range_assignment])
def test_two_topics_over_three_threads_by_range_leave_two_partitions_more_to_the_first(assign):
    assigned = assign(threads({"T1": 10, "T2": 10}))
    assert assigned == {
        name: parts("T1", numbers) | parts("T2", numbers) for name, numbers in zip(THREADS, RANGES[10], strict=True)
    }
    assert len(assigned["C1-0"]) == len(assigned["C2-0"]) + 2


def test_ten_partitions_over_four_threads_in_the_order_of_their_hashes():
    order = [("T1", number) for number in (5, 3, 0, 8, 2, 1, 4, 7, 6, 9)]
    group = Group({"T1": 10}, {name: Member(frozenset({"T1"})) for name in ("C1-0", "C1-1", "C2-0", "C2-1")}, {})
    assert dealt(group, order) == {
        "C1-0": parts("T1", "5 2 6"),
        "C1-1": parts("T1", "3 1 9"),
        "C2-0": parts("T1", "0 4"),
        "C2-1": parts("T1", "8 7"),
    }


@pytest.mark.parametrize(
    ("partitions", "expected"), [(10, ("0 3 6 9", "1 4 7", "2 5 8")), (11, ("0 3 6 9", "1 4 7 10", "2 5 8"))]
)
def test_partitions_over_three_threads_by_round_robin(partitions, expected):
    assigned = round_robin_assignment(threads({"T1": partitions}))
    assert assigned == {name: parts("T1", numbers) for name, numbers in zip(THREADS, expected, strict=True)}


def test_two_topics_over_uneven_subscriptions_by_round_robin():
    """A member whose turn it is, and that does not subscribe to the topic, is passed over."""
    group = group_of({"T1": 3, "T2": 3}, C1="T1", C2="T1 T2")
    assert round_robin_assignment(group) == {"C1": named("T1-0 T1-2"), "C2": named("T1-1 T2-0 T2-1 T2-2")}


def test_two_topics_over_uneven_subscriptions_by_range():
    group = group_of({"T1": 3, "T2": 3}, C1="T1", C2="T1 T2")
    for assign in (range_assignment, broker_range_assignment):
        assert assign(group) == {"C1": named("T1-0 T1-1"), "C2": named("T1-2 T2-0 T2-1 T2-2")}


TWO = group_of({"t0": 3, "t1": 3}, C0="t0 t1", C1="t0 t1")


def test_the_example_of_range():
    assert range_assignment(TWO) == {"C0": named("t0-0 t0-1 t1-0 t1-1"), "C1": named("t0-2 t1-2")}


def test_the_examples_of_round_robin():
    assert round_robin_assignment(TWO) == {"C0": named("t0-0 t0-2 t1-1"), "C1": named("t0-1 t1-0 t1-2")}
    uneven = group_of({"t0": 1, "t1": 2, "t2": 3}, C0="t0", C1="t0 t1", C2="t0 t1 t2")
    assert round_robin_assignment(uneven) == {
        "C0": named("t0-0"),
        "C1": named("t1-0"),
        "C2": named("t1-1 t2-0 t2-1 t2-2"),
    }


def test_static_members_keep_their_ranges_when_they_come_back_with_other_ids():
    def assigned(*ids):
        members = {
            name: Member(frozenset({"t0", "t1"}), instance_id=f"I{number}") for number, name in enumerate(ids, start=1)
        }
        return [range_assignment(Group({"t0": 3, "t1": 3}, members, {}))[name] for name in ids]

    assert assigned("C0", "C1") == assigned("C3", "C2") == [named("t0-0 t0-1 t1-0 t1-1"), named("t0-2 t1-2")]


def test_the_first_example_of_sticky():
    """Three members of four topics with two partitions each; then the second one leaves."""
    topics = {f"t{number}": 2 for number in range(4)}
    wanted = " ".join(topics)
    first = sticky_assignment(group_of(topics, C0=wanted, C1=wanted, C2=wanted))
    assert first == {"C0": named("t0-0 t1-1 t3-0"), "C1": named("t0-1 t2-0 t3-1"), "C2": named("t1-0 t2-1")}
    left = {name: Member(frozenset(topics), frozenset(first[name]), 1) for name in ("C0", "C2")}
    second = sticky_assignment(Group(topics, left, {}))
    assert {name: len(mine) for name, mine in second.items()} == {"C0": 4, "C2": 4}
    assert first["C0"] < second["C0"] and first["C2"] < second["C2"]


def test_the_second_example_of_sticky():
    """Three topics with one, two and three partitions; then the first member, which has one topic, leaves."""
    topics = {"t0": 1, "t1": 2, "t2": 3}
    first = sticky_assignment(group_of(topics, C0="t0", C1="t0 t1", C2="t0 t1 t2"))
    assert first == {"C0": named("t0-0"), "C1": named("t1-0 t1-1"), "C2": named("t2-0 t2-1 t2-2")}
    left = {
        "C1": Member(frozenset({"t0", "t1"}), frozenset(first["C1"]), 1),
        "C2": Member(frozenset(topics), frozenset(first["C2"]), 1),
    }
    assert sticky_assignment(Group(topics, left, {})) == {"C1": named("t0-0 t1-0 t1-1"), "C2": named("t2-0 t2-1 t2-2")}
