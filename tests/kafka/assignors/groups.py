"""The groups for which assignors are compared: all of them within some bounds, or a sample."""

import itertools
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.kafka.assignors.asking import MEMBERS, TOPICS, WIDTH, Case, Order, Row

SUBSCRIPTIONS = range(1 << len(TOPICS))
OLD, NEW = 1, 2
"""The generations of members that own something."""


def sizes_up_to(most: int, topics: int = len(TOPICS), least: int = 0) -> Iterator[tuple[int, ...]]:
    """How many partitions each topic has, `most` in all and `least` each; a topic without any does not exist."""
    for sizes in itertools.product(range(least, most + 1), repeat=topics):
        if 0 < sum(sizes) <= most:
            yield (*sizes, *[0] * (len(TOPICS) - topics))


def bits_in(sizes: tuple[int, ...]) -> list[int]:
    """The bit of each existing partition."""
    return [1 << topic * WIDTH + number for topic, size in enumerate(sizes) for number in range(size)]


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


def racked_groups(members: int = 3, most: int = 3, topics: int = 2, racks: int = 2) -> Iterator[Case]:
    """All groups of members in racks or in none, with replicas in any of the racks."""
    for sizes in sizes_up_to(most, topics):
        exists = [number < sizes[topic] for topic in range(len(TOPICS)) for number in range(WIDTH)]
        for replicas in itertools.product(*[range(1 << racks) if each else (0,) for each in exists]):
            for count in range(1, members + 1):
                for wanted in itertools.product(range(1, 1 << topics), repeat=count):
                    for places in itertools.product(range(racks + 1), repeat=count):
                        rows = (Row(each, rack=place) for each, place in zip(wanted, places, strict=True))
                        yield Case(sizes, tuple(rows), replicas)


def owning_groups(members: int, most: int, topics: int) -> Iterator[Case]:
    """All groups of `members` with some topics each, in which each partition has one owner or none."""
    for sizes in itertools.chain.from_iterable(sizes_up_to(most, each, 1) for each in range(1, topics + 1)):
        topics_there = sum(size > 0 for size in sizes)
        bits = bits_in(sizes)
        for owners in itertools.product(range(members + 1), repeat=len(bits)):
            owned = [
                sum(bit for bit, owner in zip(bits, owners, strict=True) if owner == each) for each in range(members)
            ]
            generations = [NEW if each else -1 for each in owned]
            for wanted in itertools.product(range(1, 1 << topics_there), repeat=members):
                yield Case(sizes, tuple(map(Row, wanted, owned, generations)))


def late_groups(members: int = 3, most: int = 3, topics: int = 2) -> Iterator[Case]:
    """All groups of members of two generations, in which up to two members claim the same partition."""
    claims = [each for each in range(1 << members) if each.bit_count() <= 2]
    for sizes in sizes_up_to(most, topics):
        bits = bits_in(sizes)
        for claimed in itertools.product(claims, repeat=len(bits)):
            owned = [
                sum(bit for bit, by in zip(bits, claimed, strict=True) if by >> each & 1) for each in range(members)
            ]
            for generations in itertools.product((OLD, NEW), repeat=members):
                for wanted in itertools.product(range(1 << topics), repeat=members):
                    yield Case(sizes, tuple(map(Row, wanted, owned, generations)))


def random_groups(seed: int, claims: bool) -> Iterator[Case]:
    """Groups with everything, without end. `claims`: members may claim the same partition."""
    chosen = random.Random(seed)
    every = list(sizes_up_to(WIDTH))
    while True:
        sizes = chosen.choice(every)
        members = chosen.randint(1, MEMBERS)
        owned = [0] * members
        for bit in bits_in(sizes):
            for owner in chosen.sample(range(members + 1), 2 if claims and chosen.random() < 0.3 else 1):
                if owner < members:
                    owned[owner] |= bit
        racks = chosen.random() < 0.4
        alike = chosen.choice(SUBSCRIPTIONS) if chosen.random() < 0.4 else None
        instances = chosen.sample(range(1, MEMBERS + 1), members)
        rows = [
            Row(
                chosen.choice(SUBSCRIPTIONS) if alike is None else alike,
                each,
                chosen.choice((-1, OLD, NEW)) if claims else NEW if each else -1,
                chosen.randrange(4) if racks else 0,
                instance if chosen.random() < 0.3 else 0,
            )
            for each, instance in zip(owned, instances, strict=True)
        ]
        replicas = tuple(chosen.randrange(8) if racks else 0 for _ in range(len(TOPICS) * WIDTH))
        yield Case(sizes, tuple(rows), replicas)


class Part(NamedTuple):
    """A set of groups. `keepers`: whether it is for the assignors that let members keep what they own, or for others.

    `is_late`: several members may claim a partition. `is_large`: it takes hours, and runs only if it is named.
    """

    groups: Callable[[], Iterator[Case]]
    keepers: tuple[bool, ...] = (True, False)
    is_late: bool = False
    is_large: bool = False


PARTS = {
    "plain": Part(plain_groups),
    "static": Part(static_groups, (False,)),
    "racks": Part(racked_groups),
    "owners_3": Part(lambda: owning_groups(3, 4, 3), (True,)),
    "owners_4": Part(lambda: owning_groups(4, 4, 2), (True,)),
    "late": Part(late_groups, (True,), is_late=True),
    "owners_all": Part(lambda: owning_groups(MEMBERS, WIDTH, len(TOPICS)), (True,), is_large=True),
}
"""All groups within the bounds of each part; `owners_all` has those of `owners_3` and `owners_4` and more."""

KEEPERS = ("sticky", "cooperative_sticky", "uniform")
ONE_OWNER = ("uniform",)
"""The coordinator's target assignments never overlap."""


def parts_of(assignor: str) -> list[str]:
    """The parts in which an assignor is compared."""
    return [
        name
        for name, part in PARTS.items()
        if (assignor in KEEPERS) in part.keepers and not (part.is_late and assignor in ONE_OWNER)
    ]


def orders(seed: int) -> Iterator[Order]:
    """Random orders of a hash map, without end."""
    chosen = random.Random(seed)
    while True:
        yield Order(
            tuple(chosen.sample(range(MEMBERS), MEMBERS)), tuple(chosen.sample(range(len(TOPICS)), len(TOPICS)))
        )
