"""States of any width: a tape of bytes with at most two marks, and three numbers that fill their fields."""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ByPosition, Count, Flag, Id, Struct

FULL = 255
MOST_MARKS = 2
HIGHEST = 2**31 - 1


class Tape(Struct):
    """Cells of eight bits each."""

    cells: Annotated[Array[Annotated[int, Count(FULL)]], ByPosition("length")]


def mark(tape: Tape, position: Annotated[int, Id("length")], fully: Annotated[bool, Flag()]) -> bool:
    """Set the lowest bit of a cell, or all of them."""
    marks = 0
    for each in range(len(tape.cells)):
        if tape.cells[each] != 0:
            marks += 1
    if marks == MOST_MARKS:
        return False
    if tape.cells[position] != 0:
        return False
    tape.cells[position] = FULL if fully else 1
    return True


def tapes(length: int) -> int:
    """How many tapes can be reached: none, one or two cells marked, each in one of two ways."""
    return 1 + 2 * length + 4 * (length * (length - 1) // 2)


TAPE = Model(name="tape", state=Tape, bounds={"length": 40}, actions=[mark])


class Numbers(Struct):
    """Numbers of 31, 32 and 31 bits with flags between them, so that fields lie across words."""

    up: Annotated[int, Count(HIGHEST)]
    first: Annotated[bool, Flag()]
    down: Annotated[int, Count(HIGHEST, -HIGHEST)]
    second: Annotated[bool, Flag()]
    last: Annotated[int, Count(HIGHEST)]


def grow(numbers: Numbers) -> bool:
    """Take up from 0 to its highest value in nine steps."""
    if numbers.up == HIGHEST:
        return False
    numbers.up = min(16 * numbers.up + 15, HIGHEST)
    numbers.first = not numbers.first
    return True


def shrink(numbers: Numbers) -> bool:
    """Take down from its lowest value to its highest: the same steps, seen from both ends."""
    if numbers.down == HIGHEST:
        return False
    if numbers.down < 0:
        numbers.down = -(-numbers.down // 16)
    else:
        numbers.down = min(16 * numbers.down + 15, HIGHEST)
    return True


def copy_up(numbers: Numbers) -> bool:
    """Copy up to last."""
    if numbers.last >= numbers.up:
        return False
    numbers.last = numbers.up
    numbers.second = not numbers.second
    return True


NUMBERS = Model(name="numbers", state=Numbers, actions=[grow, shrink, copy_up])
