"""The groups for which assignors are compared: all of them within some bounds, or a sample."""

import itertools
from collections.abc import Iterator

from tests.kafka.assignors.asking import MEMBERS, TOPICS, WIDTH, Case, Order, Row

SUBSCRIPTIONS = range(1 << len(TOPICS))
ORDERS = [Order(members) for members in itertools.permutations(range(MEMBERS))]
"""Members in each order that a hash map can give them, by the order of their names."""


def sizes_up_to(most: int, topics: int = len(TOPICS)) -> Iterator[tuple[int, ...]]:
    """How many partitions each topic has, `most` in all; a topic of which there is none does not exist."""
    for sizes in itertools.product(range(most + 1), repeat=topics):
        if 0 < sum(sizes) <= most:
            yield (*sizes, *[0] * (len(TOPICS) - topics))


def plain_groups(most_members: int = MEMBERS, most: int = WIDTH) -> Iterator[Case]:
    """All groups of members that own nothing."""
    for sizes in sizes_up_to(most):
        for members in range(1, most_members + 1):
            for wanted in itertools.product(SUBSCRIPTIONS, repeat=members):
                yield Case(sizes, tuple(Row(each) for each in wanted))


def static_groups(members: int = MEMBERS, sizes: tuple[int, ...] = (2, 2, 1)) -> Iterator[Case]:
    """All groups of some members in which some are static, with their instance ids in any order."""
    for instances in itertools.product(range(members + 1), repeat=members):
        named = sorted(each for each in instances if each)
        if named == list(range(1, len(named) + 1)):
            for wanted in itertools.product(SUBSCRIPTIONS, repeat=members):
                yield Case(sizes, tuple(Row(each, instance=name) for each, name in zip(wanted, instances, strict=True)))


def racked_groups(members: int = 3, most: int = 4, topics: int = 2, racks: int = 2) -> Iterator[Case]:
    """All groups of members in racks or in none, with replicas in any of the racks."""
    for sizes in sizes_up_to(most, topics):
        existing = [number < sizes[topic] for topic in range(len(TOPICS)) for number in range(WIDTH)]
        for replicas in itertools.product(*[range(1 << racks) if each else (0,) for each in existing]):
            for count in range(1, members + 1):
                for wanted in itertools.product(range(1, 1 << topics), repeat=count):
                    for places in itertools.product(range(racks + 1), repeat=count):
                        rows = (Row(each, rack=place) for each, place in zip(wanted, places, strict=True))
                        yield Case(sizes, tuple(rows), replicas)
