"""Can four gallons be measured with a jug of five, a jug of three and a tap?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct

BIG_SIZE = 5
SMALL_SIZE = 3
WANTED = 4


class Jugs(Struct):
    """Gallons of water in each jug."""

    big: Annotated[int, Count(BIG_SIZE)]
    small: Annotated[int, Count(SMALL_SIZE)]


def fill_big(jugs: Jugs) -> bool:
    """Fill the big jug from the tap."""
    if jugs.big == BIG_SIZE:
        return False
    jugs.big = BIG_SIZE
    return True


def fill_small(jugs: Jugs) -> bool:
    """Fill the small jug from the tap."""
    if jugs.small == SMALL_SIZE:
        return False
    jugs.small = SMALL_SIZE
    return True


def empty_big(jugs: Jugs) -> bool:
    """Pour the big jug out."""
    if jugs.big == 0:
        return False
    jugs.big = 0
    return True


def empty_small(jugs: Jugs) -> bool:
    """Pour the small jug out."""
    if jugs.small == 0:
        return False
    jugs.small = 0
    return True


def pour_small_into_big(jugs: Jugs) -> bool:
    """Pour until the small jug is empty or the big one is full."""
    poured = min(jugs.small, BIG_SIZE - jugs.big)
    if poured == 0:
        return False
    jugs.small -= poured
    jugs.big += poured
    return True


def pour_big_into_small(jugs: Jugs) -> bool:
    """Pour until the big jug is empty or the small one is full."""
    poured = min(jugs.big, SMALL_SIZE - jugs.small)
    if poured == 0:
        return False
    jugs.big -= poured
    jugs.small += poured
    return True


def big_jug_not_wanted(jugs: Jugs) -> bool:
    """The claim whose counterexample measures the wanted amount."""
    return jugs.big != WANTED


def water_moves_by_one_jug(before: Jugs, after: Jugs) -> bool:
    """No step changes the total by more than one jug holds."""
    return abs(before.big + before.small - after.big - after.small) <= BIG_SIZE


ACTIONS = [fill_big, fill_small, empty_big, empty_small, pour_small_into_big, pour_big_into_small]

MODEL = Model(name="die_hard", state=Jugs, actions=ACTIONS, always=[water_moves_by_one_jug])
UNSOLVED = Model(name="die_hard_unsolved", state=Jugs, actions=ACTIONS, always=[big_jug_not_wanted])
