"""Can a tower of discs be moved to another peg, one disc at a time, never a larger one on a smaller one?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, Id, Struct

LAST_PEG = 2

DiscId = Annotated[int, Id("discs")]
PegId = Annotated[int, Id("pegs")]


class Tower(Struct):
    """The peg each disc is on; disc 0 is the smallest, and discs on one peg lie in order of size."""

    pegs: Annotated[Array[PegId], ById("discs")]


def move(tower: Tower, disc: DiscId, peg: PegId) -> bool:
    """Move a disc that has no smaller one on it to another peg that has no smaller one either."""
    if tower.pegs[disc] == peg:
        return False
    for smaller in range(disc):
        if tower.pegs[smaller] == tower.pegs[disc] or tower.pegs[smaller] == peg:
            return False
    tower.pegs[disc] = peg
    return True


def tower_on_last_peg(tower: Tower) -> bool:
    """The whole tower has arrived."""
    for disc in range(len(tower.pegs)):
        if tower.pegs[disc] != LAST_PEG:
            return False
    return True


def tower_not_on_last_peg(tower: Tower) -> bool:
    """The claim whose counterexample solves the puzzle, in 2 ** discs - 1 moves."""
    return not tower_on_last_peg(tower)


MODEL = Model(name="hanoi", state=Tower, bounds={"discs": 3, "pegs": 3}, actions=[move], sometimes=[tower_on_last_peg])
UNSOLVED = Model(
    name="hanoi_unsolved", state=Tower, bounds={"discs": 3, "pegs": 3}, actions=[move], always=[tower_not_on_last_peg]
)
