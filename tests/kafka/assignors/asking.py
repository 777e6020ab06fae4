"""A group as numbers, by which Kafka's assignors and those of impl/assignors/ are asked the same.

Sets are bits: of topics, of racks, and of partitions, which are numbered through all topics, WIDTH for each.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from kafkacheck.impl.assignors.broker_range import broker_range_assignment
from kafkacheck.impl.assignors.group import NO_GENERATION, Assignment, Group, Member, NoAssignmentError, Partition
from kafkacheck.impl.assignors.range import range_assignment
from kafkacheck.impl.assignors.round_robin import round_robin_assignment
from kafkacheck.impl.assignors.sticky import cooperative_assignment, sticky_assignment
from kafkacheck.impl.assignors.uniform import uniform_assignment
from tests.kafka.runs import plain
from tests.kafka.systems import jvm

TOPICS = ("t0", "t1", "t2")
MEMBERS, WIDTH = 4, 5
CLIENT, COORDINATOR = "org.apache.kafka.clients.consumer", "org.apache.kafka.coordinator.group.assignor"
BATCH = 2000
FAILED = (-1,) * MEMBERS
"""In place of an answer: the assignor throws an exception."""


class Asked(NamedTuple):
    """A class of Kafka, and the function that is held against it."""

    kind: str
    function: Callable[[Group], Assignment]


ASSIGNORS = {
    "range": Asked(f"{CLIENT}.RangeAssignor", range_assignment),
    "round_robin": Asked(f"{CLIENT}.RoundRobinAssignor", round_robin_assignment),
    "sticky": Asked(f"{CLIENT}.StickyAssignor", sticky_assignment),
    "cooperative_sticky": Asked(f"{CLIENT}.CooperativeStickyAssignor", cooperative_assignment),
    "broker_range": Asked(f"{COORDINATOR}.RangeAssignor", broker_range_assignment),
    "uniform": Asked(f"{COORDINATOR}.UniformAssignor", uniform_assignment),
}
EXTRA_STAYS_SINCE = (4, 0, 1)


def asked_in(name: str, release: str) -> Asked:
    """An assignor by its name, by the rules of a release."""
    asked = ASSIGNORS[name]
    if name == "uniform" and tuple(map(int, plain(release).split("."))) < EXTRA_STAYS_SINCE:
        return Asked(asked.kind, partial(uniform_assignment, extra_stays=False))
    return asked


class Row(NamedTuple):
    """One member. `topics`: -1 if it is not in the group. `rack`, `instance`: 0 if it has none."""

    topics: int = -1
    owned: int = 0
    generation: int = NO_GENERATION
    rack: int = 0
    instance: int = 0


class Case(NamedTuple):
    """One group. `sizes`: how many partitions each topic has. `racks`: of each partition's replicas, as bits."""

    sizes: tuple[int, ...]
    members: tuple[Row, ...]
    racks: tuple[int, ...] = (0,) * (len(TOPICS) * WIDTH)

    def numbers(self) -> list[int]:
        """What Kafka's side takes."""
        rows = (*self.members, *[Row()] * (MEMBERS - len(self.members)))
        return [*self.sizes, *self.racks, *itertools.chain.from_iterable(rows)]


class Order(NamedTuple):
    """Names and hashes that put members and topics into some order in a hash map of Java.

    `members`, `topics`: by number, the place in the map.
    """

    members: tuple[int, ...] = tuple(range(MEMBERS))
    topics: tuple[int, ...] = tuple(range(len(TOPICS)))

    @property
    def names(self) -> list[str]:
        """The ids of the members, in alphabetical order."""
        return [name_at(chr(ord("a") + number), place) for number, place in enumerate(self.members)]


@cache
def name_at(beginning: str, place: int) -> str:
    """A name that has this place among others in a hash map of 16 buckets."""
    return next(
        beginning + letter
        for letter in "abcdefghijklmnopqrstuvwxyz"
        if (31 * ord(beginning) + ord(letter)) % 16 == place
    )


@cache
def topics_of(bits: int) -> frozenset[str]:
    """The names of some topics."""
    return frozenset(topic for number, topic in enumerate(TOPICS) if bits >> number & 1)


@cache
def partitions_in(bits: int) -> frozenset[Partition]:
    """Some partitions."""
    return frozenset((topic, each) for topic, each in numbered() if bits >> bit_of((topic, each)) & 1)


def numbered() -> Iterator[Partition]:
    """All partitions, in the order of their bits."""
    return itertools.product(TOPICS, range(WIDTH))


@cache
def bit_of(partition: Partition) -> int:
    """The place of a partition's bit."""
    return TOPICS.index(partition[0]) * WIDTH + partition[1]


def bits_of(partitions: Iterable[Partition]) -> int:
    """Some partitions as bits."""
    return sum(1 << bit_of(each) for each in partitions)


@cache
def racks_in(racks: tuple[int, ...]) -> dict[Partition, frozenset[str]]:
    """The racks of the replicas of each partition."""
    named = [frozenset(f"r{rack + 1}" for rack in range(8) if bits >> rack & 1) for bits in racks]
    return dict(zip(numbered(), named, strict=True))


@cache
def member_of(row: Row) -> Member:
    """A member."""
    rack = f"r{row.rack}" if row.rack else ""
    instance_id = f"i{row.instance}" if row.instance else ""
    return Member(topics_of(row.topics), partitions_in(row.owned), row.generation, rack, instance_id)


def group_of(case: Case, order: Order) -> Group:
    """The group, its members and topics in the order of a hash map."""
    names = order.names
    rows = [(number, row) for number, row in enumerate(case.members) if row.topics >= 0]
    rows.sort(key=lambda each: order.members[each[0]])
    topics = sorted(range(len(TOPICS)), key=order.topics.__getitem__)
    return Group(
        {TOPICS[topic]: case.sizes[topic] for topic in topics if case.sizes[topic]},
        {names[number]: member_of(row) for number, row in rows},
        racks_in(case.racks),
    )


def answer_of(assignment: Assignment, order: Order) -> tuple[int, ...]:
    """What each member gets, as Kafka's side says it."""
    return tuple(bits_of(assignment.get(name, ())) for name in order.names)


def answers_of_kafka(kind: str, order: Order, cases: Sequence[Case]) -> list[tuple[int, ...]]:
    """What each member gets by a class of Kafka, case by case; FAILED if the class throws."""
    hashes = [order.topics[number] + 1 for number in range(len(TOPICS))]
    door: Any = jvm.java("kafkacheck.Assignors")(kind, order.names, list(TOPICS), hashes, WIDTH)
    rows = np.array([case.numbers() for case in cases], dtype=np.int32).ravel()
    return [tuple(map(int, each)) for each in np.array(door.answers(rows)).reshape(-1, MEMBERS)]


class Answers(NamedTuple):
    """What each member of a group gets by Kafka and by ours, as bits; or FAILED."""

    case: Case
    order: Order
    kafka: tuple[int, ...]
    ours: tuple[int, ...]


def compared(asked: Asked, order: Order, cases: Iterable[Case]) -> Iterator[Answers]:
    """Both answers, case by case."""
    stream = iter(cases)
    while batch := list(itertools.islice(stream, BATCH)):
        for case, kafka in zip(batch, answers_of_kafka(asked.kind, order, batch), strict=True):
            try:
                ours = answer_of(asked.function(group_of(case, order)), order)
            except NoAssignmentError:
                ours = FAILED
            yield Answers(case, order, kafka, ours)
